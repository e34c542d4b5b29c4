package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loadgen/report/ranking"
	"loadgen/results"
	"loadgen/scenarios"
)

// orderBook is a scenario of five designs: one that is hot, two that spread, and two
// that each cannot serve an operation.
const orderBook = `name: orders
seed: 9
retry: none
model: {profile: documented, partition_target: 100}
attributes:
  at: {time: 2026-03-01T08:00:00Z, every: 1s, speed: 60}
  shop: {uniform: [1, 40]}
  id: {sequence: 1}
entity: {size: 200, filler: Notes, properties: [{name: Shop, type: Int64, value: "{shop}"}]}
use: shop
designs:
  - {name: day, partition_key: "{at:day}", row_key: "{shop}_{id}"}
  - {name: shop, partition_key: "{shop}", row_key: "{id}"}
  - {name: shop-first, partition_key: "s{shop}", row_key: "{id}"}
  - {name: id, partition_key: "{id}", row_key: "{shop}"}
  - {name: hour, partition_key: "{at:hour}", row_key: "{at:ticks}_{id}"}
phases:
  - {name: load, load: {entities: 100, transaction: 1}}
  - name: trade
    traffic:
      arrivals: {constant: 400}
      for: 2s
      operations:
        - {name: order, verb: insert, weight: 8}
        - {name: pack, verb: batch, entities: 2, together: [shop]}
        - {name: mine, verb: query, by: [shop], top: 5, pages: 1}
expect: [refused(order) < 1%, p99(order) < 100ms]
`

// contestIn runs the verb in a folder of its own that holds the scenario.
func contestIn(t *testing.T, ctx context.Context, text string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	if err := os.WriteFile("orders.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, told bytes.Buffer
	code = run(ctx, append([]string{"contest", "orders.yaml"}, args...), strings.NewReader(""), &out, &told)
	return code, out.String(), told.String()
}

func designsOfContest(t *testing.T, text string) *ranking.Contest {
	t.Helper()
	var c ranking.Contest
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return &c
}

// A hot key loses, what spreads does not differ, what cannot serve comes last with its
// operation, and in which order the designs are named changes not one byte.
func TestContest(t *testing.T) {
	t.Chdir(t.TempDir())
	code, first, stderr := contestIn(t, context.Background(), orderBook, "--seeds", "3", "--format", "json", "--out", "one",
		"--designs", "day,shop,shop-first,id,hour")
	if code != codeOk {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	orders := []string{"hour,id,shop-first,shop,day", "shop,day,id,hour,shop-first"}
	if testing.Short() {
		orders = orders[:1]
	}
	for i, shuffled := range orders {
		_, again, _ := contestIn(t, context.Background(), orderBook, "--seeds", "3", "--format", "json", "--quiet",
			"--out", filepath.Join("more", string(rune('a'+i))), "--designs", shuffled)
		if again != first {
			t.Errorf("with --designs %s the contest differs; want the same bytes", shuffled)
		}
	}
	kept, err := os.ReadFile("one/contest.json")
	if err != nil || string(kept) != first {
		t.Errorf("contest.json (%v) is not what was printed", err)
	}
	c := designsOfContest(t, first)
	rank := make(map[string]*ranking.Ranked)
	var order []string
	for i := range c.Ranking {
		rank[c.Ranking[i].Design] = &c.Ranking[i]
		order = append(order, c.Ranking[i].Design)
	}
	if got := strings.Join(order, " "); !strings.HasPrefix(got, "shop") || !strings.HasSuffix(got, "id") && !strings.HasSuffix(got, "hour") {
		t.Errorf("ranking %s; want those that spread first", got)
	}
	for _, name := range []string{"id"} {
		one := rank[name]
		if *one.Rank <= *rank["day"].Rank || len(one.Cannot) != 1 || one.Cannot[0].Operation != "pack" ||
			!strings.Contains(one.Cannot[0].Why, "lies in one partition") || len(one.Seeds) != 0 {
			t.Errorf("%s: %+v; want that it cannot pack", name, one)
		}
	}
	if day, shop := rank["day"], rank["shop"]; *day.Rank <= *shop.Rank || len(day.Seeds) != 3 || day.Behind == "" {
		t.Errorf("day is at %d, shop at %d, by %d runs; want that the day is shown to be behind, by three", *day.Rank, *shop.Rank, len(day.Seeds))
	}
	if c.Profile != "documented" || c.Other != "headroom" || c.Survives == nil {
		t.Errorf("profiles %q and %q, survives %v; want both, and whether it survives", c.Profile, c.Other, c.Survives)
	}
	foldersOfContest(t, "one", rank)
}

// foldersOfContest checks that a design that ran has left the record of its first run,
// which repeats as its command says, and one that did not none.
func foldersOfContest(t *testing.T, folder string, rank map[string]*ranking.Ranked) {
	t.Helper()
	for name, one := range rank {
		record, err := results.Read(results.Dir(filepath.Join(folder, name)))
		if len(one.Cannot) > 0 {
			if err == nil {
				t.Errorf("%s cannot run and has left a record", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v; want the record of its first run", name, err)
			continue
		}
		if record.Manifest.Seed != seedOf(9, name, 0) || !slices.Contains(one.Seeds, record.Manifest.Seed) || record.Summary == nil || record.Heat == nil {
			t.Errorf("%s: the record is of seed %d, with summary %t and heat %t; want seed %d and both", name, record.Manifest.Seed,
				record.Summary != nil, record.Heat != nil, seedOf(9, name, 0))
		}
		again := append([]string{}, record.Manifest.Command[1:]...)
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), append(again, "--format", "json", "--quiet", "--no-charts", "--one-profile", "--out", filepath.Join(folder, "again-"+name)),
			strings.NewReader(""), &stdout, &stderr); code != codeOk && code != codeExpectation {
			t.Errorf("%s: exit code %d: %s", name, code, stderr.String())
			continue
		}
		if twin := decode(t, stdout.Bytes()); twin.Attempts != record.Summary.Attempts || twin.Refused != record.Summary.Refused || twin.EntitiesCounted != record.Summary.EntitiesCounted {
			t.Errorf("%s: %v came to %d attempts, %d refused; want %d and %d", name, again, twin.Attempts, twin.Refused, record.Summary.Attempts, record.Summary.Refused)
		}
	}
	for _, picture := range []string{"heat.png", "heat.svg"} {
		if info, err := os.Stat(filepath.Join(folder, picture)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v; want a picture", picture, err)
		}
	}
}

// With one run each everything is told but a difference.
func TestContestOfOneRunShowsNoDifference(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := contestIn(t, context.Background(), orderBook, "--seeds", "1", "--designs", "day,shop", "--one-profile", "--format", "json", "--out", "c")
	if code != codeOk {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	c := designsOfContest(t, stdout)
	if c.Winner != nil || !strings.Contains(c.Verdict, "No difference shown") || c.Survives != nil || c.Other != "" {
		t.Errorf("winner %v, survives %v, verdict %q; want no difference, and nothing of another profile", c.Winner, c.Survives, c.Verdict)
	}
	if one := c.Ranking[0]; one.Sustained == nil || one.Sustained.Interval != nil {
		t.Errorf("sustained %+v; want a figure without an interval", one.Sustained)
	}
}

func TestContestUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	alone := strings.Replace(orderBook, "use: shop\n", "", 1)
	alone = alone[:strings.Index(alone, "designs:")] + "design: {partition_key: \"{shop}\", row_key: \"{id}\"}\n" + alone[strings.Index(alone, "phases:"):]
	for _, row := range []struct {
		sentence, text string
		args           []string
		want           string
	}{
		{"a scenario of one design", alone, nil, "the scenario orders has one design; a contest needs two or more: list them under designs, or let --suggest propose some"},
		{"one design that was named", orderBook, []string{"--designs", "shop"}, "--designs shop: one design alone; a contest needs two or more, of day, shop, shop-first, id or hour"},
		{"a design that does not exist", orderBook, []string{"--designs", "shop,ours"}, `--designs: unknown design "ours"; did you mean "hour"?`},
		{"a design twice", orderBook, []string{"--designs", "shop,day,shop"}, "--designs: shop occurs twice; expected each once"},
		{"no design that was named", orderBook, []string{"--designs", ""}, "--designs is empty; expected two designs of the scenario or more"},
		{"no run", orderBook, []string{"--seeds", "0"}, "--seeds 0: expected 1 to 100"},
		{"too many runs", orderBook, []string{"--seeds", "101"}, "--seeds 101: expected 1 to 100"},
		{"an alpha that is none", orderBook, []string{"--alpha", "0.5"}, "alpha is 0.5; expected more than 0 and less than 0.5"},
		{"no alpha", orderBook, []string{"--alpha", "0"}, "--alpha 0: expected more than 0"},
		{"a price that is none", orderBook, []string{"--price", "-1"}, "the price of a million transactions is -1; expected"},
		{"a format that does not exist", orderBook, []string{"--format", "xml"}, "--format xml: expected text or json"},
		{"memory for not one run", orderBook, []string{"--memory-limit", "1MiB"}, "would take about"},
		{"a size that is none", orderBook, []string{"--memory-limit", "lots"}, "--memory-limit lots: expected a size"},
		{"consent for what is virtual", orderBook, []string{"--yes"}, "--yes belongs to runs in real time; expected --live or --target beside it"},
		{"a file for no suggestion", orderBook, []string{"--write", "x.yaml"}, "--write is for what --suggest comes to"},
		{"a fault of the scenario", strings.Replace(orderBook, "for: 2s", "for: 0s", 1), nil, "orders.yaml:22:12: for is 0s"},
		{"a fault that a flag makes", orderBook, []string{"--set", "phases.trade.for=0s"}, "--set phases.trade.for"},
		{"a policy that does not exist", orderBook, []string{"--retry", "shrt"}, `--retry: unknown retry policy "shrt"; did you mean "short"?`},
	} {
		code, stdout, stderr := contestIn(t, context.Background(), row.text, append(row.args, "--out", "nothing")...)
		if code != codeUsage || stdout != "" || !strings.Contains(stderr, row.want) {
			t.Errorf("%s: %d, %q, %q; want %d and %q", row.sentence, code, stdout, stderr, codeUsage, row.want)
		}
		if _, err := os.Stat("nothing"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a folder was made", row.sentence)
		}
	}
}

// Ctrl-C ends a contest at once: what was finished is ranked, the rest named.
func TestInterruptedContest(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interruption{os.Interrupt})
	code, stdout, _ := contestIn(t, ctx, orderBook, "--designs", "day,shop", "--format", "json", "--out", "c")
	if c := designsOfContest(t, stdout); code != codeInterrupted || !strings.Contains(c.Verdict, "Ended early, by 0 of 10 runs: it was interrupted. Not run: day, shop.") {
		t.Errorf("exit code %d, verdict %q; want %d and who was not run", code, c.Verdict, codeInterrupted)
	}
}

// A contest that ended early counts as many runs of each design as all have that have
// any.
func TestUnfinishedContestIsEven(t *testing.T) {
	trial := new(ranking.Trial)
	arm := func(name string, trials ...*ranking.Trial) *contender {
		s, err := scenarios.Builtin("day-key")
		if err != nil {
			t.Fatal(err)
		}
		return &contender{design: name, scenario: s, trials: trials, others: make([]*ranking.Trial, 4)}
	}
	tour := &tournament{seeds: 4, arms: []*contender{arm("a", trial, trial, trial, nil), arm("b", trial, nil, trial, nil), arm("c", nil, nil, nil, nil)}}
	own := func(arm *contender) []*ranking.Trial { return arm.trials }
	if got := tour.even(own); got != 2 {
		t.Errorf("even = %d runs; want 2", got)
	}
	if got := cutShort(context.Canceled, 4, 12, []string{"c"}); got != "Ended early, by 4 of 12 runs: it was interrupted. Not run: c. " {
		t.Errorf("cutShort = %q", got)
	}
	if got := cutShort(errBudget, 4, 12, nil); got != "Ended early, by 4 of 12 runs: the budget of billed transactions was spent. " {
		t.Errorf("cutShort = %q", got)
	}
}
