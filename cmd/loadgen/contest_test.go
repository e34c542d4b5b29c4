package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loadgen/engine/model"
	"loadgen/report/compare/contest"
)

// ordersIn returns a folder of its own that has a scenario of five designs, and its text.
func ordersIn(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../scenarios/series/testdata/orders.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("orders.yaml", text, 0o600); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shortly keeps a contest of the orders short.
func shortly(args ...string) []string {
	return append([]string{"contest", "orders.yaml", "--set", "phases.trade.for=1s", "--set", "phases.trade.arrivals.constant=40",
		"--seeds", "1", "--designs", "day,shop", "--format", "json"}, args...)
}

// contestBy runs a contest and returns its exit code, what it came to, and what was said.
func contestBy(t *testing.T, ctx context.Context, args ...string) (int, contest.Contest, string) {
	t.Helper()
	var out, told bytes.Buffer
	code := execute(ctx, args, strings.NewReader(""), &out, &told)
	var c contest.Contest
	if err := json.Unmarshal(out.Bytes(), &c); err != nil && out.Len() > 0 {
		t.Fatalf("%v in %s", err, &out)
	}
	return code, c, told.String()
}

// A contest prints what contest.json has, tells where it is and which scenario it has
// written, and leaves runs that repeat by the command of their record.
func TestContest(t *testing.T) {
	ordersIn(t)
	args := []string{"contest", "orders.yaml", "--set", "phases.trade.for=1s", "--designs", "day", "--seeds", "2", "--out", "c", "--suggest", "--write", "won.yaml"}
	code, text, stderr := say(t, append(args, "--price", "0.036", "--verbose")...)
	// Of so short a run the winner's p99 cannot be told, which the scenario asks for.
	if code != codeInconclusive || !strings.Contains(text, "  loadgen contest --price=0.036 --seeds=2 --set phases.trade.for=1s --suggest=true --designs=day,by-shop \\\n      orders.yaml\n") || !strings.Contains(text, "What an event costs") {
		t.Errorf("exit code %d: %s; want a report with the command that repeats it:\n%s", code, stderr, text)
	}
	for _, want := range []string{" designs, ", " under each of two profiles on the virtual clock: ", "the contest is in c\n",
		"the scenario with the first design in use is won.yaml; next: loadgen run won.yaml\n"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("told %q; want %q in it", stderr, want)
		}
	}
	if code, _, stderr := say(t, "scenarios", "check", "won.yaml"); code != codeOk {
		t.Errorf("the scenario that was written: %d, %s", code, stderr)
	}
	code, c, stderr := contestBy(t, context.Background(), shortly("--one-profile", "--quiet", "--out", "d")...)
	kept, err := os.ReadFile("d/contest.json")
	var again contest.Contest
	if code != codeOk || stderr != "" || err != nil || json.Unmarshal(kept, &again) != nil || again.Verdict != c.Verdict || len(c.Ranking) != 2 || c.Other != "" {
		t.Errorf("exit code %d, %q, %v, %+v; want two designs as in contest.json, and not a word", code, stderr, err, c)
	}
	record := read(t, filepath.Join("d", "day"))
	_, repeated, stderr, _ := simulatedBy(t, context.Background(), append(record.Manifest.Command[2:], "--format", "json", "--quiet", "--no-charts", "--one-profile")...)
	if twin := decode(t, []byte(repeated)); twin.Attempts != record.Summary.Attempts || twin.Throttled != record.Summary.Throttled || twin.Seed != record.Manifest.Seed {
		t.Errorf("%v: %d attempts, %s; want %d", record.Manifest.Command, twin.Attempts, stderr, record.Summary.Attempts)
	}
}

func TestContestUsage(t *testing.T) {
	orders := ordersIn(t)
	alone := strings.Replace(orders, "use: shop\n", "", 1)
	alone = alone[:strings.Index(alone, "designs:")] + "design: {partition_key: \"{shop}\", row_key: \"{id}\"}\n" + alone[strings.Index(alone, "phases:"):]
	for _, row := range []struct {
		sentence, text string
		args           []string
		want           string
	}{
		{"a scenario of one design", alone, nil, "the scenario orders has one design; a contest needs two or more: list them under designs, or let --suggest propose some"},
		{"one design that was named", orders, []string{"--designs", "shop"}, "--designs shop: one design alone; a contest needs two or more, of day, shop, shop-first, id or hour"},
		{"a design that does not exist", orders, []string{"--designs", "shop,ours"}, `--designs: unknown design "ours"; did you mean "hour"?`},
		{"a design twice", orders, []string{"--designs", "shop,day,shop"}, "--designs: shop occurs twice; expected each once"},
		{"two designs that are wrong", orders, []string{"--designs", "our,our"}, `--designs: unknown design "our"; did you mean "hour"?; --designs: unknown design "our"; did you mean "hour"?`},
		{"no design that was named", orders, []string{"--designs", ""}, "--designs is empty; expected two designs of the scenario or more"},
		{"quick, and so many runs", orders, []string{"--quick", "--seeds", "2"}, "--quick is --seeds 2: expected one of the two"},
		{"no run", orders, []string{"--seeds", "0"}, "--seeds 0: expected 1 to 100"},
		{"too many runs", orders, []string{"--seeds", "101"}, "--seeds 101: expected 1 to 100"},
		{"an alpha that is none", orders, []string{"--alpha", "0.5"}, "alpha is 0.5; expected more than 0 and less than 0.5"},
		{"no alpha", orders, []string{"--alpha", "0"}, "--alpha 0: expected more than 0"},
		{"a price that is none", orders, []string{"--price", "-1"}, "the price of a million transactions is -1; expected"},
		{"a format that does not exist", orders, []string{"--format", "xml"}, "loadgen: --format \"xml\": expected text, json, md, csv or html"},
		{"memory for not one run", orders, []string{"--memory-limit", "1MiB"}, "--memory-limit 1MiB: a run of the design day would take about"},
		{"a size that is none", orders, []string{"--memory-limit", "lots"}, "--memory-limit lots: expected a size"},
		{"processes for what is virtual", orders, []string{"--processes", "2"}, "--processes belongs to runs in real time; expected --live or --target beside it"},
		{"a leader without processes", orders, []string{"--live", "--lead", ":0"}, "--lead belongs to --processes, which is missing"},
		{"processes on an engine in one", orders, []string{"--target", "in-process", "--processes", "2"}, "the engine would be in one process, and several are to send"},
		{"consent for what is virtual", orders, []string{"--yes"}, "--yes belongs to runs in real time; expected --live or --target beside it"},
		{"a file for no suggestion", orders, []string{"--write", "x.yaml"}, "--write is for what --suggest comes to"},
		{"several faults of flags", orders, []string{"--seeds", "0", "--memory-limit", "lots"}, "--seeds 0: expected 1 to 100; --memory-limit lots: expected a size"},
		{"a fault of the scenario", strings.Replace(orders, "for: 2s", "for: 0s", 1), nil, "orders.yaml:22:12: for is 0s"},
		{"a fault that a flag makes", orders, []string{"--set", "phases.trade.for=0s"}, "--set phases.trade.for"},
		{"a policy that does not exist", orders, []string{"--retry", "shrt"}, `--retry: unknown retry policy "shrt"; did you mean "short"?`},
	} {
		if err := os.WriteFile("orders.yaml", []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := say(t, append([]string{"contest", "orders.yaml", "--out", "nothing"}, row.args...)...)
		if code != codeUsage || stdout != "" || !strings.HasPrefix(stderr, "loadgen: ") || !strings.Contains(stderr, row.want) {
			t.Errorf("%s: %d, %q, %q; want %d and %q", row.sentence, code, stdout, stderr, codeUsage, row.want)
		}
		if _, err := os.Stat("nothing"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a folder was made", row.sentence)
		}
	}
}

// What cannot be written to is told with the exit code of a folder: before the runs that of
// the contest, after them that of the scenario.
func TestContestThatCannotBeWritten(t *testing.T) {
	ordersIn(t)
	if code, _, stderr := contestBy(t, context.Background(), shortly("--out", "orders.yaml")...); code != codeUsage || !strings.Contains(stderr, "cannot write a run there") {
		t.Errorf("--out at a file: %d, %s; want %d", code, stderr, codeUsage)
	}
	code, c, stderr := contestBy(t, context.Background(), shortly("--one-profile", "--quiet", "--suggest", "--write", "none/won.yaml", "--out", "c")...)
	if want := "loadgen: --write none/won.yaml: no such file or directory\n"; code != codeUsage || stderr != want || c.Verdict != "" {
		t.Errorf("--write into a folder that is not there: %d, %q; want %d and %q", code, stderr, codeUsage, want)
	}
}

// Ctrl-C ends a contest at once: what was finished is ranked, the rest named.
func TestInterruptedContest(t *testing.T) {
	ordersIn(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interruption{os.Interrupt})
	code, c, _ := contestBy(t, ctx, shortly("--out", "c")...)
	if code != codeInterrupted || !strings.Contains(c.Verdict, "Ended early, by 0 of 2 runs: it was interrupted. Not run: day, shop.") {
		t.Errorf("exit code %d, verdict %q; want %d and who was not run", code, c.Verdict, codeInterrupted)
	}
}

// Against a service, which is asked for nothing without consent and within a budget of all
// runs together; each run leaves its record, and is of no profile.
func TestContestOfAService(t *testing.T) {
	leftOutWhenShort(t)
	ordersIn(t)
	s := newService(t, model.Off, 0)
	there := shortly("--no-probe", "--workers", "8", "--target", s.url, "--key-file", s.keyFile)
	code, _, stderr := contestBy(t, context.Background(), append(there, "--out", "none")...)
	if code != codeUsage || !strings.Contains(stderr, "nothing was sent: add --yes") || !strings.Contains(stderr, "loadgenloadgen…, a new one for each run\n") || s.engine.Counts().Requests != 0 {
		t.Errorf("without consent: %d, %s, %d requests; want none", code, stderr, s.engine.Counts().Requests)
	}
	code, c, stderr := contestBy(t, context.Background(), append(there, "--out", "some", "--yes", "--budget", "200")...)
	if code != codeOk || !strings.Contains(c.Verdict, "by 1 of 2 runs: the budget of billed transactions was spent. Not run: shop.") || c.Profile != "" || c.Ranking[0].Sustained == nil {
		t.Errorf("with a budget: %d, %+v, %s; want an early end, after a run under no profile", code, c, stderr)
	}
	record := read(t, filepath.Join("some", "day"))
	if _, err := os.Stat(filepath.Join("some", "day", "report.html")); err != nil || record.Manifest.Time != "real" ||
		!strings.HasPrefix(strings.Join(record.Manifest.Command, " "), "loadgen run orders.yaml --set ") {
		t.Errorf("%v, the record is of %s time by %v; want a page, and that of a run in real time", err, record.Manifest.Time, record.Manifest.Command)
	}
}
