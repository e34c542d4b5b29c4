package export

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Suite is test cases that belong together.
type Suite struct {
	Name string
	// Properties are of all of them.
	Properties []Property
	Cases      []Case
}

// Case is one test case.
type Case struct {
	// Class groups cases, by words with dots between them.
	Class, Name string
	Status      Status
	// Kind is a word for what is wrong, Message the sentence that says it, and Lines what
	// there is to read below; a case that passed has lines alone.
	Kind, Message, Lines string
	Properties           []Property
}

// Property is a value with a name.
type Property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Status is what became of a case.
type Status uint8

// The statuses.
const (
	Passed Status = iota
	// Failure: what was claimed is not so.
	Failure
	// Error: the case could not be carried out as it should.
	Error
	// Skipped: it cannot be told.
	Skipped
)

// The elements of the XML.
type (
	suitesElement struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suite   suiteElement `xml:"testsuite"`
	}
	suiteElement struct {
		Name       string             `xml:"name,attr"`
		Tests      int                `xml:"tests,attr"`
		Failures   int                `xml:"failures,attr"`
		Errors     int                `xml:"errors,attr"`
		Skipped    int                `xml:"skipped,attr"`
		Properties *propertiesElement `xml:"properties"`
		Cases      []caseElement      `xml:"testcase"`
	}
	caseElement struct {
		Class      string             `xml:"classname,attr"`
		Name       string             `xml:"name,attr"`
		Properties *propertiesElement `xml:"properties"`
		Skipped    *complaint         `xml:"skipped"`
		Error      *complaint         `xml:"error"`
		Failure    *complaint         `xml:"failure"`
		Out        string             `xml:"system-out,omitempty"`
	}
	propertiesElement struct {
		List []Property `xml:"property"`
	}
	complaint struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Lines   string `xml:",chardata"`
	}
)

// JUnit writes a suite as XML. Every text is on one line but [Case.Lines], whose lines the
// caller owes plain. Its error is the writer's, wrapped.
func JUnit(w io.Writer, s *Suite) error {
	document := suitesElement{Suite: suiteElement{Name: Plain(s.Name), Tests: len(s.Cases), Properties: propertiesOf(s.Properties)}}
	suite := &document.Suite
	for i := range s.Cases {
		c := &s.Cases[i]
		one := caseElement{Class: Plain(c.Class), Name: Plain(c.Name), Properties: propertiesOf(c.Properties)}
		why := &complaint{Type: Plain(c.Kind), Message: Plain(c.Message), Lines: c.Lines}
		switch c.Status {
		case Failure:
			one.Failure = why
			suite.Failures++
		case Error:
			one.Error = why
			suite.Errors++
		case Skipped:
			// The element has no type.
			why.Type, why.Message = "", Plain(c.Kind+": "+c.Message)
			one.Skipped = why
			suite.Skipped++
		default:
			one.Out = c.Lines
		}
		suite.Cases = append(suite.Cases, one)
	}
	text, err := xml.MarshalIndent(document, "", "  ")
	if err != nil {
		return fmt.Errorf("forms: test cases as XML: %w", err)
	}
	if _, err = io.WriteString(w, xml.Header+string(text)+"\n"); err != nil {
		return fmt.Errorf("forms: writing test cases: %w", err)
	}
	return nil
}

func propertiesOf(list []Property) *propertiesElement {
	if len(list) == 0 {
		return nil
	}
	element := new(propertiesElement)
	for _, p := range list {
		element.List = append(element.List, Property{Plain(p.Name), Plain(p.Value)})
	}
	return element
}

// colours are what terminals take for commands: names and reasons come from files, and
// must not colour, move or erase what stands beside them.
var colours = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// Plain returns a text on one line, without what controls a terminal or the direction
// of writing. Whatever no encoding holds becomes U+FFFD.
func Plain(text string) string {
	text = colours.ReplaceAllString(strings.ToValidUTF8(text, string(utf8.RuneError)), "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		case r == '\ufffe' || r == '\uffff':
			return utf8.RuneError
		}
		return r
	}, text))
}
