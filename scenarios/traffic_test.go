package scenarios_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/fields"
)

// trafficking is the race with traffic in place of its peak; operations are upserts where the
// text has none.
func trafficking(t testing.TB, base, traffic string) string {
	t.Helper()
	text := edited(t, base)
	line := strings.LastIndex(text, "    traffic: ")
	if !strings.Contains(traffic, "operations: ") {
		traffic += ", " + upserts
	}
	return text[:line] + "    traffic: {" + traffic + "}\n"
}

func TestTrafficIsReadAndWritten(t *testing.T) {
	base := scenarios.Traffic{Unit: "operations", Drain: 5 * time.Second, Entities: 1000, For: time.Minute}
	with := func(change func(*scenarios.Traffic)) scenarios.Traffic {
		one := base
		change(&one)
		return one
	}
	arriving := func(a scenarios.Arrivals) func(*scenarios.Traffic) {
		return func(t *scenarios.Traffic) { t.Arrivals = &a }
	}
	for _, tt := range []struct {
		name, text string
		want       scenarios.Traffic
	}{
		{"a constant rate", "arrivals: {constant: 500}, for: 1m", with(arriving(scenarios.Arrivals{Constant: 500}))},
		{"random arrivals", "arrivals: {poisson: 0.5}, for: 1m", with(arriving(scenarios.Arrivals{Poisson: .5}))},
		{"a ramp from nothing", "arrivals: {ramp: {from: 0, to: 900}}, for: 1m", with(arriving(scenarios.Arrivals{Ramp: &scenarios.Ramp{To: 900}}))},
		{"steps, which need no for", "arrivals: {steps: {rates: [5, 7.5], each: 5s}}", with(func(t *scenarios.Traffic) {
			t.For, t.Arrivals = 0, &scenarios.Arrivals{Steps: &scenarios.Steps{Rates: []float64{5, 7.5}, Each: 5 * time.Second}}
		})},
		{"bursts", "arrivals: {burst: {base: 0, peak: 9, every: 10s, length: 500ms}}, for: 1m",
			with(arriving(scenarios.Arrivals{Burst: &scenarios.Burst{Peak: 9, Every: 10 * time.Second, Length: 500 * time.Millisecond}}))},
		{"a wave", "arrivals: {sine: {mean: 10, amplitude: 10, period: 1m}}, for: 1m",
			with(arriving(scenarios.Arrivals{Sine: &scenarios.Sine{Mean: 10, Amplitude: 10, Period: time.Minute}}))},
		{"a trace", "arrivals: {trace: day/monday.csv}, for: 1m", with(arriving(scenarios.Arrivals{Trace: "day/monday.csv"}))},
		{"a trace at another speed and peak", "arrivals: {trace: t.csv, speed: 0.5, peak: 500}, for: 1m", with(arriving(scenarios.Arrivals{Trace: "t.csv", Speed: .5, Peak: 500}))},
		{"a closed loop", "clients: 64, think: 100ms, for: 1m", with(func(t *scenarios.Traffic) { t.Clients, t.Think = 64, 100*time.Millisecond })},
		{"clients that never pause", "clients: 64, think: 0, for: 1m", with(func(t *scenarios.Traffic) { t.Clients = 64 })},
		{"a loop of so many operations", "clients: 8, count: 400", with(func(t *scenarios.Traffic) { t.For, t.Clients, t.Count = 0, 8, 400 })},
		{"everything else", "partitions: [NYC], arrivals: {constant: 1}, unit: entities, for: 1m, warm_up: 10s, drain: 0s, " +
			"stop_when_stable: 2.5%, stop_on: [failed > 1%, \"late>0%\"], entities: 7",
			with(func(t *scenarios.Traffic) {
				t.Keys, t.Arrivals, t.Unit = []string{"NYC"}, &scenarios.Arrivals{Constant: 1}, scenarios.UnitEntities
				t.WarmUp, t.Drain, t.StopWhenStable, t.Entities = 10*time.Second, 0, .025, 7
				t.StopOn = []scenarios.Budget{{Of: "failed", Above: .01}, {Of: "late"}}
			})},
	} {
		s := reread(t, trafficking(t, "traffic.yaml", tt.text))
		got := *s.Phases[1].Traffic
		got.Operations = nil
		assert.Equal(t, tt.want, got, tt.name)
	}
}

func TestScheduleOfTraffic(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		count      uint64
		// rate is that of the beginning.
		rate   float64
		length time.Duration
	}{
		{"operations", "arrivals: {constant: 100}, for: 10s", 1000, 100, 10 * time.Second},
		{"entities of operations that count one each", "arrivals: {constant: 100}, unit: entities, for: 10s", 1000, 100, 10 * time.Second},
		{"entities of batches of ten and gets, three to one", "partitions: all, arrivals: {constant: 100}, unit: entities, for: 31s, " +
			"operations: [{verb: batch, entities: 10, weight: 3}, {verb: get}]", 400, 400. / 31, 31 * time.Second},
		{"steps", "arrivals: {steps: {rates: [10, 30], each: 2s}}", 80, 10, 4 * time.Second},
		{"a ramp", "arrivals: {ramp: {from: 0, to: 100}}, for: 10s", 500, 0, 10 * time.Second},
		{"bursts", "arrivals: {burst: {base: 10, peak: 100, every: 5s, length: 1s}}, for: 10s", 280, 10, 10 * time.Second},
		{"a wave", "arrivals: {sine: {mean: 10, amplitude: 5, period: 5s}}, for: 10s", 100, 10, 10 * time.Second},
	} {
		s := parsed(t, trafficking(t, "traffic.yaml", tt.text))
		schedule, err := s.Phases[1].Traffic.Schedule(clock.NewStream(1, "arrivals"))
		require.NoError(t, err, tt.name)
		assert.InDeltaf(t, tt.count, schedule.Len(), 1, "%s: operations", tt.name)
		assert.Equal(t, tt.length, schedule.Length(), tt.name)
		assert.InDeltaf(t, tt.rate, schedule.Rate(0), .001, "%s: the rate at first", tt.name)
	}
}

func TestReadTraces(t *testing.T) {
	const keyed = "0,get,NYC,1\n0.5,pay,Berlin,2\n61.5,merge,NYC,3\n"
	s := parsed(t, edited(t, "cold.yaml", "partitions: 1, arrivals: {constant: 5}, for: 1s, operations: [{verb: get}",
		"arrivals: {trace: t.csv}, operations: [{verb: get}, {name: pay, verb: merge, properties: [{name: Age, type: Int32, value: \"7\"}]}"))
	chance := clock.NewStream(1, "arrivals")
	traffic := s.Phases[0].Traffic
	_, err := traffic.Schedule(chance)
	assert.ErrorIs(t, err, arrival.ErrSchedule, "Schedule before the trace is read")
	require.NoError(t, s.ReadFiles(opened(keyed)), "ReadFiles")
	schedule, err := traffic.Schedule(chance)
	require.Truef(t, err == nil && schedule.Len() == 3 && schedule.Length() == 62*time.Second && traffic.Lasts() == schedule.Length(),
		"Schedule = %d operations in %v, %v; want 3 in 62 s", schedule.Len(), schedule.Length(), err)
	for n, want := range []string{"get", "pay", "pay"} {
		assert.Equalf(t, want, traffic.Operations[traffic.Arrivals.Recorded.Row(uint64(n)).Operation].Name, "row %d is a", n)
	}
	missing := func(string) (io.ReadCloser, error) { return nil, errors.New("no such file") }
	assert.Equal(t, []string{"race.yaml:21:33 phases.0.traffic.arrivals.trace"}, faultPlaces(t, s.ReadFiles(missing)),
		"ReadFiles of a file that is not there: faults")
}

// A trace without operations of its own may name every verb of a single entity.
func TestTraceImpliesOperations(t *testing.T) {
	s := parsed(t, edited(t, "cold.yaml", "partitions: 1, arrivals: {constant: 5}, for: 1s, operations: [{verb: get}]", "arrivals: {trace: t.csv}"))
	var names []string
	for _, o := range s.Phases[0].Operations() {
		names = append(names, o.Name)
	}
	assert.Equal(t, "get insert replace merge insert-or-replace insert-or-merge delete", strings.Join(names, " "),
		"the trace can name")
	assert.Empty(t, s.Validate())
}

// readField reads the text of a field.
func readField(text string, into fields.Binding) fields.Faults {
	tree, faults := fields.ReadTree("f", []byte("field: "+text))
	if len(faults) > 0 {
		return faults
	}
	r := &fields.Reader{}
	into.Read(r, "field", tree.Find("field"))
	return r.Faults
}

// writtenField returns the text of a field that was read.
func writtenField(from fields.Binding) string {
	field := &fields.Node{Kind: fields.Dict, Entries: []fields.Entry{{Key: "field", Value: from.Write()}}}
	return string(fields.PrintTree(field)[len("field:"):])
}

// readAs reads the text of a field as one value.
func readAs[T any](text string, bind func(*T) fields.Binding) (value T, faults fields.Faults) {
	faults = readField(text, bind(&value))
	return value, faults
}

func TestLimit(t *testing.T) {
	for _, row := range []struct {
		text, said string
		want       scenarios.RateLimit
	}{
		{"500", "500/s, burst 1", scenarios.RateLimit{PerSecond: 500, Burst: 1}},
		{"{rate: 0.5, burst: 50}", "0.5/s, burst 50", scenarios.RateLimit{PerSecond: 0.5, Burst: 50}},
		{"{rate: 1000000}", "1000000/s, burst 1", scenarios.RateLimit{PerSecond: 1_000_000, Burst: 1}},
	} {
		got, faults := readAs(row.text, (*scenarios.RateLimit).Binding)
		assert.Truef(t, len(faults) <= 0 && got == row.want && got.String() == row.said,
			"limit: %s is %q, %v; want %q", row.text, got, faults, row.said)
	}
	if none := (scenarios.RateLimit{}); none.String() != "" || (none.Binding()).Write() != nil {
		t.Errorf("no limit is told as %q; want nothing", none)
	}
}

// oneSpread is what the spread of its base says beside its operations.
const oneSpread = "partitions: 2, rate: 1, for: 1s"

const upserts = `operations: [{verb: insert-or-merge, properties: [{name: Age, type: Int32, value: "{age}"}]}]`

func TestSpreadIsReadAndWritten(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       scenarios.Traffic
	}{
		{"an open loop over a number of partitions", "partitions: 2, rate: 1000, for: 20m",
			scenarios.Traffic{Partitions: 2, Arrivals: &scenarios.Arrivals{Constant: 1000}, For: 20 * time.Minute, Entities: 1000}},
		{"an open loop over named partitions", "partitions: [Berlin, NYC], rate: 0.5, for: 1s, entities: 7",
			scenarios.Traffic{Keys: []string{"Berlin", "NYC"}, Arrivals: &scenarios.Arrivals{Constant: .5}, For: time.Second, Entities: 7}},
		{"a closed loop", "partitions: 1, clients: 64, think: 100ms, for: 24h",
			scenarios.Traffic{Partitions: 1, Clients: 64, Think: 100 * time.Millisecond, For: 24 * time.Hour, Entities: 1000}},
	} {
		s := reread(t, edited(t, "spread.yaml", oneSpread, tt.text))
		got := *s.Phases[len(s.Phases)-1].Traffic
		tt.want.Unit, tt.want.Drain = scenarios.UnitEach, 5*time.Second
		require.Truef(t, len(got.Operations) == 1 && got.Operations[0].Verb == entity.InsertOrMerge,
			"%s: operations %v; want one insert-or-merge", tt.name, got.Operations)
		got.Operations = nil
		assert.Equal(t, tt.want, got, tt.name)
	}
}

func TestWitnessesAreThePartitionsInOrder(t *testing.T) {
	s := parsed(t, edited(t, "spread.yaml", "partitions: 2", "partitions: [Berlin, NYC]"))
	g, err := s.Generator()
	require.NoError(t, err)
	found, err := s.Witnesses(g, 0)
	assert.Truef(t, err == nil && len(found) == 2 && g.PartitionKey(found[0]) == "Berlin" && g.PartitionKey(found[1]) == "NYC",
		"Witnesses = %v, %v; want one of Berlin and one of NYC", found, err)
	for i, n := range found {
		first := uint64(0)
		for g.PartitionKey(first) != s.Phases[0].Traffic.Keys[i] {
			first++
		}
		assert.Equalf(t, first, n, "Witnesses()[%d]", i)
	}
}

func TestReads(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"writes alone", edited(t, "spread.yaml"), false},
		{"a get", race, true},
		{"a count", edited(t, "traffic.yaml") + "  - name: late\n    count: {lanes: 1}\n", true},
	} {
		assert.Equalf(t, tt.want, parsed(t, tt.text).Reads(), "%s: Reads()", tt.name)
	}
	// An update that knows its key reads nothing; one that looks for it has to find it.
	s := builtin(t, "scan-to-find")
	opposed, err := s.Opposed()
	assert.Truef(t, err == nil && !s.Reads() && opposed.Reads(),
		"Reads() = %t, and of the anti-pattern %v, %v; want false and true", s.Reads(), opposed, err)
}

// An operation that reads first offers two entities, keeps that when it is written
// down, and asks for a store that keeps what is written.
func TestReadingFirst(t *testing.T) {
	for _, row := range []struct {
		name, operation string
		counter         string
		offers          int
	}{
		{"a merge of properties", `{verb: merge, read_first: true, properties: [{name: Paid, value: "yes"}]}`, "", 2},
		{"a merge of a counter alone", "{verb: merge, counter: Laps}", "Laps", 2},
		{"a replace", "{verb: replace, read_first: true}", "", 2},
		{"a replace with a counter", "{verb: insert-or-replace, counter: Laps}", "Laps", 2},
		{"a delete", "{verb: delete, read_first: true}", "", 2},
		{"a delete that does not", "{verb: delete}", "", 1},
	} {
		text := strings.Replace(race, "{verb: get, weight: 3}", "{name: write, "+row.operation[1:], 1)
		s := reread(t, text)
		op := &s.Phases[1].Traffic.Operations[0]
		assert.Equalf(t, row.offers == 2, op.ReadFirst, "%s: reads first", row.name)
		assert.Equalf(t, row.counter, op.Counter, "%s: counter", row.name)
		assert.Equalf(t, row.offers, op.Offers(), "%s: offers", row.name)
		s.Phases[1].Traffic.Operations = s.Phases[1].Traffic.Operations[:1]
		assert.Equalf(t, op.ReadFirst, s.Reads(), "%s: Reads()", row.name)
		assert.Truef(t, op.Writes().IsChange() && op.Verb != entity.Get, "%s: %v is no write", row.name, op.Verb)
	}
}

// A map and a text of the same formula are the same policy, and a name is itself.
func TestRetry(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"documented", "documented"},
		{"linear", "linear"},
		{"{exponential: {z: 30s, min: 3s, max: 90s, tries: 4}}", "exponential z=30s min=3s max=1m30s tries=4"},
		{"exponential tries=4 z=30s max=90s min=3s", "exponential z=30s min=3s max=1m30s tries=4"},
		{"{exponential: {z: 30s, min: 3s, max: 90s, first: 0}}", "exponential z=30s min=3s max=1m30s tries=4 first=0"},
		{"{linear: {step: 1s, max: 5s}}", "linear step=1s max=5s tries=4"},
		{"{fixed: {every: 0s}}", "fixed every=0s tries=4"},
	} {
		got, faults := readAs(row.text, scenarios.RetryBinding)
		require.Emptyf(t, faults, "retry: %s", row.text)
		assert.Equalf(t, row.want, got, "retry: %s", row.text)
		again, _ := readAs(writtenField(scenarios.RetryBinding(&got)), scenarios.RetryBinding)
		assert.Equalf(t, got, again, "retry: %s, written and read", row.text)
	}
}

func FuzzParseBudget(f *testing.F) {
	for _, seed := range []string{"failed > 1%", "late>0%", "dropped > 100%", "throttled > 0.000001%", "failed > 101%", "lost_writes > 1%", "failed > 1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, sound := scenarios.ParseBudget(text)
		if !sound {
			return
		}
		if again, sound := scenarios.ParseBudget(b.String()); !sound || again != b || b.Above < 0 || b.Above > 1 {
			t.Fatalf("ParseBudget(%q) = %v, and of its text %v, %t; want the same", text, b, again, sound)
		}
	})
}
