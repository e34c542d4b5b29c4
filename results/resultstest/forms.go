package resultstest

import (
	"encoding/xml"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// JUnit is a JUnit file as other tools read it.
type JUnit struct {
	Suites []struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []JUnitCase `xml:"testcase"`
	} `xml:"testsuite"`
}

// JUnitCase is a test case, with at most one of the three results.
type JUnitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure *JUnitFault `xml:"failure"`
	Error   *JUnitFault `xml:"error"`
	Skipped *JUnitFault `xml:"skipped"`
	Out     string      `xml:"system-out"`
}

// JUnitFault says why a case failed or was skipped.
type JUnitFault struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// ReadJUnit reads a JUnit file of one suite.
func ReadJUnit(t testing.TB, text string) *JUnit {
	t.Helper()
	j := new(JUnit)
	require.NoErrorf(t, xml.Unmarshal([]byte(text), j), "the XML\n%s", text)
	require.Len(t, j.Suites, 1, "suites")
	return j
}

// CheckBenchmarks checks the grammar of golang.org/design/14313-benchmark-format and of unit
// metadata, and returns the names of the benchmarks. Other lines match an expression.
func CheckBenchmarks(t testing.TB, text, others string) (names []string) {
	t.Helper()
	config := regexp.MustCompile("^(" + others + ")$")
	unit := regexp.MustCompile(`^Unit \S+ better=(lower|higher)$`)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if config.MatchString(line) || unit.MatchString(line) {
			continue
		}
		fields := strings.Fields(line)
		if !strings.HasPrefix(line, "BenchmarkLoad/scenario=") || len(fields) < 4 || len(fields)%2 != 0 || fields[1] != "1" ||
			strings.Join(fields, " ") != line {
			t.Errorf("%q is no benchmark", line)
			continue
		}
		for i := 2; i < len(fields); i += 2 {
			_, err := strconv.ParseFloat(fields[i], 64)
			assert.NoErrorf(t, err, "%q", line)
		}
		names = append(names, fields[0])
	}
	return names
}
