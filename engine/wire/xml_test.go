package wire_test

import (
	"encoding/xml"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// policiesText is a document of some SignedIdentifier elements.
func policiesText(identifiers ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers>`)
	for _, one := range identifiers {
		b.WriteString("<SignedIdentifier>" + one + "</SignedIdentifier>")
	}
	return b.String() + "</SignedIdentifiers>"
}

const retention = "<RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy>"

// propertiesText is a document of some settings.
func propertiesText(elements ...string) string {
	return `<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties>` + strings.Join(elements, "") + "</StorageServiceProperties>"
}

func loggingText(members string) string {
	return "<Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read><Write>true</Write>" + members + "</Logging>"
}

func metricsText(members string) string {
	return "<HourMetrics><Version>1.0</Version>" + members + "</HourMetrics>"
}

// corsRule is an element CorsRule; days is how long a browser goes by it.
func corsRule(origins, methods, age, exposed, allowed string) string {
	return "<CorsRule><AllowedOrigins>" + origins + "</AllowedOrigins><AllowedMethods>" + methods + "</AllowedMethods><MaxAgeInSeconds>" +
		age + "</MaxAgeInSeconds><ExposedHeaders>" + exposed + "</ExposedHeaders><AllowedHeaders>" + allowed + "</AllowedHeaders></CorsRule>"
}

// shown parses a document and writes it again: access policies, or else properties.
func shown(text string, policies bool) (again string, code entity.Code, detail string) {
	if policies {
		all, code, detail := wire.ParsePolicies(text)
		return string(wire.AppendPolicies(nil, all)), code, detail
	}
	p, code, detail := wire.ParseServiceProperties(text)
	return string(wire.AppendServiceProperties(nil, &p)), code, detail
}

func checkShown(t *testing.T, policies bool, rows []struct{ name, text, want string }) {
	t.Helper()
	for _, row := range rows {
		if got, code, detail := shown(row.text, policies); code != entity.OK || got != "\ufeff"+row.want {
			t.Errorf("%s: %s is %s %s, shown as %s; want %s", row.name, row.text, code, detail, got, row.want)
		}
	}
}

func TestPoliciesAreShownAsTheyWereSet(t *testing.T) {
	checkShown(t, true, []struct{ name, text, want string }{
		{"none at all", "", policiesText()},
		{"a mark and a blank", "\ufeff ", policiesText()},
		{"an empty list", "<SignedIdentifiers/>", policiesText()},
		{"everything", policiesText("<Id>a</Id><AccessPolicy><Start>2026-11-20T11:48:19.25Z</Start><Expiry>2030-01-01</Expiry><Permission>raud</Permission></AccessPolicy>"),
			policiesText("<Id>a</Id><AccessPolicy><Start>2026-11-20T11:48:19.2500000Z</Start><Expiry>2030-01-01T00:00:00.0000000Z</Expiry><Permission>raud</Permission></AccessPolicy>")},
		{"what is absent stays absent", policiesText("<Id>a</Id><AccessPolicy><Expiry>2030-01-01T12:10Z</Expiry></AccessPolicy>"),
			policiesText("<Id>a</Id><AccessPolicy><Expiry>2030-01-01T12:10:00.0000000Z</Expiry></AccessPolicy>")},
		{"an empty member is absent", policiesText("<Id>a</Id><AccessPolicy><Start/><Expiry></Expiry><Permission>r</Permission></AccessPolicy>"),
			policiesText("<Id>a</Id><AccessPolicy><Permission>r</Permission></AccessPolicy>")},
		{"no policy", policiesText("<Id>a</Id>", "<Id>b</Id><AccessPolicy/>"), policiesText("<Id>a</Id>", "<Id>b</Id>")},
		{"five, with blanks between the elements and a mark before them",
			"\ufeff" + strings.ReplaceAll(policiesText("<Id>1</Id>", "<Id>2</Id>", "<Id>3</Id>", "<Id>4</Id>", "<Id>5</Id>"), "><", ">\n <"),
			policiesText("<Id>1</Id>", "<Id>2</Id>", "<Id>3</Id>", "<Id>4</Id>", "<Id>5</Id>")},
		{"an Id that needs escaping", policiesText("<Id>&lt;ä&amp;&#xD;></Id>"), policiesText("<Id>&lt;ä&amp;&#xD;&gt;</Id>")},
		{"64 characters of more bytes", policiesText("<Id>" + strings.Repeat("ä", 64) + "</Id>"), policiesText("<Id>" + strings.Repeat("ä", 64) + "</Id>")},
		{"comments and instructions around it, and a document type in a comment", "<!-- <!DOCTYPE a> --><?a b?>" + policiesText("<Id>a<!-- b -->c</Id>") + "\n<!-- d --><?e?>\n", policiesText("<Id>ac</Id>")},
		{"text that looks like markup", policiesText("<Id><![CDATA[<!DOCTYPE>&]]></Id>"), policiesText("<Id>&lt;!DOCTYPE&gt;&amp;</Id>")},
		{"a name space and attributes", strings.Replace(policiesText("<Id>a</Id>"), "<SignedIdentifiers>", `<SignedIdentifiers xmlns="urn:x" a="b">`, 1), policiesText("<Id>a</Id>")},
	})
}

func TestPropertiesAreShownAsTheyWereSet(t *testing.T) {
	full := propertiesText(loggingText(retention),
		metricsText("<Enabled>true</Enabled><IncludeAPIs>false</IncludeAPIs>"+retention),
		"<MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></MinuteMetrics>",
		"<Cors>"+corsRule("http://a,http://b", "GET,PUT", "0", "x-a,x-b-*", "*")+corsRule("*", "MERGE", "2147483647", "", "")+"</Cors>")
	checkShown(t, false, []struct{ name, text, want string }{
		{"nothing", "<StorageServiceProperties/>", propertiesText()},
		{"everything", full, full},
		{"no rules, which is more than nothing", propertiesText("<Cors/>"), propertiesText("<Cors></Cors>")},
		{"blanks and cases", propertiesText("<Cors>" + corsRule(" http://a , ,http://b ", "get, Put", " 0 ", "x-a", "") + "</Cors>"),
			propertiesText("<Cors>" + corsRule("http://a,http://b", "GET,PUT", "0", "x-a", "") + "</Cors>")},
		{"the members in another order", propertiesText("<Logging>" + retention + "<Write>TRUE</Write><Read>False</Read><Delete>true</Delete><Version>1.0</Version></Logging>"),
			propertiesText(loggingText(retention))},
		{"a day", propertiesText(loggingText(strings.Replace(retention, "7", "1", 1))), propertiesText(loggingText(strings.Replace(retention, "7", "1", 1)))},
	})
}

func checkRefused(t *testing.T, policies bool, rows []refusal) {
	t.Helper()
	nothing, _, _ := shown("{}", policies)
	for _, row := range rows {
		got, code, detail := shown(row.text, policies)
		assert.Truef(t, code == row.want && got == nothing && detail != "" && !strings.Contains(detail, "\n"),
			"%s: %.200s = %s, %s, %q; want %s, a line of detail and nothing else", row.name, row.text, got, code, detail, row.want)
	}
}

func TestPoliciesAreRefused(t *testing.T) {
	policy := func(members string) string {
		return policiesText("<Id>a</Id><AccessPolicy>" + members + "</AccessPolicy>")
	}
	checkRefused(t, true, []refusal{
		{"no XML", "{}", entity.InvalidXMLDocument},
		{"no end", "<SignedIdentifiers>", entity.InvalidXMLDocument},
		{"two documents", policiesText() + "<SignedIdentifiers/>", entity.InvalidXMLDocument},
		{"another document", "<StorageServiceProperties/>", entity.InvalidXMLDocument},
		{"text around it", "a<SignedIdentifiers/>", entity.InvalidXMLDocument},
		{"text behind a comment", "<!-- -->a<SignedIdentifiers/>", entity.InvalidXMLDocument},
		{"text behind it", "<SignedIdentifiers/>a", entity.InvalidXMLDocument},
		{"the end of another element", "</document><document><SignedIdentifiers/>", entity.InvalidXMLDocument},
		{"text among elements", "<SignedIdentifiers>a<SignedIdentifier><Id>a</Id></SignedIdentifier></SignedIdentifiers>", entity.InvalidXMLDocument},
		{"a document type", "<!DOCTYPE a [<!ENTITY b 'c'>]>" + policiesText(), entity.InvalidXMLDocument},
		{"a document type in another case", "<!doctype a>" + policiesText(), entity.InvalidXMLDocument},
		{"a declaration of an entity alone", "<SignedIdentifiers><!ENTITY b 'c'></SignedIdentifiers>", entity.InvalidXMLDocument},
		{"elements too deep", strings.Repeat("<SignedIdentifiers>", 1600) + strings.Repeat("</SignedIdentifiers>", 1600), wire.UnsupportedXMLNode},
		{"elements without end", strings.Repeat("<a>", 21_000), entity.InvalidXMLDocument},
		{"an entity of its own", policiesText("<Id>&b;</Id>"), entity.InvalidXMLDocument},
		{"another encoding", `<?xml version="1.0" encoding="latin1"?><SignedIdentifiers/>`, entity.InvalidXMLDocument},
		{"too long", policiesText("<Id>" + strings.Repeat("a", 64<<10) + "</Id>"), entity.InvalidXMLDocument},
		{"six", policiesText("<Id>1</Id>", "<Id>2</Id>", "<Id>3</Id>", "<Id>4</Id>", "<Id>5</Id>", "<Id>6</Id>"), entity.InvalidXMLDocument},
		{"no Id", policiesText("<AccessPolicy/>"), entity.InvalidXMLDocument},
		{"an empty Id", policiesText("<Id/>"), entity.InvalidXMLDocument},
		{"an Id of 65 characters", policiesText("<Id>" + strings.Repeat("a", 65) + "</Id>"), entity.InvalidXMLDocument},
		{"two of one Id", policiesText("<Id>a</Id>", "<Id>a</Id>"), entity.InvalidXMLDocument},
		{"an element that it has not", policiesText("<Id>a</Id><Name>b</Name>"), wire.UnsupportedXMLNode},
		{"an element that the list has not", "<SignedIdentifiers><Id>a</Id></SignedIdentifiers>", wire.UnsupportedXMLNode},
		{"an element that the policy has not", policy("<End/>"), wire.UnsupportedXMLNode},
		{"a permission to list", policy("<Permission>rl</Permission>"), wire.InvalidXMLNodeValue},
		{"a permission twice", policy("<Permission>rr</Permission>"), wire.InvalidXMLNodeValue},
		{"a start that is no date", policy("<Start>soon</Start>"), wire.InvalidXMLNodeValue},
		{"an end that is no date", policy("<Expiry>2030-13-01</Expiry>"), wire.InvalidXMLNodeValue},
		{"a start of elements", policy("<Start><Start/></Start>"), wire.InvalidXMLNodeValue},
	})
}

func TestPropertiesAreRefused(t *testing.T) {
	rules := func(some ...string) string { return propertiesText("<Cors>" + strings.Join(some, "") + "</Cors>") }
	good := corsRule("*", "GET", "1", "", "")
	six := make([]string, 65)
	for i := range six {
		six[i] = fmt.Sprintf("http://%d", i)
	}
	checkRefused(t, false, []refusal{
		{"nothing", "", entity.InvalidXMLDocument},
		{"another document", policiesText(), entity.InvalidXMLDocument},
		{"an element that it has not", propertiesText("<StaticWebsite/>"), wire.UnsupportedXMLNode},
		{"logging twice", propertiesText(loggingText(retention), loggingText(retention)), entity.InvalidXMLDocument},
		{"logging without how long", propertiesText(loggingText("")), wire.MissingRequiredXMLNode},
		{"logging without a version", propertiesText(strings.Replace(loggingText(retention), "<Version>1.0</Version>", "", 1)), wire.MissingRequiredXMLNode},
		{"logging of another version", propertiesText(strings.Replace(loggingText(retention), "1.0", "2.0", 1)), wire.InvalidXMLNodeValue},
		{"logging that is neither", propertiesText(strings.Replace(loggingText(retention), "false", "maybe", 1)), wire.InvalidXMLNodeValue},
		{"logging without one of its switches", propertiesText(strings.Replace(loggingText(retention), "<Read>false</Read>", "", 1)), wire.MissingRequiredXMLNode},
		{"no days", propertiesText(loggingText(strings.Replace(retention, "7", "0", 1))), entity.InvalidXMLDocument},
		{"more than a year", propertiesText(loggingText(strings.Replace(retention, "7", "366", 1))), entity.InvalidXMLDocument},
		{"days that are no number", propertiesText(loggingText(strings.Replace(retention, "7", "a week", 1))), wire.InvalidXMLNodeValue},
		{"how long, without days", propertiesText(loggingText(strings.Replace(retention, "<Days>7</Days>", "", 1))), wire.MissingRequiredXMLNode},
		{"days for ever", propertiesText(loggingText(strings.Replace(retention, "true", "false", 1))), entity.InvalidXMLDocument},
		{"metrics without APIs", propertiesText(metricsText("<Enabled>true</Enabled>" + retention)), wire.MissingRequiredXMLNode},
		{"no metrics, with APIs", propertiesText(metricsText("<Enabled>false</Enabled><IncludeAPIs>true</IncludeAPIs>" + retention)), entity.InvalidXMLDocument},
		{"metrics that may be", propertiesText(metricsText(retention)), wire.MissingRequiredXMLNode},
		{"six rules", rules(good, good, good, good, good, good), entity.InvalidXMLDocument},
		{"a rule of another name", rules("<Rule/>"), wire.UnsupportedXMLNode},
		{"a rule without headers", rules(strings.Replace(good, "<ExposedHeaders></ExposedHeaders>", "", 1)), wire.MissingRequiredXMLNode},
		{"a rule with more than a rule has", rules(strings.Replace(good, "</CorsRule>", "<Name/></CorsRule>", 1)), wire.UnsupportedXMLNode},
		{"a rule for nobody", rules(corsRule(" ,", "GET", "1", "", "")), wire.InvalidXMLNodeValue},
		{"a rule for nothing", rules(corsRule("*", "", "1", "", "")), wire.InvalidXMLNodeValue},
		{"a method that is none", rules(corsRule("*", "GET,BREW", "1", "", "")), wire.InvalidXMLNodeValue},
		{"an age beyond all", rules(corsRule("*", "GET", "2147483648", "", "")), wire.InvalidXMLNodeValue},
		{"too many origins", rules(corsRule(strings.Join(six, ","), "GET", "1", "", "")), wire.InvalidXMLNodeValue},
		{"an origin too long", rules(corsRule("http://"+strings.Repeat("a", 250), "GET", "1", "", "")), wire.InvalidXMLNodeValue},
		{"a header of two lines", rules(corsRule("*", "GET", "1", "a\nb", "")), wire.InvalidXMLNodeValue},
		{"three prefixes", rules(corsRule("*", "GET", "1", "", "a*,b*,c*")), wire.InvalidXMLNodeValue},
		{"65 headers in full", rules(corsRule("*", "GET", "1", "", strings.ReplaceAll(strings.Join(six, ","), "http://", "x-"))), wire.InvalidXMLNodeValue},
	})
}

// FuzzACL reads whatever is sent for access policies: what is accepted is shown
// as XML that means the same, and keeps the bounds.
func FuzzACL(f *testing.F) {
	f.Add("")
	f.Add(policiesText("<Id>a</Id><AccessPolicy><Start>2026-11-20</Start><Expiry>2030-01-01T00:00:00Z</Expiry><Permission>raud</Permission></AccessPolicy>", "<Id>&#xD;&lt;</Id>"))
	f.Add("<!DOCTYPE a [<!ENTITY b 'c'>]><SignedIdentifiers/>")
	f.Fuzz(func(t *testing.T, text string) {
		all, code, detail := wire.ParsePolicies(text)
		if (code == entity.OK) != (detail == "") || len(all) > wire.MaxPolicies {
			t.Fatalf("ParsePolicies = %d policies, %s, %q; want %d at most, and a reason for none", len(all), code, detail, wire.MaxPolicies)
		}
		shown := wire.AppendPolicies(nil, all)
		wellFormedXML(t, string(shown))
		again, code, detail := wire.ParsePolicies(string(shown))
		if code != entity.OK || !reflect.DeepEqual(all, again) {
			t.Fatalf("ParsePolicies of %s = %+v, %s %s; want %+v", shown, again, code, detail, all)
		}
	})
}

// FuzzProperties does the same for the service's settings.
func FuzzProperties(f *testing.F) {
	f.Add(propertiesText(loggingText(retention), metricsText("<Enabled>true</Enabled><IncludeAPIs>false</IncludeAPIs>"+retention), "<Cors/>"))
	f.Add(propertiesText("<Cors>" + corsRule("http://a,*", "GET,MERGE", "200", "x-*", "x-ms-*,accept") + "</Cors>"))
	f.Add("<StorageServiceProperties><Cors><CorsRule/></Cors></StorageServiceProperties>")
	f.Fuzz(func(t *testing.T, text string) {
		p, code, detail := wire.ParseServiceProperties(text)
		if (code == entity.OK) != (detail == "") {
			t.Fatalf("ParseServiceProperties = %s, %q; want a reason for a refusal alone", code, detail)
		}
		wire.FindCORSRule(p.Cors, text, "GET", text)
		shown := wire.AppendServiceProperties(nil, &p)
		wellFormedXML(t, string(shown))
		again, code, detail := wire.ParseServiceProperties(string(shown))
		if code != entity.OK || !reflect.DeepEqual(p, again) {
			t.Fatalf("ParseServiceProperties of %s = %+v, %s %s; want %+v", shown, again, code, detail, p)
		}
	})
}

// wellFormedXML is another way to see whether a document is one.
func wellFormedXML(t *testing.T, text string) {
	t.Helper()
	var any struct {
		Inner string `xml:",innerxml"`
	}
	require.NoErrorf(t, xml.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &any), "%s is no XML", text)
}
