package series

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare/contest"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// orderBook is a scenario of five designs: two that are hot, two that spread, and one
// that cannot serve an operation.
//
//go:embed testdata/orders.yaml
var orderBook string

// parsed reads a scenario, and gives values of it others: path=value.
func parsed(t testing.TB, text string, set ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("scenario.yaml", []byte(text))
	require.NoError(t, err)
	require.NoError(t, s.SetAll(scenarios.Settings(set...)))
	return s
}

// contestOf is a contest of a scenario in a folder of its own, by so many runs of each of
// the designs that are named.
func contestOf(t testing.TB, s *scenarios.Scenario, seeds int, designs ...string) ContestPlan {
	return ContestPlan{Run: run.Plan{Scenario: s, Out: t.TempDir()}, Designs: designs, Seeds: seeds}
}

// contested carries a contest out that comes to its end.
func contested(t testing.TB, p ContestPlan) *Contested {
	t.Helper()
	told, err := Contest(context.Background(), p)
	require.NoError(t, err)
	return told
}

// rankOf returns the designs of a contest by their names, and the names in their order.
func rankOf(c *contest.Contest) (rank map[string]*contest.Ranked, order []string) {
	rank = make(map[string]*contest.Ranked)
	for i := range c.Ranking {
		rank[c.Ranking[i].Design] = &c.Ranking[i]
		order = append(order, c.Ranking[i].Design)
	}
	return rank, order
}

// A hot key loses, what spreads does not differ, and what cannot serve comes last with its
// operation.
func TestContest(t *testing.T) {
	p := contestOf(t, parsed(t, orderBook, "phases.trade.for=1s"), 3, "day", "shop", "id")
	p.Run.Rival = true
	p.Alone = func(design string, seed uint64) []string { return []string{"run", design, fmt.Sprint(seed)} }
	p.Repeat = func(designs []string) string { return "contest of " + strings.Join(designs, ",") }
	var told bytes.Buffer
	p.Progress = &told
	c := contested(t, p)
	kept, err := contest.Open(c.Folder)
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(c.Contest, kept.Contest), "the contest (-was +kept)")
	assert.Len(t, kept.Records, 2)
	page, err := os.ReadFile(filepath.Join(string(c.Folder), contest.PageFile))
	assert.Truef(t, err == nil && bytes.Contains(page, []byte("<svg")),
		"the page: %v, %d bytes; want one with a picture", err, len(page))
	rank, order := rankOf(c.Contest)
	assert.Equal(t, []string{"shop", "day", "id"}, order, "what spreads comes first, what cannot serve last")
	id, day := rank["id"], rank["day"]
	assert.Truef(t, len(id.Cannot) == 1 && id.Cannot[0].Operation == "pack" && strings.Contains(id.Cannot[0].Why, "differs within a transaction") && len(id.Seeds) == 0,
		"id: %+v; want that it cannot pack", id)
	assert.Truef(t, *id.Rank > *day.Rank && *day.Rank > *rank["shop"].Rank && len(day.Seeds) == 3 && day.Behind != "",
		"day is at %d, by %d runs; want that it is shown to be behind, by three", *day.Rank, len(day.Seeds))
	assert.Truef(t, c.Profile == "documented" && c.Other == "headroom" && c.Survives != nil,
		"profiles %q and %q, survives %v; want both, and whether it survives", c.Profile, c.Other, c.Survives)
	assert.Equal(t, "contest of day,shop,id", c.Repeat, "repeated by")
	lines := told.String()
	assert.Truef(t, strings.HasPrefix(lines, "3 designs, 2 to run") && strings.Contains(lines, "12 of 12 runs"),
		"progress %q", lines)
	recordsOfContest(t, c, p.Run.Scenario)
}

// recordsOfContest checks that a design that ran has left the record of its first run,
// which repeats, and one that did not none.
func recordsOfContest(t *testing.T, c *Contested, s *scenarios.Scenario) {
	t.Helper()
	rank, _ := rankOf(c.Contest)
	for name, one := range rank {
		record, err := results.Read(results.Dir(filepath.Join(string(c.Folder), name)))
		if len(one.Cannot) > 0 {
			assert.Errorf(t, err, "%s cannot run and has left a record", name)
			continue
		}
		require.NoErrorf(t, err, "the record of the first run of %s", name)
		seed := seedOf(9, name, 0)
		assert.Equal(t, []string{"run", name, fmt.Sprint(seed)}, record.Manifest.Command)
		require.Truef(t, record.Manifest.Seed == seed && record.Summary != nil && record.Heat != nil,
			"%s: %+v", name, record.Manifest)
		alone, err := s.WithDesign(name)
		require.NoError(t, err)
		alone.Seed = seed
		was, is := record.Summary, simulated(t, alone).Summary
		assert.Equal(t, []int64{was.Attempts, was.Throttled, was.EntitiesCounted}, []int64{is.Attempts, is.Throttled, is.EntitiesCounted}, name)
	}
	for _, picture := range []string{"heat.png", "heat.svg"} {
		info, err := os.Stat(filepath.Join(string(c.Folder), picture))
		assert.Truef(t, err == nil && info.Size() >= 1000, "%s: %v; want a picture", picture, err)
	}
}

// In which order the designs are named changes not one byte. With one run each everything is told but
// a difference.
func TestOrderOfDesignsChangesNothing(t *testing.T) {
	s := parsed(t, orderBook, "phases.trade.for=1s")
	for seeds := 1; seeds <= resultstest.Cases(1, 2, 2); seeds++ {
		var files [2]bytes.Buffer
		for i, designs := range [][]string{{"day", "shop"}, {"shop", "day"}} {
			p := contestOf(t, s, seeds, designs...)
			p.Repeat = func(designs []string) string { return strings.Join(designs, ",") }
			c := contested(t, p)
			require.NoError(t, text.JSON(&files[i], c.Contest))
			assert.Truef(t, seeds > 1 || c.Winner == nil && c.Survives == nil && c.Other == "" && c.Ranking[0].Sustained.Interval == nil,
				"%+v; want no difference, and nothing of another profile", c.Contest)
		}
		assert.Equal(t, files[0].String(), files[1].String(), "the contest in two orders of its designs")
	}
}

// What is wrong with a plan is told by its field before a folder is made.
func TestImpossibleContests(t *testing.T) {
	alone := orderBook[:strings.Index(orderBook, "use:")] + "design: {partition_key: \"{shop}\", row_key: \"{id}\"}\n" + orderBook[strings.Index(orderBook, "phases:"):]
	unserved := orderBook[:strings.Index(orderBook, "use:")] + "use: id\ndesigns:\n  - {name: id, partition_key: \"{id}\", row_key: \"{shop}\"}\n" +
		"  - {name: other, partition_key: \"x{id}\", row_key: \"{at}\"}\n" + orderBook[strings.Index(orderBook, "phases:"):]
	for _, row := range []struct {
		sentence, text string
		with           func(p *ContestPlan)
		want           string
	}{
		{"no scenario", orderBook, func(p *ContestPlan) { p.Run.Scenario = nil }, "scenario: "},
		{"a scenario of one design", alone, func(p *ContestPlan) {}, "scenario orders has one design"},
		{"one design that was named", orderBook, func(p *ContestPlan) { p.Designs = []string{"shop"} }, "designs: "},
		{"two that are wrong", orderBook, func(p *ContestPlan) { p.Designs = []string{"shop", "ours", "shop"} }, "designs.1: "},
		{"no run", orderBook, func(p *ContestPlan) { p.Seeds = 0 }, "count: "},
		{"too many runs", orderBook, func(p *ContestPlan) { p.Seeds = 101 }, "count: "},
		{"an alpha and a price that are none", orderBook, func(p *ContestPlan) { p.Alpha, p.Price.PerMillion = 0.5, -1 }, "alpha "},
		{"memory for not one run", orderBook, func(p *ContestPlan) { p.Run.MemoryLimit = 1 << 20 }, "memory-limit: "},
		{"no design that can serve all", unserved, func(p *ContestPlan) { p.Suggest = true }, "suggest: "},
		{"a service that is not named", orderBook, func(p *ContestPlan) { p.Run.On = run.Remote }, "the scenario orders has 1 accounts"},
	} {
		s, err := scenarios.ParseContested("orders.yaml", []byte(row.text))
		require.NoError(t, err, row.sentence)
		p := contestOf(t, s, 2)
		p.Run.Out = filepath.Join(p.Run.Out, "none")
		row.with(&p)
		told, err := Contest(context.Background(), p)
		assert.Truef(t, told == nil && err != nil && strings.HasPrefix(err.Error(), row.want) && errors.Is(err, fields.ErrInvalid),
			"%s: %v; want %q", row.sentence, err, row.want)
		assert.NoDirExists(t, p.Run.Out, row.sentence)
	}
}

// An interrupt ends a contest at once: what was finished is ranked, the rest named.
func TestInterruptedContest(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c, err := Contest(ctx, contestOf(t, parsed(t, orderBook), 5, "day", "shop"))
	assert.Truef(t, errors.Is(err, context.Canceled) && strings.Contains(c.Verdict, "Ended early after 0 of 10 runs: it was interrupted. Not run: day, shop."),
		"%v, verdict %q; want who was not run", err, c.Verdict)
	var again contest.Contest
	text, err := os.ReadFile(filepath.Join(string(c.Folder), "contest.json"))
	require.NoError(t, errors.Join(err, json.Unmarshal(text, &again)))
	assert.Equal(t, c.Verdict, again.Verdict)
}

// A contest that ended early counts the same number of runs of each design that has any.
func TestUnfinishedContestIsEven(t *testing.T) {
	trial := new(contest.Trial)
	of := func(name string, trials ...*contest.Trial) *arm {
		return &arm{Arm: contest.Arm{Design: name}, trials: [2][]*contest.Trial{trials}}
	}
	c := &contestRun{plan: ContestPlan{Seeds: 4}, arms: []*arm{of("a", trial, trial, trial, nil), of("b", trial, nil, trial, nil), of("c", nil, nil, nil, nil)}}
	assert.Equal(t, 2, c.evenRuns(ownProfile), "runs of each")
	assert.Equal(t, "Ended early after 4 of 12 runs: it was interrupted. Not run: c.", endedEarly(context.Canceled, 4, 12, []string{"c"}))
	assert.Equal(t, "Ended early after 4 of 12 runs: the budget of billed transactions was spent.", endedEarly(run.ErrBudget, 4, 12, nil))
}
