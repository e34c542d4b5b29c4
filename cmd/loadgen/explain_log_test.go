package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"loadgen/results"
)

// logLine is a line of a Storage Analytics log, made by hand from its description: the
// millisecond of a minute, the operation's status, the keys.
func logLine(at int, status, partition, row string) string {
	code := map[string]int{"Success": 204, "ThrottlingError": 503}[status]
	return fmt.Sprintf(`1.0;2026-11-22T10:00:%02d.%03d0000Z;DeleteEntity;%s;%d;12;5;authenticated;races;races;table;"https://races.table.core.windows.net/Runners(PartitionKey=&#39;%s&#39;,RowKey=&#39;%s&#39;)";"/races/Runners";id-%d;0;10.0.0.1:1;2019-02-02;;0;;0;0;;;;;;ua;;c-%d`,
		at/1000, at%1000, status, code, partition, row, at, at)
}

// 3,000 requests on one partition in a second and a half, of which every fourth is throttled.
func hotLog() string {
	var lines []string
	for i := range 3000 {
		status := "Success"
		if i%4 == 0 {
			status = "ThrottlingError"
		}
		lines = append(lines, logLine(1000+i/2, status, []string{"hot", "hot", "hot", "cool"}[i*7%4], fmt.Sprint(i)))
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestExplainALog(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("table.log", []byte(hotLog()), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := say(t, "explain", "--log", "table.log", "--quiet")
	// No two lines share a request's id but for those of one millisecond, which are one request.
	for _, want := range []string{"explain --log · by the log of a table", `"hot"`, "3,000 lines of 1 file, 2026-11-22 10:00:01 to 2026-11-22 10:00:02"} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("explain --log: %d, %s\n%s\nwant %q", code, stderr, stdout, want)
		}
	}
	_, stdout, _ = say(t, "explain", "--log", "table.log", "--quiet", "--format", "json")
	var told struct {
		Lines int64 `json:"lines"`
		Twice int64 `json:"lines_twice"`
	}
	if err := json.Unmarshal([]byte(stdout), &told); err != nil || told.Lines != 3000 || told.Twice != 1500 {
		t.Errorf("as JSON: %v, %+v; want 3,000 lines, half of them twice", err, told)
	}
	for _, form := range []string{"html", "md", "csv"} {
		if code, stdout, stderr := say(t, "explain", "--log", "table.log", "--quiet", "--format", form); code != 0 || !strings.Contains(stdout, "hot") {
			t.Errorf("as %s: %d, %s", form, code, stderr)
		}
	}
}

// A log asks for nothing: that its load was not sustained is marked, and fails, with --strict
// alone. Of a partition 300 requests a second are asked for 8 s, of which so many are throttled.
func TestOnlyAStrictLogFails(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, throttledOfThree := range map[string]int{"over.log": 2, "within.log": 0} {
		var lines []string
		for i := range 2400 {
			status := "Success"
			if i%3 < throttledOfThree {
				status = "ThrottlingError"
			}
			lines = append(lines, logLine(1000+10*i/3, status, "hot", fmt.Sprint(i)))
		}
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("short.log", []byte(hotLog()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args string
		code int
		mark string
	}{
		{"over.log", codeOk, " • SATURATES"},
		{"over.log --strict", codeExpectation, " ✗ SATURATES"},
		{"within.log", codeOk, " ✓ HOLDS"},
		{"within.log --strict", codeOk, " ✓ HOLDS"},
		{"short.log", codeOk, " ? CANNOT TELL"},
		{"short.log --strict", codeInconclusive, " ? CANNOT TELL"},
	} {
		code, stdout, stderr := say(t, append([]string{"explain", "--quiet", "--log"}, strings.Fields(row.args)...)...)
		if code != row.code || !strings.Contains(stdout, "\n"+row.mark) {
			t.Errorf("explain --log %s: %d; want %d and a line that begins with %q\n%s%s", row.args, code, row.code, row.mark, stdout, stderr)
		}
	}
}

func TestExplainNoLog(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"table.log": logLine(0, "Success", "p", "r"), "short": "secret", "blob.log": strings.Replace(logLine(0, "Success", "p", "r"), ";table;", ";blob;", 1)} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct{ args, want string }{
		{"--log absent", "absent cannot be read: no such file or directory"},
		{"--log blob.log", `blob.log:1: the line is of the service "blob"; expected table, whose logs lie under $logs/table/`},
		{"--log table.log blob.log", "blob.log:1: the line is of the service"},
		{"--log table.log --table Clubs", `unknown table "Clubs"`},
		{"--log table.log --from keys.csv", "--from and --log: expected one of them"},
		{"stress --strict", "--strict is about a log; expected --log with it"},
		{"--table Runners stress", "--table is about a log; expected --log with it"},
		{"--log table.log --transaction-entities 101", "--transaction-entities 101: expected 1 to 100"},
		{"--log table.log --entity-bytes -1", "--entity-bytes -1: expected 1 to 1,048,576"},
		{"--log table.log --hash-keys short", "--hash-keys short has 6 bytes; expected 16 or more"},
		{"--log table.log --hash-keys absent", "--hash-keys absent cannot be read: no such file or directory"},
	} {
		code, _, stderr := say(t, append([]string{"explain", "--quiet"}, strings.Fields(row.args)...)...)
		if code != 2 || !strings.Contains(stderr, row.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("explain %s: %d, %q; want 2, %q", row.args, code, stderr, row.want)
		}
	}
}

func TestReplayOfALog(t *testing.T) {
	t.Chdir(t.TempDir())
	design := `name: mine
attributes: {half: {list: [hot, cool]}, id: {sequence: 1}}
designs:
  - {name: by-id, partition_key: "{id}", row_key: "{half}"}
  - {name: by-half, partition_key: "{half}", row_key: "{id}"}
use: by-id
phases: [{name: go, traffic: {arrivals: {constant: 1}, for: 1s, operations: [{verb: insert}]}}]
`
	for name, text := range map[string]string{"table.log": hotLog(), "mine.yaml": design,
		"slow.yaml": strings.NewReplacer("300", "100", "299", "99", "301", "101").Replace(aProfile), "blob.log": strings.Replace(logLine(0, "Success", "p", "r"), ";table;", ";blob;", 1)} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir("run", 0o755), os.WriteFile("run/"+results.RunFile, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	pattern := "--partition-key {half} --row-key {id} "
	for _, row := range []struct {
		sentence, args string
		code           int
		want           string
	}{
		{"the keys of the log hold it", "table.log", 0, "HOLDS: the keys of the log hold its operations"},
		{"under less of a target they do not", "table.log --set model.partition_target=100 --retry none", 10, "DOES NOT HOLD"},
		{"nor under what was measured, and it is said where", "table.log --profile slow.yaml --retry none", 10, "limits of profile slow.yaml, measured at tables.example:443 on 2026-11-25"},
		{"a value of a profile file gives way to one that is set", "table.log --profile slow.yaml --retry none --set model.partition_target=2000", 0, "HOLDS"},
		{"a profile of nobody", "table.log --profile documentd", 2, `did you mean "documented"?`},
		{"a profile file that is none", "table.log --profile mine.yaml", 2, "this is no profile"},
		{"another design does", pattern + "table.log mine.yaml --use by-id --set model.partition_target=100", 0, "design by-id would have held the log"},
		{"of all designs the best counts", pattern + "table.log mine.yaml --set model.partition_target=100", 0, "by-half"},
		{"nothing to replay", "", 2, "takes the log of a table, a file or a folder, and got none"},
		{"another service", "blob.log", 2, "blob.log:1: the line is of the service"},
		{"a design without a pattern", "table.log mine.yaml", 2, "the designs of mine.yaml need attributes; expected --partition-key and --row-key"},
		{"a pattern that fits nothing", "--partition-key {half}_{x} --row-key {id} table.log mine.yaml", 2, "no key of the log fits the pattern"},
		{"a table of nobody", "table.log --table Clubs", 2, `unknown table "Clubs"`},
		{"a folder of serve --examine", "run", 2, "run is the folder of a run, which holds seconds and partitions and no single requests; expected what serve --log FILE writes"},
		{"a design of nobody", pattern + "table.log mine.yaml --use by-di", 2, `did you mean "by-id"?`},
		{"designs of no scenario", "table.log --use by-id", 2, "--use names designs of a scenario, and there is none"},
		{"two scenarios", pattern + "table.log mine.yaml mine.yaml", 2, "expected one at most"},
		{"a scenario without its keys", "table.log --write like.yaml", 0, "HOLDS"},
		{"which is not written over", "table.log --write like.yaml", 2, "--write like.yaml: there is one already; expected a new file"},
		{"a folder that is not", "table.log --write no/like.yaml", 2, "--write no/like.yaml: no such file or directory"},
		{"no speed", "table.log --speed 0", 2, "--speed 0: expected 0.001 to 1,000"},
	} {
		code, stdout, stderr := say(t, append([]string{"replay", "--quiet"}, strings.Fields(row.args)...)...)
		if said := strings.Join(strings.Fields(stdout+stderr), " "); code != row.code || !strings.Contains(said, row.want) || code == 2 && strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %d, %q; want %d, %q", row.sentence, code, said, row.code, row.want)
		}
	}
	if code, stdout, stderr := say(t, "scenarios", "check", "like.yaml"); code != 0 {
		t.Errorf("the scenario that was written: %d, %s%s", code, stdout, stderr)
	}
}
