package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"loadgen/results"
)

// job is a scenario whose first part reads some pages of 2,500 entities and breaks off,
// and whose second goes on, each with what is said of where; without a load it works on
// what is there.
func job(t *testing.T, name, load, begins, goesOn string) {
	t.Helper()
	phases := "phases:\n" + load
	for _, part := range []struct{ name, operation string }{{"begin", begins}, {"goes-on", goesOn}} {
		if part.operation != "" {
			phases += fmt.Sprintf("  - {name: %s, traffic: {partitions: [journal], arrivals: {constant: 2}, for: 1s, operations: [{name: %s, verb: query, class: partition-scan, %s}]}}\n", part.name, part.name, part.operation)
		}
	}
	text := `name: job
retry: none
model: {profile: "off"}
attributes: {id: {sequence: 100000}}
design: {partition_key: journal, row_key: "{id}"}
` + phases
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const jobLoad = "  - {name: load, load: {entities: 2500}}\n"

// counted returns how many entities operations of a name counted, each.
func counted(record *results.Record, name string) float64 {
	all := record.Total(func(_ *results.Phase, k results.Kind) bool { return k.Name == name })
	return float64(all.Counted) / float64(all.Sent)
}

// A run goes on where another has left off, by the token that the record of that one has.
func TestATokenOfAnEarlierRun(t *testing.T) {
	for _, row := range []struct {
		top, pages int
	}{{1000, 1}, {300, 3}} {
		t.Chdir(t.TempDir())
		job(t, "begin.yaml", jobLoad, fmt.Sprintf("top: %d, pages: %d, save: here", row.top, row.pages), "")
		if code, _, stderr := say(t, "simulate", "begin.yaml", "--one-profile", "--quiet", "--out", "first"); code != codeOk {
			t.Fatalf("simulate = %d %s", code, stderr)
		}
		if code, _, stderr := say(t, "report", "first", "--saved", "here", "--out", "token.txt"); code != codeOk {
			t.Fatalf("report --saved = %d %s", code, stderr)
		}
		job(t, "on.yaml", jobLoad, "", "from: {file: token.txt}")
		if code, _, stderr := say(t, "simulate", "on.yaml", "--one-profile", "--quiet", "--out", "second"); code != codeOk {
			t.Fatalf("simulate = %d %s", code, stderr)
		}
		first, second := counted(read(t, "first"), "begin"), counted(read(t, "second"), "goes-on")
		if read := float64(row.top * row.pages); first != read || second != 2500-read {
			t.Errorf("%d pages of %d: %v entities and then %v; want %v and what is left of 2500", row.pages, row.top, first, second, read)
		}
	}
}

// What is wrong with a token, or with who asks for one, is told before anything is run.
func TestTokensThatAreNone(t *testing.T) {
	t.Chdir(t.TempDir())
	job(t, "all.yaml", jobLoad, "pages: 3, save: here", "")
	job(t, "none.yaml", jobLoad, "pages: 1", "")
	for _, name := range []string{"all", "none"} {
		if code, _, stderr := say(t, "simulate", name+".yaml", "--one-profile", "--quiet", "--out", name); code != codeOk {
			t.Fatalf("simulate = %d %s", code, stderr)
		}
	}
	job(t, "on.yaml", jobLoad, "", "from: {file: token.txt}")
	if err := os.WriteFile("prose.txt", []byte("go on at page 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(leftIn(t, "."))
	for _, row := range []struct{ args, says string }{
		{"report all --saved here", "--saved here: operation begin has read all pages, and no token is left"},
		{"report all --saved heer", `unknown saved token "heer"; did you mean "here"?`},
		{"report none --saved here", "no query of the run has saved a token; expected an operation with save"},
		{"report all --saved here --format json", "expected it without --format and --charts"},
		{"simulate on.yaml", "on.yaml:8:166: the token cannot be read: no such file or directory; expected a file"},
		{"simulate on.yaml --set phases.goes-on.operations.goes-on.from.file=prose.txt", "prose.txt holds no continuation token; expected its text alone"},
		{"simulate on.yaml --set phases.goes-on.operations.goes-on.from.file=.", "the token cannot be read: it is a folder; expected a file"},
		{"simulate on.yaml --set phases.goes-on.operations.goes-on.from=here", "expected the text of a continuation token, such as from.TllD.MDAx, {saved: NAME} or {file: PATH}"},
	} {
		code, stdout, stderr := say(t, strings.Fields(row.args)...)
		if code != codeUsage || stdout != "" || !strings.Contains(stderr, row.says) {
			t.Errorf("%s = %d %q %s; want %d and %q", row.args, code, stdout, stderr, codeUsage, row.says)
		}
	}
	if after := len(leftIn(t, ".")); after != before {
		t.Errorf("%d files are left of %d; want nothing new", after, before)
	}
}
