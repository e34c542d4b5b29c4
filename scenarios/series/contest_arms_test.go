package series

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/report/compare/contest"
	"loadgen/scenarios"
	"loadgen/scenarios/advise/suggest"
	"loadgen/scenarios/run"
)

// Every design meets the same events: at one seed the attributes of the same event have
// the same values, the same operations are due at the same instants, and the design
// changes the keys alone.
func TestDesignsOfAContestMeetTheSameEvents(t *testing.T) {
	base := parsed(t, orderBook)
	var first []int64
	for _, design := range []string{"day", "shop", "hour"} {
		s, err := base.WithDesign(design)
		require.NoError(t, err)
		g, err := s.Generator()
		require.NoError(t, err)
		var events []int64
		for n := range uint64(300) {
			for _, p := range g.Properties(n) {
				if p.Name == "Shop" {
					events = append(events, p.Value.Int())
				}
			}
		}
		record := simulated(t, s)
		for i := range record.Phases {
			for j := range record.Phases[i].Kinds {
				events = append(events, record.Phases[i].Kinds[j].Scheduled)
			}
		}
		if first == nil {
			first = events
		}
		assert.Truef(t, slices.Equal(events, first) && len(events) >= 303,
			"design %s meets %v; want the events of the first, %v", design, events, first)
	}
}

// Seeds depend on root, design and run, and on nothing else; no two are the same.
func TestSeedsOfAContest(t *testing.T) {
	seen := map[uint64]bool{}
	for _, root := range []uint64{0, 1, 9} {
		for _, design := range []string{"a", "b", "ab"} {
			for run := range 100 {
				seed := seedOf(root, design, run)
				require.Truef(t, !seen[seed] && seed < 1<<53 && seed == seedOf(root, design, run),
					"seedOf(%d, %s, %d) = %d, which was met before or is larger than 53 bits", root, design, run, seed)
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
		n := needsOf(parsed(t, strings.Replace(orderBook, "expect: [throttled(order) < 1%, p99(order) < 100ms]", "expect: ["+row.expect+"]", 1)))
		assert.Lenf(t, n.Within, len(row.want), "%s: within %v; want %v", row.sentence, n.Within, row.want)
		for name, want := range row.want {
			assert.Equalf(t, want, n.Within[name], "%s: %s within", row.sentence, name)
		}
		assert.Truef(t, n.Entities["pack"] == 2 && n.Entities["order"] == 1 && n.Reads["mine"] && !n.Reads["order"] && !n.Reads["pack"],
			"%s: entities %v, reads %v; want 2 of a pack, and mine to read", row.sentence, n.Entities, n.Reads)
	}
}

// The designs take turns, there and back, whatever their order in the file, and under the other profile
// in virtual time. A run is of its design and seed, and judged by the same checks.
func TestMatchesOfAContest(t *testing.T) {
	base := parsed(t, orderBook)
	arms := []*arm{{Arm: contest.Arm{Design: "c"}}, {Arm: contest.Arm{Design: "a"}}, {Arm: contest.Arm{Design: "b"}},
		{Arm: contest.Arm{Design: "x", Cannot: []contest.Obstacle{{}}}}}
	for i := range arms {
		arms[i].scenario = base
	}
	for _, row := range []struct {
		on          run.Place
		other, want string
	}{
		{run.InProcess, "", "a-1 b-1 c-1 c-2 b-2 a-2 a-3 b-3 c-3"},
		{run.Simulated, model.Headroom, "c-1 c-1-headroom a-1 a-1-headroom b-1 b-1-headroom c-2 c-2-headroom a-2 a-2-headroom b-2 b-2-headroom " +
			"c-3 c-3-headroom a-3 a-3-headroom b-3 b-3-headroom"},
	} {
		c := &contestRun{plan: ContestPlan{Run: run.Plan{On: row.on}, Seeds: 3}, other: row.other, arms: arms}
		var got []string
		for _, one := range c.matches() {
			name := fmt.Sprintf("%s-%d", one.arm.Design, one.run+1)
			s := one.scenario(9)
			if s.Model.Profile != model.Documented {
				name += "-" + s.Model.Profile
			}
			got = append(got, name)
			assert.Truef(t, len(s.Expect) == 2 && s.Seed == seedOf(9, one.arm.Design, one.run),
				"%s: %d claims, seed %d", name, len(s.Expect), s.Seed)
		}
		assert.Equal(t, row.want, strings.Join(got, " "))
	}
}

// What is suggested runs.
func TestSuggestedScenarioRuns(t *testing.T) {
	p := contestOf(t, parsed(t, orderBook, "phases.trade.for=1s"), 2, "day")
	p.Suggest = true
	c := contested(t, p)
	require.Truef(t, c.Proposal != nil && len(c.Proposal.Candidates) != 0 && c.Written == filepath.Join(string(c.Folder), "suggested.yaml"),
		"proposal %+v in %s; want candidates, and the winner written", c.Proposal, c.Written)
	text, err := os.ReadFile(c.Written)
	require.Truef(t, err == nil && strings.HasPrefix(string(text), "# Scenario orders with design "),
		"%v: %.80s", err, text)
	assert.Truef(t, slices.ContainsFunc(c.Ranking, func(r contest.Ranked) bool {
		return *r.Rank == 1 && strings.Contains(string(text), "\nuse: "+r.Design+"\n")
	}), "the scenario does not use a design that came first:\n%s", text)
	simulated(t, parsed(t, string(text)))
}

// Of designs that share the first place it is not chance which is written.
func TestTheBestOfSeveral(t *testing.T) {
	one, two := 1, 2
	ranked := func(design string, rank *int, copies int) contest.Ranked {
		return contest.Ranked{Design: design, Rank: rank, Copies: copies}
	}
	c := &contestRun{proposal: &suggest.Proposal{Candidates: []suggest.Candidate{{Design: scenarios.Design{Name: "x"}}, {Design: scenarios.Design{Name: "y"}}}}}
	for _, row := range []struct {
		sentence       string
		ranking        []contest.Ranked
		design, shared string
	}{
		{"nothing was run", nil, "", ""},
		{"none can", []contest.Ranked{{Design: "x", Rank: &one, Cannot: []contest.Obstacle{{}}}}, "", ""},
		{"a winner", []contest.Ranked{ranked("own", &one, 3), ranked("x", &two, 0)}, "own", ""},
		{"fewer copies", []contest.Ranked{ranked("x", &one, 1), ranked("own", &one, 0), ranked("y", &two, 0)}, "own", "x"},
		{"the scenario's own", []contest.Ranked{ranked("y", &one, 0), ranked("own", &one, 0), ranked("x", &one, 0)}, "own", "x y"},
	} {
		design, shared := c.bestDesign(&contest.Contest{Ranking: row.ranking})
		assert.Truef(t, design == row.design && strings.Join(shared, " ") == row.shared,
			"%s: %q with %v; want %q with %s", row.sentence, design, shared, row.design, row.shared)
	}
}

// What is written uses the design that came first, and names its files from where it
// lies.
func TestTheWinnerIsWrittenWhereItRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	text := strings.Replace(orderBook, "shop: {uniform: [1, 40]}", "shop: {csv: {file: shops.csv, column: Shop}}", 1)
	first := 1
	c := &contestRun{plan: ContestPlan{Source: "tables", Write: filepath.Join("out", "won.yaml")}, scenario: parsed(t, text), proposal: new(suggest.Proposal), folder: "c"}
	told := &contest.Contest{Ranking: []contest.Ranked{{Design: "day", Rank: &first}}}
	_, err := c.writeScenario(told)
	assert.EqualError(t, err, "write: no such file or directory")
	require.NoError(t, os.Mkdir("out", 0o755))
	path, err := c.writeScenario(told)
	require.NoError(t, err)
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(written), "\nuse: day\n")
	assert.Contains(t, string(written), "../tables/shops.csv")
	told.Ranking[0].Rank = nil
	path, err = c.writeScenario(told)
	assert.Truef(t, path == "" && err == nil, "winner of a contest without one = %q, %v; want none", path, err)
}
