package wire

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
)

// CORSRule lets web pages of some origins send some requests.
type CORSRule struct {
	// Origins are as browsers send them; an asterisk is for any.
	Origins []string
	Methods []string
	// MaxAge is how many seconds a browser may go by an answer.
	MaxAge int
	// Exposed are the headers of a reply that the page may read, Allowed those
	// that it may send. One that ends with an asterisk is for all that begin so.
	Exposed, Allowed []string
}

// The bounds of the rules: of their number, of each list, of each of its items.
const (
	maxRules     = 5
	maxListItems = 64
	maxPrefixes  = 2
	maxListItem  = 256
	anyOrigin    = "*"
	maxCORSCache = math.MaxInt32
)

// corsMethods are those that a rule can name.
var corsMethods = [...]string{"DELETE", "GET", "HEAD", "MERGE", "OPTIONS", "PATCH", "POST", "PUT"}

func (s *settings) rules(n *xmlNode) []CORSRule {
	if len(n.Children) > maxRules {
		s.fail(entity.InvalidXMLDocument, "more than "+strconv.Itoa(maxRules)+" CORS rules")
		return nil
	}
	var all []CORSRule
	for i := range n.Children {
		rule := &n.Children[i]
		if rule.XMLName.Local != "CorsRule" {
			s.fail(UnsupportedXMLNode, "<Cors> has an unknown element")
			return nil
		}
		s.only(rule, "AllowedOrigins", "AllowedMethods", "MaxAgeInSeconds", "ExposedHeaders", "AllowedHeaders")
		origins := s.list(rule, "AllowedOrigins", maxListItems)
		if len(origins) == 0 {
			s.fail(InvalidXMLNodeValue, "<AllowedOrigins> is empty")
		}
		methods := s.list(rule, "AllowedMethods", len(corsMethods))
		for i, method := range methods {
			if methods[i] = strings.ToUpper(method); !slices.Contains(corsMethods[:], methods[i]) {
				s.fail(InvalidXMLNodeValue, "<AllowedMethods> has an unknown method")
			}
		}
		if len(methods) == 0 {
			s.fail(InvalidXMLNodeValue, "<AllowedMethods> is empty")
		}
		all = append(all, CORSRule{
			Origins: origins,
			Methods: methods,
			MaxAge:  s.number(rule, "MaxAgeInSeconds", 0, maxCORSCache),
			Exposed: s.headers(rule, "ExposedHeaders"),
			Allowed: s.headers(rule, "AllowedHeaders"),
		})
	}
	if len(n.Children) == 0 && strings.TrimSpace(n.Text) != "" {
		s.fail(entity.InvalidXMLDocument, "<Cors> contains text")
	}
	return all
}

// list returns the items of a list with commas, without empty ones.
func (s *settings) list(n *xmlNode, name string, most int) []string {
	var items []string
	for item := range strings.SplitSeq(s.required(n, name), ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		if len(items) == most || len(item) > maxListItem || strings.ContainsFunc(item, func(c rune) bool { return c <= ' ' || c > '~' }) {
			s.fail(InvalidXMLNodeValue, "<"+name+"> has too many or invalid items")
			return nil
		}
		items = append(items, item)
	}
	return items
}

func (s *settings) headers(n *xmlNode, name string) []string {
	headers := s.list(n, name, maxListItems+maxPrefixes)
	prefixes := 0
	for _, header := range headers {
		if strings.HasSuffix(header, "*") && header != "*" {
			prefixes++
		}
	}
	if prefixes > maxPrefixes || len(headers)-prefixes > maxListItems {
		s.fail(InvalidXMLNodeValue, "<"+name+"> has too many items")
	}
	return headers
}

// ForAnyOrigin reports whether the rule is for pages of whatever origin.
func (r *CORSRule) ForAnyOrigin() bool { return slices.Contains(r.Origins, anyOrigin) }

// FindCORSRule returns the first of the rules that lets pages of an origin send
// requests by a method with each of the headers that a list with commas names, nil for none.
func FindCORSRule(rules []CORSRule, origin, method, headers string) *CORSRule {
	for i := range rules {
		// Origins differ by case, headers do not.
		r := &rules[i]
		allows := slices.Contains(r.Methods, method) && (r.ForAnyOrigin() || slices.Contains(r.Origins, origin))
		for header := range strings.SplitSeq(headers, ",") {
			header = strings.TrimSpace(header)
			allows = allows && (header == "" || slices.ContainsFunc(r.Allowed, func(pattern string) bool {
				prefix, open := strings.CutSuffix(pattern, "*")
				if open && len(header) >= len(prefix) {
					return strings.EqualFold(header[:len(prefix)], prefix)
				}
				return !open && strings.EqualFold(header, pattern)
			}))
		}
		if allows {
			return r
		}
	}
	return nil
}
