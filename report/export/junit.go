package export

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"loadgen/results"
)

// Suite is a set of test cases with common properties.
type Suite struct {
	Name       string
	Properties []Property
	Cases      []Case
}

// Case is one test case.
type Case struct {
	// Class is a dotted path that groups cases.
	Class, Name string
	Status      Status
	// Kind and Message say what is wrong, in a word and a sentence. Lines are details, which
	// passed cases have, too.
	Kind, Message, Lines string
	Properties           []Property
}

type Property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Status is the result of a case.
type Status uint8

// The statuses. Error means that the case was not run properly, Skipped that it has too little data.
const (
	Passed Status = iota
	Failure
	Error
	Skipped
)

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

// JUnit writes a suite as XML. It sanitizes all texts except [Case.Lines].
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
			// Skipped elements have no type.
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
		return fmt.Errorf("export: encoding test cases: %w", err)
	}
	if _, err = io.WriteString(w, xml.Header+string(text)+"\n"); err != nil {
		return fmt.Errorf("export: writing test cases: %w", err)
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

// colours matches terminal escape sequences: names and reasons come from files.
var colours = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// Plain returns a text on one line, without control characters and terminal sequences.
// Invalid characters become U+FFFD.
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

// TestCases writes a run as JUnit XML. The first case, an error if the run is not valid, is its
// validity. Further cases are the checks, the search for a rate, and the verified writes.
// A case without enough data is skipped. The outcome of the run is a property.
func TestCases(w io.Writer, record *results.Record, summary *results.Summary) error {
	suite, m, ok := Suite{Name: "loadgen run"}, &record.Manifest, ""
	if summary.Ok != nil {
		ok = strconv.FormatBool(*summary.Ok)
	}
	suite.Properties = slices.DeleteFunc([]Property{
		{"state", summary.State}, {"ok", ok}, {"verdict", summary.Verdict}, {"scenario", m.Scenario.Name}, {"target", m.Target}, {"profile", m.Profile}, {"start", m.Start},
		{"time", m.Time}, {"seed", strconv.FormatUint(m.Seed, 10)}, {"started", summary.Started},
		{"duration_s", Decimal(summary.DurationS)}, {"operations", strconv.FormatInt(summary.Operations, 10)},
		{"attempts", strconv.FormatInt(summary.Attempts, 10)}, {"ok", strconv.FormatInt(summary.OkAttempts, 10)},
		{"throttled", strconv.FormatInt(summary.Throttled, 10)}, {"failed", strconv.FormatInt(summary.Failed, 10)},
	}, func(p Property) bool { return p.Value == "" })
	class := "loadgen.run." + Word(short(m.Scenario.Name))
	var reasons []string
	for _, reason := range summary.Reasons {
		reasons = append(reasons, Plain(reason))
	}
	valid := Case{Class: class, Name: "the run is valid", Kind: summary.Validity, Message: Plain(summary.Verdict),
		Lines: strings.Join(reasons, "\n")}
	if summary.Validity != results.Valid {
		valid.Status = Error
		valid.Message = strings.Join(append([]string{"the run is " + summary.Validity}, reasons...), "; ")
	}
	suite.Cases = append(suite.Cases, valid)
	for _, e := range summary.Checks {
		one := Case{Class: class, Name: short(e.Expr), Kind: "check", Message: short("observed " + e.Value()), Lines: short("observed " + e.Value())}
		switch {
		case e.Fails():
			one.Status = Failure
		case !e.IsJudged():
			one.Status, one.Kind, one.Message, one.Lines = Skipped, results.CannotTell, short(e.Observation()), ""
		}
		suite.Cases = append(suite.Cases, one)
	}
	if l := summary.Limit; l != nil {
		one := Case{Class: class, Name: "a rate holds", Kind: "limit", Message: Plain(summary.Verdict), Lines: Plain(summary.Verdict)}
		switch {
		case summary.State == results.CannotTell:
			one.Status, one.Kind, one.Lines = Skipped, results.CannotTell, ""
		case l.Held == nil:
			one.Status = Failure
		}
		suite.Cases = append(suite.Cases, one)
	}
	if a := summary.Audit; a != nil {
		said := fmt.Sprintf("%d acknowledged writes are lost, %d counters were raised too often", a.Lost, a.Doubled)
		one := Case{Class: class, Name: "every acknowledged write is there, once", Kind: "audit", Message: said, Lines: said}
		if !a.Sound() {
			one.Status = Failure
		}
		suite.Cases = append(suite.Cases, one)
	}
	return JUnit(w, &suite)
}
