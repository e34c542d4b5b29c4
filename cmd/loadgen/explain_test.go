package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	explanation "loadgen/scenarios/advise"
)

func TestBadUseOfExplainIsOneLine(t *testing.T) {
	leftOutWhenShort(t)
	choiceIn(t)
	for name, text := range map[string]string{"typo.csv": "PartitionKy,RowKey\na,b\n", "empty.csv": "", "good.csv": "a\nb\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		sentence string
		args     []string
		says     string
	}{
		{"nothing to explain", nil, "takes one scenario"},
		{"two scenarios", []string{"stress", "simulate"}, "and got 2"},
		{"a name that is nearly one", []string{"strss"}, `did you mean "stress"?`},
		{"a file that is not there", []string{"none.yaml"}, "none.yaml cannot be read"},
		{"a design that does not exist", []string{"choice.yaml", "--use", "by-bob"}, `did you mean "by-bib"?`},
		{"a value that cannot be", []string{"stress", "--set", "seed=x"}, "--set seed"},
		{"a format that does not exist", []string{"stress", "--format", "yaml"}, `--format "yaml": expected text, json, md, csv or html`},
		{"a rate for a scenario", []string{"stress", "--rate", "5"}, "--rate is that of the keys of --from"},
		{"an anti-pattern where there is none", []string{"plain.yaml", "--anti-pattern"}, "has none"},
		{"a scenario and keys", []string{"stress", "--from", "good.csv"}, "expected one of them"},
		{"an override of keys", []string{"--from", "good.csv", "--set", "seed=5"}, "--set belongs to a scenario"},
		{"a design of keys", []string{"--from", "good.csv", "--use", "x"}, "--use belongs to a scenario"},
		{"keys that are not there", []string{"--from", "none.csv"}, "the keys none.csv cannot be read: no such file"},
		{"keys that are a folder", []string{"--from", "."}, "cannot be read"},
		{"no name of keys", []string{"--from="}, "--from: expected a value"},
		{"a column with a typo", []string{"--from", "typo.csv"}, `typo.csv:1: unknown column "PartitionKy"; did you mean "PartitionKey"?`},
		{"no keys", []string{"--from", "empty.csv"}, "there is no key"},
		{"no rate", []string{"--from", "good.csv", "--rate", "0"}, "--rate 0: expected entities per second"},
		{"a rate that is no number", []string{"--from", "good.csv", "--rate", "NaN"}, "--rate NaN: expected"},
	} {
		code, stdout, stderr := say(t, append([]string{"explain"}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: exit code %d, %q on stdout and %q on stderr; want %d and one line on stderr with %q",
				row.sentence, code, stdout, stderr, codeUsage, row.says)
		}
	}
	if left := leftIn(t, "."); len(left) != 5 {
		t.Errorf("explain left %v behind; want nothing new", left)
	}
}

func TestExplainJudgesTheDesignInUse(t *testing.T) {
	leftOutWhenShort(t)
	choiceIn(t)
	for _, row := range []struct {
		sentence string
		args     []string
		code     int
		says     string
	}{
		{"the design in use holds", nil, codeOk, "✓ HOLDS 300 operations/s"},
		{"another does not", []string{"--use", "by-event"}, codeExpectation, "Use the design by-bib"},
		{"nor does the anti-pattern", []string{"--anti-pattern"}, codeExpectation, "✗ DOES NOT HOLD 300 operations/s; 2 of 2 checks fail"},
		{"with a target of its own it does", []string{"--use", "by-event", "--set", "model.partition_target=2000", "--set", "expect=[]"}, codeOk, "of 2,000/s a partition"},
	} {
		code, stdout, _ := say(t, append([]string{"explain", "choice.yaml"}, row.args...)...)
		if code != row.code || !strings.Contains(stdout, row.says) {
			t.Errorf("%s: exit code %d; want %d and %q in\n%s", row.sentence, code, row.code, row.says, stdout)
		}
		_, spelled, _ := say(t, append([]string{"explain", "choice.yaml", "--format", "json"}, row.args...)...)
		var e explanation.Explanation
		if err := json.Unmarshal([]byte(spelled), &e); err != nil {
			t.Fatalf("%s: %v in\n%s", row.sentence, err, spelled)
		}
		if holds := e.Ok != nil && *e.Ok; holds != (row.code == codeOk) || len(e.Designs) != 2 || e.Scenario != "choice" {
			t.Errorf("%s: the JSON is of %s, %d designs, %s; want the same as the text", row.sentence, e.Scenario, len(e.Designs), e.State)
		}
	}
	if left := leftIn(t, "."); len(left) != 2 {
		t.Errorf("explain left %v behind; want nothing new", left)
	}
}

// What explain says of the number of requests and of entities is what a run sends.
func TestExplainForecastsWhatARunSends(t *testing.T) {
	leftOutWhenShort(t)
	choiceIn(t)
	_, spelled, _ := say(t, "explain", "choice.yaml", "--format", "json")
	var e explanation.Explanation
	if err := json.Unmarshal([]byte(spelled), &e); err != nil {
		t.Fatal(err)
	}
	_, ran, stderr := say(t, "simulate", "choice.yaml", "--one-profile", "--quiet", "--format", "json")
	var s struct {
		Attempts int64 `json:"attempts"`
		Entities int64 `json:"entities_counted"`
	}
	if err := json.Unmarshal([]byte(ran), &s); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	if s.Attempts != e.Cost.Requests || s.Entities != e.Cost.Entities {
		t.Errorf("explain says %d requests and %d entities; a run sends %d and counts %d", e.Cost.Requests, e.Cost.Entities, s.Attempts, s.Entities)
	}
}

func TestExplainReadsTheFilesOfAScenario(t *testing.T) {
	leftOutWhenShort(t)
	choiceIn(t)
	if err := os.Mkdir("tables", 0o700); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(twoDesigns, "event: {list: [NYC]}", "event: {csv: {file: events.csv, column: event}}", 1)
	for name, text := range map[string]string{"choice.yaml": text, "events.csv": "event\nNYC\nBerlin\n"} {
		if err := os.WriteFile(filepath.Join("tables", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := say(t, "explain", filepath.Join("tables", "choice.yaml"), "--verbose")
	if code != codeOk || !strings.Contains(stdout, "Berlin") {
		t.Errorf("explain = %d %s\n%s\nwant what the file beside the scenario holds", code, stderr, stdout)
	}
}

func TestExplainFromStandardInput(t *testing.T) {
	leftOutWhenShort(t)
	var keys strings.Builder
	keys.WriteString("PartitionKey\n")
	for i := range 1000 {
		fmt.Fprintf(&keys, "%d\n", i%4)
	}
	for _, row := range []struct {
		sentence string
		args     []string
		code     int
		says     string
	}{
		{"no rate, and no instants", nil, codeInconclusive, "? CANNOT TELL: at most 8,000 entities/s"},
		{"a rate that they may carry", []string{"--rate", "4000"}, codeInconclusive, "? CANNOT TELL at 4,000 entities/s"},
		{"a rate that they do not", []string{"--rate", "9000"}, codeExpectation, "✗ DOES NOT HOLD at 9,000 entities/s"},
	} {
		args := append([]string{"explain", "--from", "-"}, row.args...)
		code, stdout, stderr := speak(keys.String(), args...)
		if code != row.code || !strings.Contains(stdout, row.says) || stderr != "" {
			t.Errorf("%s: exit code %d, %q on stderr; want %d and %q in\n%s", row.sentence, code, stderr, row.code, row.says, stdout)
		}
		_, spelled, _ := speak(keys.String(), append(args, "--format", "json")...)
		var k explanation.Keys
		if err := json.Unmarshal([]byte(spelled), &k); err != nil || k.Rows != 1000 || k.Spread.Partitions != 4 || k.File != stdinName {
			t.Errorf("%s: %v, the JSON is %+v; want 1,000 rows of 4 partitions", row.sentence, err, k)
		}
	}
}

// Keys that are formed from columns are judged by the rate, and ranked; what cannot be done
// with a file or a template is one line.
func TestExplainFromColumns(t *testing.T) {
	leftOutWhenShort(t)
	var rows strings.Builder
	rows.WriteString("year,division,bib,finished\n")
	for i := range 3000 {
		fmt.Fprintf(&rows, "2014,%d,%d,%d\n", i%3, i, 1_780_000_000+i)
	}
	for _, row := range []struct {
		sentence string
		args     []string
		code     int
		says     string
	}{
		{"a rate that is carried", []string{"--partition-key", "{year}__{division}", "--row-key", "{bib}", "--time", "finished", "--rate", "5000"}, codeOk, "✓ HOLDS at 5,000 entities/s"},
		{"one that is not", []string{"--partition-key", "{year}", "--row-key", "{bib}", "--time", "finished", "--rate", "5000"}, codeExpectation, "✗ DOES NOT HOLD at 5,000"},
		{"the better of two", []string{"--partition-key", "{year}", "--partition-key", "{year}__{division}", "--row-key", "{bib}", "--time", "finished", "--rate", "5000"}, codeOk, "PartitionKey {year}__{division}."},
		{"no times", []string{"--partition-key", "{year}__{division}"}, codeInconclusive, "in the order of the file they come spread"},
		{"no template", nil, codeUsage, `stdin:1: no column is called PartitionKey; expected one, or --partition-key with a template of columns, such as "{year}": year, division, bib, finished`},
		{"a column that is not there", []string{"--partition-key", "{yaer}"}, codeUsage, `stdin:1: unknown column "yaer"; did you mean "year"?`},
		{"no function", []string{"--partition-key", "{hsh(bib,4)}"}, codeUsage, `did you mean "hash"?`},
		{"two RowKeys for three designs", []string{"--partition-key", "a", "--partition-key", "b", "--partition-key", "c", "--row-key", "a", "--row-key", "b"}, codeUsage, "2 of --row-key for 3 of --partition-key"},
		{"a RowKey alone", []string{"--row-key", "{bib}"}, codeUsage, "--row-key belongs to --partition-key"},
		{"no rate", []string{"--partition-key", "{year}", "--rate", "0"}, codeUsage, "--rate 0: expected entities per second"},
	} {
		code, stdout, stderr := speak(rows.String(), append([]string{"explain", "--from", "-"}, row.args...)...)
		if code != row.code || !strings.Contains(strings.Join(strings.Fields(stdout+stderr), " "), row.says) || code == codeUsage && (stdout != "" || strings.Count(stderr, "\n") != 1) {
			t.Errorf("%s: exit code %d, %q on stderr; want %d and %q in\n%s", row.sentence, code, stderr, row.code, row.says, stdout)
		}
	}
	if code, _, stderr := say(t, "explain", "stress", "--partition-key", "{a}"); code != codeUsage || !strings.Contains(stderr, "--partition-key is about the columns of --from") {
		t.Errorf("a template for a scenario: %d, %q", code, stderr)
	}
}
