package campaign_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
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
	single, copied := events("customer", "{verb: insert}"), events("copied", "{verb: insert}")
	assert.Equal(t, [2]int64{3 * single.Entities, 3 * single.Holdings}, [2]int64{copied.Entities, copied.Holdings}, "two copies")
	assert.Greater(t, copied.Waiting, single.Waiting)
	assert.LessOrEqual(t, events("copied", "{verb: batch, entities: 100, together: [customer]}").Holdings, int64(200<<20), "no more keys than are kept")
	plain, stored := of(false), of(true)
	assert.Truef(t, plain.Entities == 0 && stored.Entities >= 12_000*300 && stored.Entities <= 12_000*3000,
		"Footprint: entities %d without data, %d with; want none, and those of 12,000", plain.Entities, stored.Entities)
	assert.Greater(t, of(false, "retry=documented").Waiting, plain.Waiting)
	assert.GreaterOrEqual(t, of(false, "phases.spread.for=24h").Histograms, plain.Histograms+1400*150<<10, "one for each minute of a day")
	huge := of(true, "retry=documented", "phases.spread.rate=800000", "phases.spread.for=24h", "phases.spread.operations=[{verb: insert}]")
	assert.GreaterOrEqual(t, huge.Total(), max(1<<45, huge.Entities), "a sum that does not overflow")
}
