package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loadgen/results"
)

// ownTable is a scenario file as a user writes one.
const ownTable = `name: own
seed: 7
workers: 64
model: {profile: documented, partition_target: 200}
attributes:
  event: {list: [NYC, Berlin], weights: [3, 1]}
  bib: {sequence: 1}
entity: {size: 300, filler: Notes}
design: {partition_key: "{event}", row_key: "{bib}"}
phases:
  - name: load
    load: {entities: 200, transaction: 100, lanes: 4}
  - name: measure
    traffic:
      arrivals: {constant: 100}
      for: 2s
      operations: [{verb: get}, {verb: insert}]
`

// ownFiles writes the scenario and traces into a folder of their own below the one
// that the test runs in.
func ownFiles(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	traced := strings.NewReplacer("arrivals: {constant: 100}", "arrivals: {trace: rows.csv}", "      for: 2s\n", "")
	for name, text := range map[string]string{
		"own.yaml": ownTable, "traced.yaml": traced.Replace(ownTable), "broken.yaml": strings.Replace(ownTable, "for: 2s", "for: 0s", 1),
		"lost.yaml":     strings.Replace(traced.Replace(ownTable), "rows.csv", "nowhere.csv", 1),
		"disorder.yaml": strings.Replace(traced.Replace(ownTable), "rows.csv", "disorder.csv", 1),
		"weights.yaml":  strings.Replace(ownTable, "[{verb: get}, {verb: insert}]", "[{verb: get, weight: 0}]", 1),
		"rows.csv":      "0,get,NYC,1\n0.5,insert,Rome,1\n1.5,get,Berlin,2\n", "disorder.csv": "0,get,NYC,1\n2,get,NYC,1\n1,get,NYC,1\n",
	} {
		if err := os.MkdirAll("tables", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("tables", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// What cannot be run is told in one line with its place, and nothing is left
// behind.
func TestBadScenarioFiles(t *testing.T) {
	for _, row := range []struct {
		sentence string
		args     []string
		says     string
	}{
		{"no scenario", []string{"run"}, "takes one scenario"},
		{"two scenarios", []string{"run", "stress", "simulate"}, "and got 2"},
		{"a name that is nearly one", []string{"run", "strss"}, `did you mean "stress"?`},
		{"a file that is not there", []string{"run", "tables/none.yaml"}, "tables/none.yaml cannot be read: no such file"},
		{"a folder", []string{"run", "tables"}, "is a directory"},
		{"a phase of zero length", []string{"run", "tables/broken.yaml"}, "tables/broken.yaml:16:12: for is 0s; expected a duration"},
		{"weights that sum to zero", []string{"run", "tables/weights.yaml"}, "tables/weights.yaml:17:19: the weights of all operations are 0"},
		{"a trace that is not there", []string{"run", "tables/lost.yaml"}, "tables/lost.yaml:15:25: the trace cannot be read: no such file"},
		{"a trace out of order", []string{"run", "tables/disorder.yaml"}, "disorder.csv:3:1: the instant 1 lies before that of the row above"},
		{"the same, simulated", []string{"simulate", "tables/disorder.yaml"}, "disorder.csv:3:1: the instant 1 lies before that of the row above"},
		{"a setting of an arrival that does not exist", []string{"run", "tables/own.yaml", "--set", "phases.measure.arrivals.constnt=5"}, `did you mean "constant"?`},
		{"a policy that does not exist", []string{"run", "tables/own.yaml", "--retry", "shrt"}, "--retry"},
		{"more workers than a scenario can have", []string{"run", "tables/own.yaml", "--workers", "100001"}, "--workers"},
	} {
		ownFiles(t)
		before := len(leftIn(t, "."))
		code, stdout, stderr := say(t, row.args...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: exit code %d, %q on stdout and %q on stderr; want %d and one line on stderr with %q",
				row.sentence, code, stdout, stderr, codeUsage, row.says)
		}
		if left := leftIn(t, "."); len(left) != before {
			t.Errorf("%s: left %v behind; want nothing new", row.sentence, left)
		}
	}
}

func TestSimulateScenarioFiles(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		sentence string
		args     []string
		code     int
		says     string
	}{
		{"a file of one's own", []string{"tables/own.yaml"}, codeOk, "scheduled sent dropped late completed 206 206 0 0 206"},
		{"with another rate", []string{"tables/own.yaml", "--set", "phases.measure.arrivals.constant=50"}, codeOk, "scheduled sent dropped late completed 106 106 0 0 106"},
		{"a trace beside it", []string{"tables/traced.yaml"}, codeOk, "scheduled sent dropped late completed 9 9 0 0 9"},
		{"a budget that is exceeded", []string{"tables/own.yaml", "--retry", "none", "--set", "phases.measure.arrivals.constant=2000",
			"--set", "phases.measure.for=1m", "--set", "phases.measure.stop_on=[throttled > 10%]"}, codeExpectation, "the run was stopped"},
	} {
		ownFiles(t)
		code, stdout, stderr := say(t, append([]string{"simulate", "--verbose", "--quiet", "--one-profile"}, row.args...)...)
		if code != row.code || !strings.Contains(strings.Join(strings.Fields(stdout), " "), row.says) {
			t.Errorf("%s: exit code %d, %q on stderr, and on stdout\n%s\nwant %d and %q", row.sentence, code, stderr, stdout, row.code, row.says)
		}
		if row.code != codeOk && !strings.Contains(stderr, "stop_on is throttled > 10%") {
			t.Errorf("%s: said %q on stderr; want the budget", row.sentence, stderr)
		}
	}
}

func TestRecordSaysWhatStoppedTheRun(t *testing.T) {
	ownFiles(t)
	say(t, "simulate", "--quiet", "--one-profile", "--out", "run", "tables/own.yaml", "--retry", "none", "--set", "phases.measure.arrivals.constant=2000",
		"--set", "phases.measure.stop_on=[throttled > 10%]")
	record, err := results.Read(results.Dir("run"))
	if err != nil || record.Validity != results.Partial || len(record.Reasons) != 1 || record.EndedBy != results.EndedByStopOn {
		t.Errorf("the record is %s for %q, ended by %q, %v; want partial, stopped by stop_on", record.Validity, record.Reasons, record.EndedBy, err)
	}
}
