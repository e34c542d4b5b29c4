package ruling

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// suites is the root of the XML form: one suite, a test case for each scenario.
type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suite   suite    `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Cases    []testCase `xml:"testcase"`
}

// testCase is one ruling. At most one of the three pointers is there; none is a pass.
type testCase struct {
	Class      string      `xml:"classname,attr"`
	Name       string      `xml:"name,attr"`
	Properties *properties `xml:"properties"`
	Skipped    *complaint  `xml:"skipped"`
	Error      *complaint  `xml:"error"`
	Failure    *complaint  `xml:"failure"`
	Out        string      `xml:"system-out,omitempty"`
}

type properties struct {
	List []property `xml:"property"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// complaint is why a test case has not passed.
type complaint struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Lines   string `xml:",chardata"`
}

// JUnit prints rulings as the XML that servers of continuous integration read: a
// regression and a claim that fails are failures, an invalid run is an error, and what
// cannot be told is skipped, for it has not passed either.
func JUnit(w io.Writer, list []Ruling) error {
	document := suites{Suite: suite{Name: "loadgen gate", Tests: len(list)}}
	s := &document.Suite
	for i := range list {
		r := &list[i]
		one := testCase{Class: "loadgen.gate." + r.kind(), Name: plain(r.Scenario), Properties: r.properties()}
		why := &complaint{Type: r.Outcome.String(), Message: r.sentence(), Lines: strings.Join(r.lines(), "\n")}
		switch r.Outcome {
		case Same, Improved:
			one.Out = strings.Join(append([]string{r.Outcome.String() + ": " + r.sentence()}, r.lines()...), "\n")
		case Regressed, Failed:
			one.Failure, s.Failures = why, s.Failures+1
		case Invalid:
			one.Error, s.Errors = why, s.Errors+1
		default:
			// The element has no type.
			why.Type, why.Message = "", r.Outcome.String()+": "+why.Message
			one.Skipped, s.Skipped = why, s.Skipped+1
		}
		s.Cases = append(s.Cases, one)
	}
	text, err := xml.MarshalIndent(document, "", "  ")
	if err != nil {
		return fmt.Errorf("rulings as XML: %w", err)
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

// properties returns the numbers of a ruling: how many values differ, and of each metric
// what was judged.
func (r *Ruling) properties() *properties {
	list := []property{{"verdict", r.Outcome.String()}, {"exit_code", strconv.Itoa(r.Outcome.code())}}
	if r.Difference != nil {
		list = append(list, property{"values_that_differ", strconv.Itoa(r.Difference.Total)})
	}
	if r.Judgement != nil {
		for i := range r.Judgement.Findings {
			f := &r.Judgement.Findings[i]
			add := func(what, value string) { list = append(list, property{plain(f.Metric) + "." + what, value}) }
			add("a", decimal(f.A))
			add("b", decimal(f.B))
			add("change", decimal(f.Change))
			if f.Interval != nil {
				add("interval.low", decimal(f.Interval[0]))
				add("interval.high", decimal(f.Interval[1]))
			}
			add("p", decimal(f.P))
			add("p_holm", decimal(f.Adjusted))
			add("pairs", strconv.Itoa(f.Pairs))
		}
	}
	return &properties{list}
}

// decimal returns a number as it is.
func decimal(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
