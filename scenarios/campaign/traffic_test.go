package campaign_test

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// races is a small table whose traffic the tests fill in. It is loaded by one lane:
// of transactions due at one instant, in real time, either may come first, and which
// of them is throttled decides how long the load takes.
const races = `name: races
seed: 11
workers: 200
retry: short
model: {profile: documented, partition_target: 200}
attributes:
  event: {list: [NYC, Berlin, Oslo], weights: [2, 1, 1]}
  bib: {sequence: 1}
  age: {uniform: [18, 79]}
entity: {size: 600, filler: Notes, properties: [{name: Age, type: Int32, value: "{age}"}]}
design: {partition_key: "{event}", row_key: "{bib}__{age}"}
phases:
  - {name: load, load: {entities: 300, transaction: 100, lanes: 1}}
  - {name: measure, traffic: {%s}}
`

// offers are the operations of most tests.
const offers = "partitions: all, " + offered

// offered are those operations for partitions that a test names.
const offered = `operations: [{verb: get, weight: 5}, {verb: insert, weight: 2}, {verb: replace}, {name: pay, verb: merge, properties: [{name: Age, type: Int32, value: "{age}"}]}, {verb: delete}, {verb: query, rows: 5}, {verb: batch, entities: 3}]`

// keyedRows is a trace of every verb of a single entity, and of keys that are
// there and are not.
func keyedRows() string {
	verbs := []string{"get", "insert", "replace", "merge", "insert-or-replace", "insert-or-merge", "delete"}
	var text strings.Builder
	for n := range 800 {
		fmt.Fprintf(&text, "%d.%03d,%s,%s,%d\n", n/160, n%160*6, verbs[n%7], []string{"NYC", "Rome"}[n/7%2], n/14)
	}
	return text.String()
}

// trafficked returns a scenario with traffic, whose trace has been read.
func trafficked(t testing.TB, traffic string, trace string) *scenarios.Scenario {
	t.Helper()
	s := parsed(t, fmt.Sprintf(races, traffic))
	require.NoError(t, s.ReadFiles(func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(trace)), nil }))
	return s
}

// inRaces carries a scenario out, in virtual time where there is no clock.
func inRaces(t testing.TB, s *scenarios.Scenario, clk clock.Clock) ran {
	t.Helper()
	return newWorld(t, s, clk).run(t, campaign.Options{Scenario: s, Table: "races"})
}

func TestPhasesOfTraffic(t *testing.T) {
	for _, test := range []struct{ name, traffic, want string }{
		{"one for all", "arrivals: {constant: 100}, for: 4s, " + offers, "measure 0s to 4s 100/s, reported"},
		{"the warm-up is not reported", "arrivals: {constant: 100}, for: 4s, warm_up: 1s, " + offers,
			"measure (warm-up) 0s to 1s 100/s; measure 1s to 4s 100/s, reported"},
		{"a ramp has the mean of its part", "arrivals: {ramp: {from: 0, to: 400}}, for: 4s, warm_up: 2s, " + offers,
			"measure (warm-up) 0s to 2s 100/s, varying; measure 2s to 4s 300/s, reported, varying"},
		{"steps are phases, less the warm-up", "arrivals: {steps: {rates: [100, 200, 100], each: 2s}}, warm_up: 3s, " + offers,
			"measure (warm-up) 0s to 3s 133/s, varying; measure 200/s 3s to 4s 200/s, reported; measure 100/s #2 4s to 6s 100/s, reported"},
		{"clients have no rate", "clients: 10, think: 100ms, for: 4s, warm_up: 1s, " + offers,
			"measure (warm-up) 0s to 1s 0/s; measure 1s to 4s 0/s, reported"},
	} {
		record := simulated(t, trafficked(t, test.traffic, ""))
		var got []string
		var start time.Duration
		for _, p := range record.Phases {
			if p.Stage != "measure" {
				continue
			}
			if got == nil {
				start = p.Begin
			}
			words := fmt.Sprintf("%s %v to %v %.0f/s", p.Name, p.Begin-start, p.End-start, p.Rate)
			if p.Reported {
				words += ", reported"
			}
			if p.Varying {
				words += ", varying"
			}
			got = append(got, words)
			sent := scheduledOf(&p)
			assert.NotZero(t, sent, p.Name)
			assert.Truef(t, p.Rate == 0 || math.Abs(float64(sent)-p.Rate*p.Seconds()) <= 2, "%s: %s has %d operations", test.name, words, sent)
		}
		assert.Equal(t, test.want, strings.Join(got, "; "), test.name)
	}
}

// The rows of a trace decide what is done to which entity, and when.
func TestTraceDecidesOperationAndKey(t *testing.T) {
	const rows = "0,get,NYC,1\n0.25,pay,Rome,r\n0.25,insert,Rome,s\n1,delete,NYC,1\n"
	s := trafficked(t, `arrivals: {trace: t.csv, peak: 6}, operations: [{verb: get}, {name: pay, verb: insert-or-merge, properties: [{name: Age, type: Int32, value: "{age}"}]}, {verb: insert}, {verb: delete}]`, rows)
	w := newWorld(t, s, nil)
	var asked []target.Operation
	noting := targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
		asked = append(asked, *op)
		return w.Submit(now, op)
	})
	recorded(t, carry(t, t.Context(), &drive.Virtual{Target: noting}, campaign.Options{Scenario: s, Table: "races"}, nil))
	var got []string
	for _, op := range asked {
		if op.Verb.IsChange() && op.Change.Key.Partition != "~loadgen" || op.Verb == entity.Get {
			got = append(got, fmt.Sprintf("%v %v %d", op.Verb, op.Change.Key, len(op.Change.Properties)))
		}
	}
	assert.Len(t, got, 8, "each row twice: the first second has three, and a peak of six")
	assert.Equal(t, []string{"get {NYC 1} 0", "insert-or-merge {Rome r} 1", "insert {Rome s} 2", "delete {NYC 1} 0"}, slices.Compact(got))
}

// A load that is the same all the time has come to rest after the ten seconds that
// are measured at least, whichever runner asks.
func TestStopsWhenStable(t *testing.T) {
	for _, test := range []struct {
		name, traffic string
		// seconds is how long the phase that is reported lasts, count how many
		// operations it has, where chance does not decide.
		seconds time.Duration
		count   int64
	}{
		{"constant arrivals are stable at once", "arrivals: {constant: 100}, for: 60s, stop_when_stable: 2%, operations: [{verb: get}]", 10, 1000},
		{"a warm-up does not count", "arrivals: {constant: 100}, for: 60s, warm_up: 3s, stop_when_stable: 2%, operations: [{verb: get}]", 10, 1000},
		{"so are clients", "clients: 50, think: 100ms, for: 60s, stop_when_stable: 5%, operations: [{verb: get}]", 10, 0},
		{"what never is goes on to its end", "arrivals: {poisson: 20}, for: 15s, stop_when_stable: 0.0001%, operations: [{verb: get}]", 15, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := set(t, trafficked(t, test.traffic, ""), "model.time_spread=0")
			live, virtual := bothWays(t, campaign.Options{Scenario: s, Table: "races"})
			sameFiles(t, live, virtual)
			p := reported(t, virtual.record)
			assert.Equal(t, test.seconds*time.Second, p.End-p.Begin)
			offered, count := int64(0), int64(0)
			for k := range p.Kinds {
				count += p.Kinds[k].Scheduled
				offered += p.Kinds[k].LastHalf.Offered
			}
			assert.NotZero(t, offered, "the last half of the phase has what was offered")
			assert.Truef(t, test.count == 0 || count == test.count, "%d operations became due; want none after the load had come to rest", count)
		})
	}
}

// A load that has come to rest drains for no longer than it may, however long its
// retries wait.
func TestStableLoadLimitsDrain(t *testing.T) {
	eachWay(t, "at rest", func(t *testing.T, clk clock.Clock) {
		s := set(t, trafficked(t, "arrivals: {constant: 400}, partitions: [NYC], for: 10m, drain: 2s, stop_when_stable: 90%, operations: [{verb: get}]", ""), "retry=documented")
		record := inRaces(t, s, clk).record
		p := reported(t, record)
		assert.NotZero(t, record.Total(results.Reported).Cut)
		assert.LessOrEqual(t, record.Duration, p.End+3*time.Second)
		assert.LessOrEqual(t, p.End-p.Begin, 20*time.Second)
	})
}

// A budget that is exceeded ends the run, partial, and its table is dropped.
func TestStopsOnABudget(t *testing.T) {
	for _, test := range []struct {
		name, traffic string
		// of is the budget that ends the run.
		of string
		// live is a run whose workers are too few.
		live bool
	}{
		{"too much is throttled", "arrivals: {constant: 1200}, for: 60s, stop_on: [failed > 1%, throttled > 20%], operations: [{verb: get}]", "throttled > 20%", false},
		{"what is got is not there", "arrivals: {trace: t.csv}, stop_on: [failed > 10%]", "failed > 10%", false},
		{"too much is late", "arrivals: {constant: 400}, for: 60s, stop_on: [late > 5%], operations: [{verb: get}]", "late > 5%", true},
		{"too much is not sent", "arrivals: {constant: 400}, for: 60s, stop_on: [dropped > 5%], operations: [{verb: get}]", "dropped > 5%", true},
	} {
		var missing strings.Builder
		for n := range 1000 {
			fmt.Fprintf(&missing, "%d.%02d,get,NYC,none\n", n/100, n%100)
		}
		eachWay(t, test.name, func(t *testing.T, clk clock.Clock) {
			s := trafficked(t, test.traffic, missing.String())
			if test.live {
				s.Workers = 1
			}
			if test.live && clk == nil {
				return
			}
			r := inRaces(t, s, clk)
			require.ErrorIs(t, r.ended, drive.ErrStopped)
			assert.Contains(t, r.ended.Error(), test.of)
			assert.Empty(t, verdict.Books(r.record))
			assert.LessOrEqual(t, r.record.Duration, 12*time.Second)
			assert.Equal(t, "drop", r.record.Phases[len(r.record.Phases)-1].Name, "the last phase")
		})
	}
}
