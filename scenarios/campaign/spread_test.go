package campaign_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// closedLoop makes a spread one of clients that think.
func closedLoop(t testing.TB, s *scenarios.Scenario, clients int, think, length time.Duration) *scenarios.Scenario {
	t.Helper()
	spread := s.Phases[0].Traffic
	spread.Arrivals, spread.Clients, spread.Think, spread.For = nil, clients, think, length
	require.Empty(t, s.Validate())
	return s
}

// played is a scenario that was run, with the target's decisions among its events.
type played struct {
	ran
	counts engine.Counts
	tail   []results.KeyTail
}

// play runs a scenario, in virtual time where there is no clock.
func play(t testing.TB, s *scenarios.Scenario, clk clock.Clock, dataless bool) played {
	t.Helper()
	e := engineOf(t, s, dataless)
	tail := drive.NewTail(5 * time.Second)
	ledger := &drive.Ledger{Happenings: func(now clock.Instant) []results.Event {
		e.Advance(now)
		var events []results.Event
		for _, d := range e.DrainEvents() {
			events = append(events, results.Event{At: int64(d.At), What: string(d.Kind), Text: d.String(), Decision: &results.Decision{}})
		}
		return events
	}}
	if clk == nil {
		ledger.Observers = []drive.Observer{tail}
	}
	r := carry(t, t.Context(), worldOn(e, s, clk).runner(), campaign.Options{Scenario: s, Table: "races"}, ledger)
	recorded(t, r)
	return played{r, e.Counts(), tail.Keys()}
}

// Little's law: clients = throughput × (response + think).
func TestThinkingClientsKeepLittlesLaw(t *testing.T) {
	for _, tt := range []struct {
		name     string
		clients  int
		think    time.Duration
		settings []string
		response time.Duration
	}{
		{"a target that answers at once", 64, 100 * time.Millisecond, nil, 0},
		{"one that takes 40 ms", 64, 60 * time.Millisecond, []string{"model.write_time=30ms", "model.round_trip=10ms", "model.time_spread=0"}, 40 * time.Millisecond},
		{"one client", 1, 10 * time.Millisecond, []string{"model.round_trip=10ms"}, 10 * time.Millisecond},
	} {
		const length = 10 * time.Second
		s := builtin(t, "simulate", append([]string{"model.profile=off", "start=warm"}, tt.settings...)...)
		sum := play(t, closedLoop(t, s, tt.clients, tt.think, length), nil, true).record.Total(results.Reported)
		want := float64(tt.clients) / (tt.response + tt.think).Seconds()
		assert.InEpsilon(t, want, float64(sum.Operations)/length.Seconds(), .02, tt.name)
		assert.Equal(t, [3]int64{sum.Succeeded, sum.Sent, 0}, [3]int64{sum.Operations, sum.Scheduled, sum.Dropped}, tt.name)
	}
}

// Each partition is due exactly its share, in an order that is not the same again.
func TestSpreadReachesEachPartitionAlike(t *testing.T) {
	s := builtin(t, "simulate", "model.profile=off", "start=warm", "phases.spread.rate=50", "phases.spread.for=10s")
	p := play(t, s, nil, true)
	for _, key := range p.record.Phases[len(p.record.Phases)-2].Partitions {
		assert.EqualValuesf(t, 500, key.Entities, "partition %q was served", key.Key)
	}
	// So short a run ends within the tail that began with the marker's partition.
	assert.Len(t, p.tail, 13, "the tail has keys")
}

// scaledDown is a cold table whose limits are a twentieth of the documents' and
// whose load balancing is sixty times as quick.
func scaledDown() []string {
	return []string{"phases.spread.rate=50", "phases.spread.for=20s", "phases.spread.partitions=6", "workers=400",
		"model.partition_target=100", "model.range_target=100", "model.server_target=200", "model.account_target=1000",
		"model.merge_below=1", "model.tick=500ms", "model.load_memory=1s", "model.detection=5s", "model.detection_gap=1s",
		"model.split_pause=100ms", "model.offline_least=500ms", "model.offline_most=700ms", "model.map_stale=100ms", "model.timeout=2s"}
}

// The same scenario gives the same counts, seconds and decisions in real and in
// virtual time, through splits and moves.
func TestLiveEqualsVirtualThroughSplitAndMove(t *testing.T) {
	for _, thinking := range []bool{false, true} {
		t.Run(fmt.Sprintf("thinking %t", thinking), func(t *testing.T) {
			make := func() *scenarios.Scenario {
				s := builtin(t, "simulate", scaledDown()...)
				if thinking {
					closedLoop(t, s, 40, 100*time.Millisecond, 20*time.Second)
				}
				return s
			}
			virtual := play(t, make(), nil, true)
			var real played
			inBubble(t, func(t *testing.T, clk clock.Real) { real = play(t, make(), clk, true) })
			var kinds []string
			last := int64(0)
			for _, e := range virtual.record.Events {
				kinds = append(kinds, e.What)
				assert.GreaterOrEqual(t, e.At, last, e.What)
				last = e.At
			}
			require.Truef(t, slices.Contains(kinds, results.RangeSplit) && slices.Contains(kinds, results.RangeMoved),
				"the events are %v; want a split and a move among them", kinds)
			assert.Truef(t, virtual.counts == real.counts,
				"the engine counted %+v in real time; want %+v as in virtual time", real.counts, virtual.counts)
			assert.Equal(t, string(virtual.folder.Bytes(results.EventsFile)), string(real.folder.Bytes(results.EventsFile)), "events")
			a, b := virtual.record.Total(results.Reported), real.record.Total(results.Reported)
			assert.Equal(t, [2]int64{a.Attempts, a.Throttled}, [2]int64{b.Attempts, b.Throttled})
			assert.True(t, slices.Equal(a.Response.Bars(), b.Response.Bars()), "the same histogram")
		})
	}
}

// Without a store the same is admitted at the same instants: only what depends on
// the entities differs, and writes do not.
func TestDatalessRunsAreTheSame(t *testing.T) {
	with, without := play(t, builtin(t, "simulate", scaledDown()...), nil, false), play(t, builtin(t, "simulate", scaledDown()...), nil, true)
	assert.Equal(t, with.counts, without.counts)
	stored := with.record.Total(results.Everything).Stored
	assert.NotZero(t, stored)
	assert.Equal(t, stored, without.record.Total(results.Everything).Stored)
	assert.Empty(t, cmp.Diff(with.record.Heat, without.record.Heat), "heat differs without a store")
	for _, file := range []string{results.EventsFile, results.IntervalsFile} {
		assert.Equalf(t, string(without.folder.Bytes(file)), string(with.folder.Bytes(file)), "%s differs without a store", file)
	}
}

func TestFootprint(t *testing.T) {
	of := func(data bool, settings ...string) campaign.Footprint {
		return planned(t, campaign.Options{Scenario: builtin(t, "simulate", settings...), Table: "races"}).Footprint(data)
	}
	events := func(design, operations string) campaign.Footprint {
		s := ordered(t, design, "arrivals: {constant: 100}, for: 10s, operations: ["+operations+"]")
		return planned(t, campaign.Options{Scenario: s, Table: "orders"}).Footprint(true)
	}
	single, copied := events("customer", "{verb: insert}, {verb: query, by: [customer]}"), events("copied", "{verb: insert}, {verb: query, by: [customer]}")
	assert.InEpsilon(t, 3*single.Entities, copied.Entities, .05, "two copies")
	assert.Equal(t, 3*single.Holdings, copied.Holdings, "two copies")
	assert.Zero(t, events("copied", "{verb: batch, entities: 100, together: [customer]}").Holdings, "nothing is read")
	plain, stored := of(false), of(true)
	assert.Truef(t, plain.Entities == 0 && stored.Entities >= 12_000*100 && stored.Entities <= 12_000*3000,
		"Footprint: entities %d without data, %d with; want none, and those of 12,000", plain.Entities, stored.Entities)
	huge := of(true, "model.profile=off", "phases.spread.rate=800000", "phases.spread.for=24h", "phases.spread.operations=[{verb: insert}]")
	assert.GreaterOrEqual(t, huge.Total(), max(1<<45, huge.Entities), "a sum that does not overflow")
}

// Of 12,000/s for 10 s a range serves 2,000. Each session takes about a kilobyte.
func TestFootprintCountsTheExcess(t *testing.T) {
	waiting := func(faults []engine.FaultRule, settings ...string) float64 {
		s := builtin(t, "simulate", append(settings, "phases.spread.for=10s")...)
		s.Faults = faults
		return float64(planned(t, campaign.Options{Scenario: s, Table: "races"}).Footprint(false).Waiting) / 1080
	}
	rows := []struct {
		name     string
		settings []string
		faults   []engine.FaultRule
		want     float64
	}{
		{"no retry", []string{"retry=none"}, nil, 0},
		{"the documented policy, whose first wait is longer than the phase", []string{"retry=documented"}, nil, 100_000},
		{"as many servers as partitions", []string{"retry=documented", "start=warm"}, nil, 0},
		{"one key of 12,000/s", []string{"retry=documented", "start=warm", "phases.spread.partitions=1", "phases.spread.rate=12000"}, nil, 100_000},
		{"headroom admits for about a memory of 5 s what it then halves", []string{"retry=documented", "start=warm", "model.profile=headroom",
			"phases.spread.partitions=1", "phases.spread.rate=12000"}, nil, 51_000},
		{"half of the requests fail", []string{"retry=documented", "start=warm"}, []engine.FaultRule{{Kind: engine.FaultRefuse, Share: engine.WholeShare / 2}}, 60_000},
		{"waits of a second, three times", []string{"retry=fixed-1s"}, nil, 29_000},
	}
	for _, row := range rows {
		assert.InDeltaf(t, row.want, waiting(row.faults, row.settings...), 2000+row.want/10, row.name)
	}
}

// warmth is what went to one place.
type warmth struct{ served, throttled, failed, demanded int64 }

// thermometer is a target that notes by table and PartitionKey what it is asked for, and
// what it answered.
type thermometer struct {
	target.Immediate
	table string
	seen  map[[2]string]*warmth
	// whole is what went to no single partition.
	whole warmth
}

func (m *thermometer) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, done := m.Immediate.Submit(now, op)
	at := &m.whole
	if key, one := op.PartitionKey(); one {
		place := [2]string{op.Table[len(m.table):], key}
		if m.seen[place] == nil {
			m.seen[place] = new(warmth)
		}
		at = m.seen[place]
	}
	switch outcome.Class(target.Expected{NotFound: true, Conflict: true, Precondition: true}) {
	case results.Ok:
		at.served += outcome.Counted
		at.demanded += outcome.Counted
	case results.Throttled:
		at.throttled++
		at.demanded += op.Entities()
	default:
		at.failed++
	}
	return outcome, done
}

// sum adds a list up.
func sum(list []int64) (all int64) {
	for _, n := range list {
		all += n
	}
	return all
}

func warmthOf(c *results.HeatCells) *warmth {
	return &warmth{sum(c.Served), sum(c.Throttled), sum(c.Failed), sum(c.Demanded)}
}

// The heat map of a run is what the target saw: by table and PartitionKey, throttled writes
// of copies and retries included.
func TestHeatIsWhatTheTargetSaw(t *testing.T) {
	rows := []struct{ name, design, operations string }{
		{"one partition at a time", "hour", "{verb: insert, weight: 3}, {verb: replace}"},
		{"a transaction", "customer", "{verb: batch, entities: 7, together: [customer]}, {verb: get}"},
		{"copies in the same table and in another", "copied", "{verb: insert}, {verb: merge, properties: [{name: State, value: void}]}, {verb: batch, entities: 4, together: [customer]}"},
		{"copies in the entity's own partition", "beside", "{verb: insert}, {verb: delete}"},
		{"a search before the write", "customer", "{verb: merge, by: [customer], properties: [{name: State, value: void}]}"},
		{"a read before the write", "customer", "{verb: merge, read_first: true, properties: [{name: State, value: void}]}"},
	}
	for _, row := range spread(rows, tier(2, len(rows))) {
		t.Run(row.name, func(t *testing.T) {
			s := ordered(t, row.design, "arrivals: {constant: 300}, for: 6s, drain: 5s, operations: ["+row.operations+"]")
			set(t, s, "model.partition_target=40", "attributes.customer={zipf: {of: 40, exponent: 1.5}}")
			meter := &thermometer{Immediate: newWorld(t, s, nil), table: "orders", seen: make(map[[2]string]*warmth)}
			record := recorded(t, carry(t, t.Context(), &drive.Virtual{Target: meter}, campaign.Options{Scenario: s, Table: "orders"}, nil))
			h := record.Heat
			require.NotNil(t, h)
			require.LessOrEqual(t, len(meter.seen), results.KeptRows, "partitions, few enough for a row each")
			got := make(map[[2]string]*warmth)
			for i := range h.Rows {
				got[[2]string{h.Rows[i].Table, h.Rows[i].Key}] = warmthOf(&h.Rows[i].HeatCells)
			}
			assert.Empty(t, cmp.Diff(meter.seen, got, cmp.AllowUnexported(warmth{})), "-target +map")
			assert.Equal(t, meter.whole, *warmthOf(&h.Nowhere), "what is of no partition")
			all := record.Total(results.Everything)
			assert.GreaterOrEqual(t, all.Throttled, int64(50), "enough for the test to say something")
			mapped := *warmthOf(&h.Rest)
			for _, one := range append(slices.Collect(maps.Values(got)), warmthOf(&h.Nowhere)) {
				mapped.served += one.served
				mapped.throttled += one.throttled
				mapped.failed += one.failed
			}
			assert.Equal(t, [3]int64{all.Served, all.Throttled, all.Failed}, [3]int64{mapped.served, mapped.throttled, mapped.failed}, "the map sums to the totals")
			assert.EqualValues(t, 0, record.Intervals[len(record.Intervals)-1].InFlight, "attempts are under way at the end")
		})
	}
}

// A copy under the key of its entity, in another table, is a partition of its own: the
// two share no target, and their heat must not add up.
func TestOneKeyInTwoTablesIsTwoPartitions(t *testing.T) {
	s := unlimited(t, ordered(t, "copied", "arrivals: {constant: 100}, for: 5s, operations: [{verb: insert}]"))
	set(t, s, "attributes.customer={list: [\"1\"]}", "designs.copied.copies.state.partition_key={customer}", "designs.copied.copies.number.partition_key=id")
	want := []results.PartitionStats{{Key: "1", Entities: 500, Busiest: 100}, {Table: "ByState", Key: "1", Entities: 500, Busiest: 100}, {Key: "id", Entities: 500, Busiest: 100}}
	phase := reported(t, simulated(t, s))
	assert.Equal(t, want, phase.Offered)
	var names []string
	for i := range phase.Partitions {
		names = append(names, results.PartitionName(phase.Partitions[i].Table, phase.Partitions[i].Key))
	}
	assert.ElementsMatch(t, []string{"1", "1 (table ByState)", "id"}, names)
	shared := []results.SharesClass{{From: 64, Partitions: 3, Offered: 1500}}
	got := phase.Shares
	for i := range got {
		got[i].Served, got[i].Shares, got[i].Squares = 0, 0, 0
	}
	assert.Equal(t, shared, got)
}

// What a run has written is what its tables hold, by the service's rule, where each entity
// is written once.
func TestStoredIsWhatTheTablesHold(t *testing.T) {
	rows := []struct{ design, operations string }{
		{"customer", "{verb: insert}"},
		{"customer", "{verb: batch, entities: 5, together: [customer]}"},
		{"copied", "{verb: insert}, {verb: get}, {name: mine, verb: query, by: [customer], top: 3}"},
		{"beside", "{verb: insert}, {verb: batch, entities: 3, together: [customer]}"},
	}
	for _, row := range spread(rows, tier(2, len(rows))) {
		s := unlimited(t, ordered(t, row.design, "arrivals: {constant: 60}, for: 4s, drain: 20s, operations: ["+row.operations+"]"))
		w := newWorld(t, s, nil)
		// It refuses the first attempt at every seventh operation.
		busy := targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
			if op.Number%7 == 3 && op.Attempt == 0 {
				return targettest.Busy(op), now.Add(time.Millisecond)
			}
			return w.Submit(now, op)
		})
		record := recorded(t, carry(t, t.Context(), &drive.Virtual{Target: busy}, keeping(s, false), nil))
		tables := []string{"orders"}
		if row.design == "copied" {
			tables = append(tables, "ordersByState")
		}
		held := int64(0)
		for _, table := range tables {
			for key, one := range w.engine.Entities(w.accounts[0], table) {
				properties, err := one.Unpack(nil)
				require.NoError(t, err)
				held += int64(entity.Size(key, properties))
			}
		}
		all := record.Total(results.Everything)
		assert.Equal(t, held, all.Stored, row.operations)
		assert.True(t, all.Failed == 0 && all.Throttled > 0)
	}
}

// A throttled client backs off before it thinks, and no operation becomes due after the end.
func TestThinkingClientsRetryAndEnd(t *testing.T) {
	s := builtin(t, "simulate", "retry=short", "start=warm", "phases.spread.partitions=1")
	record := play(t, closedLoop(t, s, 400, 100*time.Millisecond, 10*time.Second), nil, true).record
	sum := record.Total(results.Reported)
	assert.NotZero(t, sum.Throttled)
	assert.Equal(t, [2]int64{sum.Ok + sum.Throttled, sum.Operations}, [2]int64{sum.Attempts, sum.Scheduled})
	for _, one := range record.Intervals {
		assert.Falsef(t, one.Scheduled > 1 && one.Second > 11, "%d operations became due in second %d", one.Scheduled, one.Second)
	}
}
