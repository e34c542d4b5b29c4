package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"loadgen/engine/model"
	"loadgen/report/ranking"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/suggest"
)

// Every design meets the same events: at one seed the attributes of the same event have
// the same values, the same operations are due at the same instants, and the design
// changes the keys alone.
func TestDesignsOfAContestMeetTheSameEvents(t *testing.T) {
	base, err := scenarios.Parse("orders.yaml", []byte(orderBook))
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	var scheduled [][]int64
	for _, design := range []string{"day", "shop", "hour"} {
		s, err := base.Under(design)
		if err != nil {
			t.Fatal(err)
		}
		g, err := s.Generator()
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for n := range uint64(300) {
			for _, p := range g.Properties(n) {
				if p.Name == "Shop" {
					all.WriteString(strconv.FormatInt(p.Value.Int(), 10) + " ")
				}
			}
		}
		values = append(values, all.String())
		sim, err := newSimulation(s, true, time.Unix(0, 0), nil, drive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		kept, err := sim.remember(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var due []int64
		for i := range kept.record.Phases {
			if p := &kept.record.Phases[i]; p.Reported {
				for j := range p.Kinds {
					due = append(due, p.Kinds[j].Scheduled)
				}
			}
		}
		for _, one := range kept.record.Intervals {
			if one.Phase == "trade" {
				due = append(due, one.Scheduled)
			}
		}
		scheduled = append(scheduled, due)
	}
	for i := range values[1:] {
		if values[i+1] != values[0] {
			t.Errorf("design %d meets other shops than the first", i+1)
		}
		if !slices.Equal(scheduled[i+1][:7], scheduled[0][:7]) {
			t.Errorf("design %d has %v due; want %v as the first", i+1, scheduled[i+1], scheduled[0])
		}
	}
}

// Seeds depend on root, design and run, and on nothing else; no two are the same.
func TestSeedsOfAContest(t *testing.T) {
	seen := map[uint64]bool{}
	for _, root := range []uint64{0, 1, 9} {
		for _, design := range []string{"a", "b", "ab"} {
			for run := range 100 {
				seed := seedOf(root, design, run)
				if seen[seed] || seed >= 1<<53 || seed != seedOf(root, design, run) {
					t.Fatalf("seedOf(%d, %s, %d) = %d, which was met before or is larger than 53 bits", root, design, run, seed)
				}
				seen[seed] = true
			}
		}
	}
}

// How long an operation may take is what the scenario expects of its p99, or else of
// the quantile nearest to it.
func TestNeedsOfAScenario(t *testing.T) {
	for _, row := range []struct {
		sentence, expect string
		want             map[string]int64
	}{
		{"p99 of an operation", "p99(order) < 20ms", map[string]int64{"order": 20_000}},
		{"p99 comes before max and p95", "max(order) < 1s, p99(order) <= 20ms, p95(order) < 5ms", map[string]int64{"order": 20_000}},
		{"the least of two", "p99(order) < 20ms, p99(order) < 15ms", map[string]int64{"order": 15_000}},
		{"max where there is nothing else", "max(mine) < 1s", map[string]int64{"mine": 1_000_000}},
		{"every operation", "p99 < 50ms", map[string]int64{"order": 50_000, "pack": 50_000, "mine": 50_000}},
		{"every operation of the phase", "p99(trade) < 50ms", map[string]int64{"order": 50_000, "pack": 50_000, "mine": 50_000}},
		{"an operation in a phase", "\"p99(pack, trade) < 50ms\"", map[string]int64{"pack": 50_000}},
		{"no median, and no service time", "p50(order) < 5ms, service_p99(order) < 5ms", map[string]int64{}},
		{"no bound from below, and none by another figure", "p99(order) > 5ms, p99(order) < 2 * p99(pack)", map[string]int64{}},
	} {
		s, err := scenarios.Parse("orders.yaml", []byte(strings.Replace(orderBook, "expect: [refused(order) < 1%, p99(order) < 100ms]", "expect: ["+row.expect+"]", 1)))
		if err != nil {
			t.Fatalf("%s: %v", row.sentence, err)
		}
		n := needsOf(s)
		if len(n.Within) != len(row.want) {
			t.Errorf("%s: within %v; want %v", row.sentence, n.Within, row.want)
		}
		for name, want := range row.want {
			if n.Within[name] != want {
				t.Errorf("%s: %s within %d µs; want %d", row.sentence, name, n.Within[name], want)
			}
		}
		if n.Entities["pack"] != 2 || n.Entities["order"] != 1 || !n.Reads["mine"] || n.Reads["order"] || n.Reads["pack"] {
			t.Errorf("%s: entities %v, reads %v; want 2 of a pack, and mine to read", row.sentence, n.Entities, n.Reads)
		}
	}
}

// The designs take turns, there and back, whatever their order in the file.
func TestTurnsInRealTime(t *testing.T) {
	tour := &tournament{seeds: 3, arms: []*contender{{design: "c"}, {design: "a"}, {design: "b"}, {design: "x", cannot: obstacles([]scenarios.Obstacle{{}})}}}
	var got []string
	for _, one := range tour.rounds() {
		got = append(got, one.folder())
	}
	if want := "a b c c-2 b-2 a-2 a-3 b-3 c-3"; strings.Join(got, " ") != want {
		t.Errorf("turns %v; want %s", got, want)
	}
}

// What is suggested runs.
func TestSuggestedScenarioRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := contestIn(t, context.Background(), orderBook, "--suggest", "--seeds", "2", "--one-profile", "--out", "c", "--designs", "day")
	if code != codeOk || !strings.Contains(stdout, "Left out") && !strings.Contains(stdout, "1. ") {
		t.Fatalf("exit code %d, %s, %s; want candidates with reasons", code, stdout, stderr)
	}
	text, err := os.ReadFile(filepath.Join("c", "suggested.yaml"))
	if err != nil || !strings.HasPrefix(string(text), "# The scenario orders with the design ") {
		t.Fatalf("%v: %.80s", err, text)
	}
	kept, err := os.ReadFile(filepath.Join("c", "contest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(designsOfContest(t, string(kept)).Ranking, func(r ranking.Ranked) bool {
		return *r.Rank == 1 && strings.Contains(string(text), "\nuse: "+r.Design+"\n")
	}) {
		t.Errorf("the scenario does not use a design that came first:\n%s", text)
	}
	if code, _, stderr, _ := simulatedBy(t, context.Background(), filepath.Join("c", "suggested.yaml"), "--one-profile", "--quiet"); code != codeOk && code != codeExpectation {
		t.Errorf("the suggested scenario ends with %d: %s", code, stderr)
	}
}

// In real time, over a socket and against a service, which is asked for nothing without
// consent and within a budget of all runs together.
func TestContestInRealTime(t *testing.T) {
	leftOutWhenShort(t)
	t.Chdir(t.TempDir())
	short := []string{"--designs", "day,shop", "--seeds", "1", "--format", "json", "--no-probe", "--workers", "8", "--set", "phases.trade.for=1s",
		"--set", "phases.trade.arrivals.constant=40"}
	code, stdout, stderr := contestIn(t, context.Background(), orderBook, append(short, "--live", "--out", "live")...)
	if code != codeOk {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if c := designsOfContest(t, stdout); len(c.Ranking) != 2 || c.Ranking[0].Sustained == nil || c.Other != "" || c.Profile != "documented" {
		t.Errorf("contest %+v; want two designs that ran", c)
	}
	for _, name := range []string{"day", "shop"} {
		if record, err := results.Read(results.Dir(filepath.Join("live", name))); err != nil || record.Manifest.Time != "real" || record.Manifest.Seed != seedOf(9, name, 0) {
			t.Errorf("%s: %v; want the record of a run in real time", name, err)
		}
	}
	s := newService(t, model.Off, 0)
	there := append(short, "--target", s.url, "--key-file", s.keyFile)
	code, _, stderr = contestIn(t, context.Background(), orderBook, append(there, "--out", "none")...)
	if code != codeUsage || !strings.Contains(stderr, "nothing was sent: add --yes") || s.engine.Counts().Requests != 0 {
		t.Errorf("without consent: %d, %s, %d requests; want none", code, stderr, s.engine.Counts().Requests)
	}
	code, stdout, stderr = contestIn(t, context.Background(), orderBook, append(there, "--out", "some", "--yes", "--budget", "120")...)
	if c := designsOfContest(t, stdout); code != codeOk || !strings.Contains(c.Verdict, "the budget of billed transactions was spent. Not run: day, shop.") {
		t.Errorf("with a budget: %d, %q, %s; want an early end", code, c.Verdict, stderr)
	}
	code, stdout, stderr = contestIn(t, context.Background(), orderBook, append(there, "--out", "all", "--yes", "--quiet")...)
	if c := designsOfContest(t, stdout); code != codeOk || c.Profile != "" || c.Ranking[0].Sustained == nil {
		t.Errorf("against a service: %d, %+v, %s; want two designs that ran, under no profile", code, c, stderr)
	}
}

// A run is of its design and seed; under the other profile nothing is expected of it.
func TestBoutsOfAContest(t *testing.T) {
	base, err := scenarios.Parse("orders.yaml", []byte(orderBook))
	if err != nil {
		t.Fatal(err)
	}
	one := &contender{design: "shop", scenario: base}
	tour := &tournament{seeds: 2, other: model.Headroom, arms: []*contender{one, {design: "x", cannot: obstacles([]scenarios.Obstacle{{}})}}}
	list := tour.bouts()
	if len(list) != 4 {
		t.Fatalf("%d runs; want two of one design under two profiles", len(list))
	}
	for i, want := range []struct {
		run     int
		profile string
		claims  int
	}{{0, model.Documented, 2}, {0, model.Headroom, 0}, {1, model.Documented, 2}, {1, model.Headroom, 0}} {
		if s := list[i].scenario(9); s.Model.Profile != want.profile || len(s.Expect) != want.claims || s.Seed != seedOf(9, "shop", want.run) {
			t.Errorf("run %d has profile %s, %d claims and seed %d; want %+v", i, s.Model.Profile, len(s.Expect), s.Seed, want)
		}
	}
}

// Of designs that share the first place it is not chance which is written.
func TestTheBestOfSeveral(t *testing.T) {
	one, two := 1, 2
	ranked := func(design string, rank *int, copies int) ranking.Ranked {
		return ranking.Ranked{Design: design, Rank: rank, Copies: copies}
	}
	tour := &tournament{proposal: &suggest.Proposal{Candidates: []suggest.Candidate{{Design: scenarios.Design{Name: "x"}}, {Design: scenarios.Design{Name: "y"}}}}}
	for _, row := range []struct {
		sentence       string
		ranking        []ranking.Ranked
		design, shared string
	}{
		{"nothing was run", nil, "", ""},
		{"none can", []ranking.Ranked{{Design: "x", Rank: &one, Cannot: []ranking.Obstacle{{}}}}, "", ""},
		{"a winner", []ranking.Ranked{ranked("own", &one, 3), ranked("x", &two, 0)}, "own", ""},
		{"fewer copies", []ranking.Ranked{ranked("x", &one, 1), ranked("own", &one, 0), ranked("y", &two, 0)}, "own", "x"},
		{"as proposed", []ranking.Ranked{ranked("own", &one, 0), ranked("y", &one, 0), ranked("x", &one, 0)}, "x", "y own"},
	} {
		design, shared := tour.best(&ranking.Contest{Ranking: row.ranking})
		if design != row.design || strings.Join(shared, " ") != row.shared {
			t.Errorf("%s: %q with %v; want %q with %s", row.sentence, design, shared, row.design, row.shared)
		}
	}
}

// What is written uses the design that came first, and names its files from where it
// lies.
func TestTheWinnerIsWrittenWhereItRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	text := strings.Replace(orderBook, "shop: {uniform: [1, 40]}", "shop: {csv: {file: shops.csv, column: Shop}}", 1)
	s, err := scenarios.Parse("tables/orders.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	first := 1
	tour := &tournament{scenario: s, source: "tables", proposal: new(suggest.Proposal), folder: "c"}
	f := &designsFlags{suggestFlags: suggestFlags{suggest: true, write: filepath.Join("out", "won.yaml")}}
	contest := &ranking.Contest{Ranking: []ranking.Ranked{{Design: "day", Rank: &first}}}
	if _, err := f.winner(tour, contest); err == nil || !strings.Contains(err.Error(), "--write") {
		t.Errorf("winner into a folder that is not there: %v; want what cannot be written", err)
	}
	if err := os.Mkdir("out", 0o755); err != nil {
		t.Fatal(err)
	}
	path, err := f.winner(tour, contest)
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nuse: day\n", "../tables/shops.csv"} {
		if !strings.Contains(string(written), want) {
			t.Errorf("the scenario lacks %q:\n%s", want, written)
		}
	}
	contest.Ranking[0].Rank = nil
	if path, err := f.winner(tour, contest); path != "" || err != nil {
		t.Errorf("winner of a contest without one = %q, %v; want none", path, err)
	}
}
