package wire

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
)

// ServiceProperties are the settings of an account's table service. What is
// nil was left out: it keeps its value.
type ServiceProperties struct {
	Logging                    *Logging
	HourMetrics, MinuteMetrics *Metrics
	// Cors are the rules for web pages of other origins; HasCors is false for no list.
	Cors    []CORSRule
	HasCors bool
}

// Logging says which requests are logged.
type Logging struct {
	Delete, Read, Write bool
	Retention           RetentionPolicy
}

// Metrics says what is measured.
type Metrics struct {
	Enabled, IncludeAPIs bool
	Retention            RetentionPolicy
}

// RetentionPolicy says how long something is kept; no days are for ever.
type RetentionPolicy struct{ Days int }

// analyticsVersion is the only version of logging and metrics that there is.
const analyticsVersion = "1.0"

// maxDays is how long anything is kept, in days.
const maxDays = 365

// ParseServiceProperties reads the settings that a client wants: XML. The code is OK,
// or else with one line of detail InvalidXmlDocument or one of this package's.
// The strings are copies.
func ParseServiceProperties(text string) (p ServiceProperties, code entity.Code, detail string) {
	document, fault := parseXML(text, "StorageServiceProperties")
	if fault != "" {
		return p, entity.InvalidXMLDocument, fault
	}
	s := settings{}
	s.only(&document, "Logging", "HourMetrics", "MinuteMetrics", "Cors")
	if node := document.child("Logging"); node != nil {
		s.only(node, "Version", "Delete", "Read", "Write", "RetentionPolicy")
		s.version(node)
		p.Logging = &Logging{
			Delete:    s.truth(node, "Delete"),
			Read:      s.truth(node, "Read"),
			Write:     s.truth(node, "Write"),
			Retention: s.retention(node),
		}
	}
	if node := document.child("HourMetrics"); node != nil {
		p.HourMetrics = s.metrics(node)
	}
	if node := document.child("MinuteMetrics"); node != nil {
		p.MinuteMetrics = s.metrics(node)
	}
	if node := document.child("Cors"); node != nil {
		p.Cors, p.HasCors = s.rules(node), true
	}
	if s.code != entity.OK {
		return ServiceProperties{}, s.code, s.detail
	}
	return p, entity.OK, ""
}

// settings reads the parts of a document and remembers the first fault.
type settings struct {
	code   entity.Code
	detail string
}

func (s *settings) fail(code entity.Code, detail string) {
	if s.code == entity.OK {
		s.code, s.detail = code, detail
	}
}

// only checks an element's children: UnsupportedXmlNode for one with another name, InvalidXmlDocument for a repeated one.
func (s *settings) only(n *xmlNode, names ...string) {
	if len(n.Children) == 0 && strings.TrimSpace(n.Text) != "" {
		s.fail(entity.InvalidXMLDocument, "<"+n.XMLName.Local+"> contains text")
	}
	for i := range n.Children {
		child := &n.Children[i]
		switch {
		case !slices.Contains(names, child.XMLName.Local):
			s.fail(UnsupportedXMLNode, "<"+n.XMLName.Local+"> has an unknown element")
		case n.child(child.XMLName.Local) != child:
			s.fail(entity.InvalidXMLDocument, "<"+n.XMLName.Local+"> repeats an element")
		}
	}
}

// required returns the text of a child that has to be there.
func (s *settings) required(n *xmlNode, name string) string {
	text, found := n.value(name)
	if !found {
		s.fail(MissingRequiredXMLNode, "<"+n.XMLName.Local+"> requires <"+name+">")
	}
	return strings.TrimSpace(text)
}

func (s *settings) truth(n *xmlNode, name string) bool {
	switch text := s.required(n, name); {
	case strings.EqualFold(text, "true"):
		return true
	case !strings.EqualFold(text, "false"):
		s.fail(InvalidXMLNodeValue, "<"+name+"> must be true or false")
	}
	return false
}

// number returns the number in a child that has to be there and within bounds.
func (s *settings) number(n *xmlNode, name string, least, most int) int {
	number, err := strconv.Atoi(s.required(n, name))
	if err != nil || number < least || number > most {
		s.fail(InvalidXMLNodeValue, "<"+name+"> must be "+strconv.Itoa(least)+" to "+strconv.Itoa(most))
	}
	return number
}

func (s *settings) version(n *xmlNode) {
	if s.required(n, "Version") != analyticsVersion {
		s.fail(InvalidXMLNodeValue, "<Version> must be "+analyticsVersion)
	}
}

func (s *settings) metrics(n *xmlNode) *Metrics {
	s.only(n, "Version", "Enabled", "IncludeAPIs", "RetentionPolicy")
	s.version(n)
	m := &Metrics{Enabled: s.truth(n, "Enabled")}
	switch {
	case m.Enabled:
		m.IncludeAPIs = s.truth(n, "IncludeAPIs")
	case n.child("IncludeAPIs") != nil:
		s.fail(entity.InvalidXMLDocument, "<IncludeAPIs> requires enabled metrics")
	}
	m.Retention = s.retention(n)
	return m
}

func (s *settings) retention(n *xmlNode) RetentionPolicy {
	policy := n.child("RetentionPolicy")
	if policy == nil {
		s.fail(MissingRequiredXMLNode, "<"+n.XMLName.Local+"> requires <RetentionPolicy>")
		return RetentionPolicy{}
	}
	s.only(policy, "Enabled", "Days")
	switch {
	case s.truth(policy, "Enabled"):
		days := s.number(policy, "Days", math.MinInt, math.MaxInt)
		if days < 1 || days > maxDays {
			// Of a number out of this range the service finds fault with the document.
			s.fail(entity.InvalidXMLDocument, "<Days> must be 1 to "+strconv.Itoa(maxDays))
		}
		return RetentionPolicy{days}
	case policy.child("Days") != nil:
		s.fail(entity.InvalidXMLDocument, "<Days> requires an enabled policy")
	}
	return RetentionPolicy{}
}

// AppendServiceProperties appends the XML that shows the settings, those that are nil
// left out.
func AppendServiceProperties(dst []byte, p *ServiceProperties) []byte {
	dst = append(dst, xmlDeclaration+"<StorageServiceProperties>"...)
	if l := p.Logging; l != nil {
		dst = append(dst, "<Logging><Version>"+analyticsVersion+"</Version>"...)
		dst = appendXMLElement(dst, "Delete", strconv.FormatBool(l.Delete))
		dst = appendXMLElement(dst, "Read", strconv.FormatBool(l.Read))
		dst = appendXMLElement(dst, "Write", strconv.FormatBool(l.Write))
		dst = append(appendRetention(dst, l.Retention), "</Logging>"...)
	}
	dst = appendMetrics(dst, "HourMetrics", p.HourMetrics)
	dst = appendMetrics(dst, "MinuteMetrics", p.MinuteMetrics)
	if p.HasCors {
		dst = append(dst, "<Cors>"...)
		for i := range p.Cors {
			r := &p.Cors[i]
			dst = append(dst, "<CorsRule>"...)
			dst = appendXMLElement(dst, "AllowedOrigins", strings.Join(r.Origins, ","))
			dst = appendXMLElement(dst, "AllowedMethods", strings.Join(r.Methods, ","))
			dst = appendXMLElement(dst, "MaxAgeInSeconds", strconv.Itoa(r.MaxAge))
			dst = appendXMLElement(dst, "ExposedHeaders", strings.Join(r.Exposed, ","))
			dst = appendXMLElement(dst, "AllowedHeaders", strings.Join(r.Allowed, ","))
			dst = append(dst, "</CorsRule>"...)
		}
		dst = append(dst, "</Cors>"...)
	}
	return append(dst, "</StorageServiceProperties>"...)
}

func appendMetrics(dst []byte, name string, m *Metrics) []byte {
	if m == nil {
		return dst
	}
	dst = append(append(append(dst, '<'), name...), "><Version>"+analyticsVersion+"</Version>"...)
	dst = appendXMLElement(dst, "Enabled", strconv.FormatBool(m.Enabled))
	if m.Enabled {
		dst = appendXMLElement(dst, "IncludeAPIs", strconv.FormatBool(m.IncludeAPIs))
	}
	dst = appendRetention(dst, m.Retention)
	return append(append(append(dst, "</"...), name...), '>')
}

func appendRetention(dst []byte, r RetentionPolicy) []byte {
	dst = append(dst, "<RetentionPolicy>"...)
	dst = appendXMLElement(dst, "Enabled", strconv.FormatBool(r.Days > 0))
	if r.Days > 0 {
		dst = appendXMLElement(dst, "Days", strconv.Itoa(r.Days))
	}
	return append(dst, "</RetentionPolicy>"...)
}

// AppendStatistics appends the XML of the secondary's state: live, and synchronised at a date in the form of RFC 1123.
func AppendStatistics(dst []byte, synchronised string) []byte {
	dst = append(dst, xmlDeclaration+"<StorageServiceStats><GeoReplication><Status>live</Status>"...)
	dst = appendXMLElement(dst, "LastSyncTime", synchronised)
	return append(dst, "</GeoReplication></StorageServiceStats>"...)
}
