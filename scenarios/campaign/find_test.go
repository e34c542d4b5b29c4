package campaign_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
	"loadgen/target"
)

var seeds = flag.Int("seeds", resultstest.Cases(1, 3), "how many hidden limits the rate finder is sent after")

// hiding returns a scenario of merges on so many partitions, whose limits are
// hidden from whoever searches it: 0 is none.
func hiding(t testing.TB, seed uint64, partitions int, partition, account float64, settings ...string) *scenarios.Scenario {
	t.Helper()
	settings = append([]string{"start=warm", "retry=none", fmt.Sprintf("seed=%d", seed),
		fmt.Sprintf("phases.spread.partitions=%d", partitions), "phases.spread.entities=100",
		fmt.Sprintf("model.partition_target=%.0f", partition), fmt.Sprintf("model.account_target=%.0f", account)}, settings...)
	return builtin(t, "simulate", settings...)
}

// finding returns the search of the tests: of one partition, with the documented
// share, steps of a hundred times the documented burst.
func finding(of string, from float64) *campaign.Find {
	return &campaign.Find{Of: of, MaxThrottled: .005, From: from, UpTo: 100_000, Step: 10 * time.Second, Burst: 100 * time.Millisecond}
}

// found is what a search came to.
type found struct {
	record *results.Record
	limit  *results.Limit
	counts target.Counts
}

// look carries a search out in virtual time on the real engine.
func look(t testing.TB, s *scenarios.Scenario, find *campaign.Find, observers ...drive.Observer) found {
	t.Helper()
	return lookAt(t, s, find, worldOn(engineOf(t, s, !s.Reads()), s, nil), observers...)
}

// searched carries a search out, whatever ends it, and holds the record to have it.
func searched(t testing.TB, ctx context.Context, runner drive.Runner, s *scenarios.Scenario, find *campaign.Find, observers ...drive.Observer) ran {
	t.Helper()
	require.Empty(t, find.Validate())
	r := carry(t, ctx, runner, campaign.Options{Scenario: s, Table: "races", Find: find}, &drive.Ledger{Observers: observers})
	require.NotNil(t, r.record.Limit, "the record holds no search")
	return r
}

// lookAt carries a search out on a target in virtual time.
func lookAt(t testing.TB, s *scenarios.Scenario, find *campaign.Find, over target.Immediate, observers ...drive.Observer) found {
	t.Helper()
	record := recorded(t, searched(t, t.Context(), &drive.Virtual{Target: over}, s, find, observers...))
	f := found{record: record, limit: record.Limit}
	if counter, keeps := over.(target.Counter); keeps {
		f.counts = counter.Counts()
	}
	return f
}

// hidden returns the limit that a seed hides: up to 20,000 entities/s where many
// seeds are asked for, and fewer in a quick look.
func hidden(seed uint64) float64 {
	most := 500.0
	if *seeds > 3 {
		most = 20_000
	}
	draw := clock.NewStream(seed, "hidden limit").Draw(0)
	return math.Round(logUniform(draw.Float64(), 200, most))
}

// TestSearchFindsHiddenLimits has the real engine hide a limit L. Of a rate r the
// share 1 − L/r is throttled, so that L/(1−x) is the highest at which no more than x
// is. Of 40 limits 38 are to be found within 2%, from below and from above.
func TestSearchFindsHiddenLimits(t *testing.T) {
	for _, row := range []struct {
		of         string
		partitions int
		scenario   func(seed uint64, limit float64) *scenarios.Scenario
	}{
		{results.LimitPartition, 1, func(seed uint64, limit float64) *scenarios.Scenario { return hiding(t, seed, 3, limit, 0) }},
		{results.LimitAccount, 12, func(seed uint64, limit float64) *scenarios.Scenario {
			// Each partition bears a sixth of the account's limit: they are enough.
			return hiding(t, seed, 12, math.Ceil(limit/6), limit, "model.account_burst=100ms")
		}},
	} {
		// Each seed has a place of its own for what it missed.
		said := make([]string, *seeds)
		t.Run(row.of, func(t *testing.T) {
			for seed := range said {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					t.Parallel()
					limit := hidden(uint64(seed))
					said[seed] = misses(t, row.scenario(uint64(seed), limit), row.of, row.partitions, limit)
				})
			}
		})
		missed := slices.DeleteFunc(said, func(miss string) bool { return miss == "" })
		if most := *seeds / 20; len(missed) > most {
			t.Errorf("%s: %d of %d limits missed; want at most %d (go test ./scenarios/campaign -run HiddenLimits -seeds %d)\n%s",
				row.of, len(missed), *seeds, most, *seeds, strings.Join(missed, "\n"))
		}
	}
}

// misses sends the search after a limit, from below and from above, and returns
// what it found where it is not that.
func misses(t *testing.T, s *scenarios.Scenario, of string, partitions int, limit float64) string {
	t.Helper()
	want := limit / (1 - .005)
	below := look(t, s, finding(of, limit/5))
	above := below
	if *seeds > 1 {
		above = look(t, s, finding(of, limit*3))
	}
	assert.Equalf(t, partitions, below.limit.Partitions, "%s: the load is spread over", of)
	low, lowHolds := within(below.limit, want)
	high, highHolds := within(above.limit, want)
	if lowHolds && highHolds && math.Abs(high/low-1) <= .02 {
		return ""
	}
	return fmt.Sprintf("%s, seed %d: L/(1−x) = %.1f; found %.1f from below, %.1f from above", of, s.Seed, want, low, high)
}

// within returns the highest rate that held, and whether it is a proper answer
// within 2% of what was to be found.
func within(l *results.Limit, want float64) (float64, bool) {
	if l.Held == nil || l.NotHeld == nil || !l.Finished || l.By != results.LimitThrottled {
		return 0, false
	}
	return *l.Held, math.Abs(*l.Held/want-1) <= .02 && math.Abs(*l.NotHeld/want-1) <= .03
}

func kindNamed(t testing.TB, record *results.Record, name string) int {
	t.Helper()
	k := slices.IndexFunc(record.Manifest.Operations, func(kind results.Kind) bool { return kind.Name == name })
	require.GreaterOrEqual(t, k, 0, name)
	return k
}

// A search that is stopped keeps the steps that came to their ends, and what the
// one under way has spent.
func TestStoppedSearchKeepsSteps(t *testing.T) {
	s := hiding(t, 9, 3, 700, 0)
	w := worldOn(engineOf(t, s, true), s, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	attempts := 0
	r := searched(t, ctx, w.runner(), s, finding(results.LimitPartition, 400), watching(func(*results.Attempt) {
		if attempts++; attempts == 6000 {
			cancel()
		}
	}))
	require.ErrorIs(t, r.ended, context.Canceled, "Run")
	l := r.record.Limit
	// 300 operations drain before the 4,000 of the first step, which holds; a part of the second.
	require.Truef(t, len(l.Steps) == 1 && !l.Finished && l.Held != nil && *l.Held == 400 && l.NotHeld == nil,
		"the search = %+v; want one step that held 400/s, unfinished", l)
	assert.Truef(t, l.Steps[0].Entities == 4300 && l.Steps[0].Scheduled == 4000 && l.Entities > 4300, "%+v", l)
	assert.Equal(t, w.engine.Counts().Entities, l.Entities+1, "and one for the marker")
}

// watching is an observer that is told of attempts alone.
type watching func(*results.Attempt)

func (w watching) Attempt(a *results.Attempt) { w(a) }

func (watching) Completed(*results.Completed) {}

// A peak's single partition gives way to all that were loaded where an account is searched
// for its limit; partitions that a spread or traffic names are those that it is about.
func TestSearchUsesNamedPartitions(t *testing.T) {
	const named = `name: named
attributes: {p: {list: [a, b, c]}, id: {sequence: 1}}
design: {partition_key: "{p}", row_key: "{id}"}
phases:
  - {name: fill, load: {entities: 300}}
  - {name: offered, %s: {partitions: [a], for: 2s, operations: [{verb: get}], %s}}
`
	rows := []struct {
		name string
		s    *scenarios.Scenario
		of   string
		many int
	}{
		{"a partition", hiding(t, 9, 3, 700, 0), results.LimitPartition, 1},
		{"an account", hiding(t, 9, 3, 700, 0), results.LimitAccount, 3},
		{"an account, by a spread over one", parsed(t, fmt.Sprintf(named, "spread", "rate: 10")), results.LimitAccount, 1},
		{"an account, by traffic of one", parsed(t, fmt.Sprintf(named, "traffic", "arrivals: {constant: 10}")), results.LimitAccount, 1},
		{"events, which make their partitions", ordered(t, "copied", "arrivals: {constant: 60}, for: 5s, operations: [{verb: insert}]"), results.LimitPartition, 0},
		{"nothing that is offered", hiding(t, 9, 3, 700, 0), results.LimitPartition, 0},
	}
	rows[len(rows)-1].s.Phases = nil
	for _, row := range rows {
		c := planned(t, campaign.Options{Scenario: row.s, Table: "named", Find: finding(row.of, 10)})
		over, err := c.SearchedPartitions()
		if row.many == 0 {
			assert.ErrorIs(t, err, campaign.ErrFind, row.name)
			continue
		}
		require.NoError(t, err, row.name)
		assert.Len(t, over, row.many, row.name)
		f, need := c.Forecast(), c.Footprint(false)
		assert.Truef(t, f.Requests > 0 && f.Requests <= f.AtMost, "%s: %+v", row.name, f)
		assert.Truef(t, need.Entities == 0 && need.Waiting > 0 && need.Record > 0, "%s: %+v", row.name, need)
	}
}

// An operation that is retried counts once, by its first attempt.
func TestSearchCountsFirstAttempts(t *testing.T) {
	s := hiding(t, 10, 3, 700, 0, "retry=short")
	throttled := make(map[int]int64) // of first attempts, by phase
	f := look(t, s, finding(results.LimitPartition, 400), watching(func(a *results.Attempt) {
		if a.Try == 0 && a.Class == results.Throttled {
			throttled[a.Phase]++
		}
	}))
	retried := false
	at := make(map[string]int)
	for i, phase := range f.record.Phases {
		at[phase.Name] = i
	}
	for _, step := range f.limit.Steps {
		phase := f.record.Phases[at[step.Phase]]
		sum := phase.Kinds[kindNamed(t, f.record, "merge")]
		retried = retried || sum.Attempts > sum.Operations
		assert.Equal(t, step.Phase, phase.Name)
		assert.Equal(t, float64(throttled[at[step.Phase]])/float64(sum.Operations), step.ThrottledShare, step.Phase)
	}
	// Retries take their share of the limit, so that no more than it holds.
	assert.Truef(t, retried && f.limit.Held != nil && *f.limit.Held <= 700*1.01/.995 && *f.limit.Held >= 690,
		"with retries (%v) the interval = %s; want about 700/s", retried, interval(f.limit))
}

func TestFindValidateReportsAllFaults(t *testing.T) {
	for _, row := range []struct {
		name  string
		alter func(*campaign.Find)
		// paths are those of the faults, in order.
		paths string
	}{
		{"a search that is possible has no fault", func(*campaign.Find) {}, ""},
		{"no share may be throttled", func(f *campaign.Find) { f.MaxThrottled = 0 }, ""},
		{"a limit of something else", func(f *campaign.Find) { f.Of = "table" }, "find-limit"},
		{"all throttled is nothing held", func(f *campaign.Find) { f.MaxThrottled = 1 }, "find-limit.throttled"},
		{"a share that is no number", func(f *campaign.Find) { f.MaxThrottled = math.NaN() }, "find-limit.throttled"},
		{"a negative p99", func(f *campaign.Find) { f.MaxP99 = -1 }, "find-limit.p99"},
		{"a first rate of nothing", func(f *campaign.Find) { f.From = 0 }, "find-limit.from"},
		{"a highest rate below the first", func(f *campaign.Find) { f.UpTo = 99 }, "find-limit.to"},
		{"a highest rate beyond all bounds", func(f *campaign.Find) { f.UpTo = 1e9 }, "find-limit.to"},
		{"a step that is too short", func(f *campaign.Find) { f.Step = 1999 * time.Millisecond }, "find-limit.step"},
		{"a step that is too long", func(f *campaign.Find) { f.Step = 61 * time.Minute }, "find-limit.step"},
		{"all at once", func(f *campaign.Find) { *f = campaign.Find{MaxThrottled: 2, MaxP99: -1} }, "find-limit find-limit.throttled find-limit.p99 find-limit.from find-limit.step"},
	} {
		f := *finding(results.LimitPartition, 100)
		row.alter(&f)
		var paths []string
		for _, err := range f.Validate() {
			var fault fields.Fault
			assert.Truef(t, errors.As(err, &fault), "%s: %v is no fault of a field", row.name, err)
			paths = append(paths, fault.Path)
		}
		assert.Equalf(t, row.paths, strings.Join(paths, " "), "%s: faults of", row.name)
	}
}

// search has an oracle answer a search from a rate up to another, and returns what it found and
// the number of steps. The oracle is told how many steps came before.
func search(t *testing.T, from, upTo float64, oracle func(rate float64, n int) string) (found campaign.Interval, n int) {
	t.Helper()
	f := &campaign.Find{From: from, UpTo: upTo}
	var steps []results.LimitStep
	for {
		rate, more := f.Next(steps)
		if !more {
			return campaign.NewInterval(steps), len(steps)
		}
		require.Truef(t, len(steps) <= 40, "Next() after %d steps = %v; want an end", len(steps), rate)
		steps = append(steps, results.LimitStep{Rate: rate, Outcome: oracle(rate, len(steps))})
	}
}

// limited is the oracle of a limit without noise.
func limited(limit float64, why string) func(float64, int) string {
	return func(rate float64, _ int) string {
		if rate <= limit {
			return results.LimitHeld
		}
		return why
	}
}

func TestSearchEnclosesLimitFromAnyStart(t *testing.T) {
	chance := clock.NewStream(1, "limits")
	for n := range uint64(2000) {
		draw := chance.Draw(n)
		limit := logUniform(draw.Float64(), campaign.LowestRate, campaign.HighestRate/2)
		from := logUniform(draw.Float64(), campaign.LowestRate, campaign.HighestRate)
		a, steps := search(t, from, campaign.HighestRate, limited(limit, results.LimitThrottled))
		require.Truef(t, a.By == results.LimitThrottled && a.Held <= limit && a.NotHeld > limit && a.NotHeld <= a.Held*1.01,
			"draw %d: the interval of %v from %v = %+v; want one of 1%% around it", n, limit, from, a)
		// Doubling or halving to the other side of the limit, seven steps to
		// halve a doubling to 1%, and one more for each end.
		bound := math.Ceil(math.Abs(math.Log2(limit/from))) + 1 + 7 + 2
		require.Truef(t, float64(steps) <= bound,
			"draw %d: the search for %v from %v took %d steps; want at most %v", n, limit, from, steps, bound)
	}
}

// logUniform returns a number between two, as likely to be of any magnitude.
func logUniform(chance, low, high float64) float64 { return low * math.Pow(high/low, chance) }

func TestSearchEndsAtBounds(t *testing.T) {
	for _, row := range []struct {
		name              string
		from, upTo, limit float64
		why               string
		held, not         float64
		by                string
		steps, least      int
	}{
		{"a rate that holds at the upper bound is not exceeded", 500, 4000, 1e9, "", 4000, 0, "", 5, 0},
		{"an upper bound that is no doubling is tried itself", 500, 3000, 1e9, "", 3000, 0, "", 5, 0},
		{"one rate alone is tried twice", 500, 500, 1e9, "", 500, 0, "", 2, 0},
		{"a rate that fails at the lower bound is not undercut", 8, 16, 1, results.LimitP99, 0, 2, results.LimitP99, 4, 0},
		{"the criterion is that of the lower of two rates that fail", 100, 1000, 150, results.LimitFailed, 0, 0, results.LimitFailed, 0, 0},
	} {
		a, steps := search(t, row.from, row.upTo, limited(row.limit, row.why))
		assert.Equal(t, row.by, a.By, row.name)
		if row.steps > 0 {
			assert.Equal(t, [3]float64{row.held, row.not, float64(row.steps)}, [3]float64{a.Held, a.NotHeld, float64(steps)}, row.name)
		}
	}
}

// One step in fifty lies, and a search has about fourteen. Without a second look at
// both ends an eighth of the searches goes astray: a lie far from the limit leaves
// it outside the interval, at whose end it is then found out. Where every second step lies,
// which is a coin, the search ends as well, with an interval.
func TestSearchSurvivesWrongStep(t *testing.T) {
	chance := clock.NewStream(3, "lies")
	const searches = 400
	for _, lies := range []float64{.02, .5} {
		astray := 0
		for n := range uint64(searches) {
			draw := chance.Draw(n)
			limit := logUniform(draw.Float64(), 200, 20_000)
			a, _ := search(t, 500, campaign.HighestRate, func(rate float64, step int) string {
				noise := chance.Try(n, step+1)
				if rate <= limit != (noise.Float64() < lies) {
					return results.LimitHeld
				}
				return results.LimitThrottled
			})
			require.Falsef(t, a.NotHeld > 0 && a.Held >= a.NotHeld, "draw %d: the interval is %+v; want Held < NotHeld", n, a)
			if math.Abs(a.Held/limit-1) > .02 {
				astray++
			}
		}
		// What is left are two lies at one end, and one of a second look: not above 5%,
		// and three standard deviations of that many draws.
		if most := 0.05*searches + 3*math.Sqrt(searches*.05*.95); lies < .5 && float64(astray) > most {
			t.Errorf("%d of %d searches went astray; want at most %.0f", astray, searches, most)
		}
	}
}
