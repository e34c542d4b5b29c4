package gate_test

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare/gate"
)

// soundForm holds a form to what must be true of it whatever it is about.
func soundForm(t testing.TB, f gate.Form, list []gate.Result) {
	t.Helper()
	text := printed(t, f, list)
	for _, r := range text {
		if (unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r)) && f.Name != "json" {
			t.Errorf("%s holds %q:\n%q", f.Name, r, text)
			break
		}
	}
	switch lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n"); f.Name {
	case "junit":
		if s := read(t, text).Suites[0]; s.Tests != len(list) || len(s.Cases) != len(list) || s.Failures+s.Errors+s.Skipped > len(list) {
			t.Errorf("the suite is %+v; want %d cases", s, len(list))
		}
	case "github":
		if len(list) > 0 {
			soundAnnotations(t, lines)
		}
	case "benchfmt":
		if text != "" {
			soundBench(t, lines)
		}
	}
}

// soundAnnotations checks that each line is one command, and how many there are.
func soundAnnotations(t testing.TB, lines []string) {
	t.Helper()
	kinds := map[string]int{}
	for _, line := range lines {
		kind, rest, found := strings.Cut(strings.TrimPrefix(line, "::"), " title=")
		title, _, ended := strings.Cut(rest, "::")
		assert.Truef(t, found && ended && strings.HasPrefix(line, "::") && !strings.ContainsAny(title, ":,") && (kind == "error" || kind == "warning" || kind == "notice"),
			"%q is no annotation", line)
		if kinds[kind]++; kinds[kind] > 10 {
			t.Errorf("%d annotations of kind %s; want 10 at most", kinds[kind], kind)
		}
	}
}

// soundBench checks the grammar of golang.org/design/14313-benchmark-format and of unit
// metadata.
func soundBench(t testing.TB, lines []string) {
	t.Helper()
	for _, line := range lines {
		fields := strings.Fields(line)
		switch {
		case line == "build: A" || line == "build: B":
		case strings.HasPrefix(line, "Unit "):
			assert.Truef(t, len(fields) == 3 && (fields[2] == "better=lower" || fields[2] == "better=higher"),
				"%q is no unit", line)
		default:
			if !strings.HasPrefix(line, "BenchmarkLoad/scenario=") || len(fields) < 4 || len(fields)%2 != 0 || fields[1] != "1" || strings.Join(fields, " ") != line {
				t.Errorf("%q is no benchmark", line)
				continue
			}
			for i := 2; i < len(fields); i += 2 {
				var value float64
				if _, err := fmt.Sscan(fields[i], &value); err != nil {
					t.Errorf("%q: %q is no number", line, fields[i])
				}
			}
		}
	}
}

// junit is what a reader of the XML form makes of it.
type junit struct {
	Suites []struct {
		Name                             string `xml:"name,attr"`
		Tests, Failures, Errors, Skipped int    `xml:",attr"`
		Cases                            []struct {
			Name                    string `xml:"name,attr"`
			Failure, Error, Skipped *struct {
				Type    string `xml:"type,attr"`
				Message string `xml:"message,attr"`
				Text    string `xml:",chardata"`
			}
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// read returns the XML form as others read it.
func read(t testing.TB, text string) junit {
	t.Helper()
	// encoding/xml matches attributes by their exact names.
	for _, name := range []string{"Tests", "Failures", "Errors", "Skipped"} {
		text = strings.Replace(text, " "+strings.ToLower(name)+"=", " "+name+"=", 1)
	}
	for _, name := range []string{"Failure", "Error", "Skipped"} {
		low := strings.ToLower(name)
		text = strings.NewReplacer("<"+low+" ", "<"+name+" ", "</"+low+">", "</"+name+">").Replace(text)
	}
	var got junit
	err := xml.Unmarshal([]byte(text), &got)
	require.Equal(t, []any{nil, 1}, []any{err, len(got.Suites)}, "the XML form")
	return got
}
