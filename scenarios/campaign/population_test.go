package campaign

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// notes is a table of notes whose traffic the tests fill in.
const notes = `name: notes
seed: 7
attributes:
  at: {time: 2026-03-01T00:00:00Z, every: 1s}
  author: {list: [ann, ben, cat, dan]}
  id: {sequence: 1}
entity: {size: 300, properties: [{name: Author, value: "{author}"}]}
design: {partition_key: "{author}", row_key: "{at:ticks}_{id}"}
phases:
  - {name: load, load: {entities: %d}}
  - {name: before, traffic: {arrivals: {constant: 50}, for: 4s, drain: 1s, operations: [{verb: insert}, {verb: batch, entities: 3, together: [author]}, {verb: get}]}}
  - {name: measure, traffic: {%s}}
`

// phaseOf returns the events of the last phase of notes, or of the one before it.
func phaseOf(t testing.TB, loaded int, traffic string, phase int) *events {
	t.Helper()
	s, err := scenarios.Parse("notes.yaml", fmt.Appendf(nil, notes, loaded, traffic))
	require.NoError(t, err)
	c, err := NewCampaign(Options{Scenario: s, Table: "notes"})
	require.NoError(t, err)
	d, err := c.plan(phase)
	require.NoError(t, err)
	e, err := c.eventsOf(d)
	require.NoError(t, err)
	return e
}

const mixed = "operations: [{verb: insert, weight: 2}, {verb: batch, entities: 4, together: [author]}, {verb: get, weight: 5}]"

// existing returns what is there when operation k becomes due, the newest last, found
// by looking at every operation.
func existing(e *events, k uint64) []keys.Event {
	var all []keys.Event
	for n := range e.loaded {
		all = append(all, keys.Event{Number: n})
	}
	for i := range e.insertions {
		g := &e.insertions[i]
		for by := range g.operations {
			if i == len(e.insertions)-1 && (by >= k || e.instant(k)-e.instant(by) < visibleAfter) {
				break
			}
			for at := range g.events.inserted(g.events.pick(by)) {
				all = append(all, g.events.insertedEvent(by, at))
			}
		}
	}
	return all
}

// Each entity that an access is of is chosen as often as any other, and no other is:
// none that is not due a second earlier, and of the windows that are counted exactly
// so many.
func TestPopulationAgainstTheory(t *testing.T) {
	const constant = "arrivals: {constant: 100}, for: 20s, "
	latest := func(window int) scenarios.Access {
		return scenarios.Access{Kind: scenarios.AccessLatest, Window: window}
	}
	for _, row := range []struct {
		name, traffic string
		phase, loaded int
		of            scenarios.Access
		k             uint64
		window        int
	}{
		{"everything, when nothing was inserted", constant + mixed, 1, 60, scenarios.Access{}, 3, 0},
		{"everything", constant + mixed, 2, 60, scenarios.Access{}, 700, 0},
		{"everything, of random arrivals", "arrivals: {poisson: 100}, for: 20s, " + mixed, 2, 60, scenarios.Access{}, 500, 0},
		{"everything, in a closed loop", "clients: 10, think: 100ms, for: 10s, " + mixed, 2, 60, scenarios.Access{}, 500, 0},
		{"everything, where inserts are rare", constant + "operations: [{verb: insert}, {verb: get, weight: 60}]", 2, 5, scenarios.Access{}, 1900, 0},
		{"the newest alone", constant + mixed, 2, 60, latest(1), 700, 1},
		{"the newest twenty", constant + mixed, 2, 60, latest(20), 700, 20},
		{"the newest, of the phase before and of the load", constant + mixed, 2, 60, latest(100), 90, 100},
		{"a window wider than all there is", constant + mixed, 2, 60, latest(5000), 700, 0},
		{"a wide window, of about so many", constant + mixed, 2, 60, latest(300), 1900, -300},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := phaseOf(t, row.loaded, row.traffic, row.phase)
			want := existing(e, row.k)
			switch {
			case row.window > 0:
				want = want[len(want)-row.window:]
			case row.window < 0:
				// The operations of a stretch insert about as many as their mean.
				want = want[len(want)+row.window*5/4:]
			}
			places, counts := map[keys.Event]int{}, make([]float64, len(want))
			numbers := map[uint64]keys.Event{}
			for i, m := range want {
				places[m] = i
				if other, taken := numbers[m.Number]; taken {
					t.Fatalf("%+v and %+v both have the number %d; want each its own", m, other, m.Number)
				}
				numbers[m.Number] = m
			}
			const draws = 40_000
			for seed := range uint64(draws) {
				e.choice = clock.NewStream(seed, "test")
				m := e.chooseEvent(row.k, 0, &row.of)
				at, there := places[m]
				if !there {
					t.Fatalf("choose(%d) = %+v; want one of the %d that are there", row.k, m, len(want))
				}
				counts[at]++
			}
			if row.window < 0 {
				counts = counts[-row.window/2:]
			}
			sum, square := 0.0, 0.0
			for _, n := range counts {
				sum += n
			}
			each := sum / float64(len(counts))
			for _, n := range counts {
				square += (n - each) * (n - each) / each
			}
			// Chi-squared has a variance of twice its degrees of freedom.
			free := float64(len(counts) - 1)
			if far := math.Abs(square-free) / math.Sqrt(2*max(1, free)); far > 4.5 || row.window >= 0 && sum != draws {
				t.Errorf("chi-squared of %d choices among %d is %.0f; want about %.0f", int(sum), len(counts), square, free)
			}
		})
	}
}

// How many operations were due a second ago is told to the operation, however
// irregularly they come.
func TestBefore(t *testing.T) {
	for _, traffic := range []string{
		"arrivals: {constant: 40}, for: 6s", "arrivals: {poisson: 30}, for: 6s", "arrivals: {ramp: {from: 1, to: 90}}, for: 6s",
		"arrivals: {burst: {base: 3, peak: 300, every: 2s, length: 100ms}}, for: 6s", "arrivals: {steps: {rates: [90, 2], each: 3s}}",
		"arrivals: {sine: {mean: 50, amplitude: 50, period: 3s}}, for: 6s", "clients: 7, think: 100ms, for: 3s",
	} {
		e := phaseOf(t, 10, traffic+", "+mixed, 2)
		for k := range e.insertions[1].operations {
			want := uint64(0)
			for want < k && e.instant(k)-e.instant(want) >= visibleAfter {
				want++
			}
			if got := e.visible(k); got != want {
				t.Fatalf("%s: before(%d) = %d; want %d, for it is due at %v", traffic, k, got, want, e.instant(k))
			}
		}
	}
}

// What is held of many stands for all, in the whole table and in each partition, before
// an operation and after it.
func TestEstimatesStandForAll(t *testing.T) {
	e := phaseOf(t, 3000, "arrivals: {constant: 500}, for: 10s, "+mixed, 2)
	whole := newTableEstimate(e, e.locations, maxEntities, maxOperations)
	require.Len(t, whole.entities, len(existing(e, 4999))+len(existingAfter(e, 4999)), "are held")
	for _, row := range []struct {
		name         string
		held, turned int
	}{{"fewer entities", 1500, maxOperations}, {"fewer operations", maxEntities, 900}, {"fewer of both", 1000, 900}} {
		some := newTableEstimate(e, e.locations, row.held, row.turned)
		assert.Truef(t, len(some.entities) < len(whole.entities)*3/4,
			"%s: %d are held of %d; want fewer", row.name, len(some.entities), len(whole.entities))
		for _, author := range []string{"", "ann", "ben", "cat", "dan"} {
			query := target.Query{}
			if author != "" {
				query = target.OnePartition(author)
			}
			for _, k := range []uint64{0, 2500, 5000} {
				want := float64(whole.count(query, k))
				assert.InDeltaf(t, want, some.count(query, k), 6*math.Sqrt(want*float64(len(whole.entities)/len(some.entities))), "%s, %q, %d", row.name, author, k)
			}
		}
	}
}

// existingAfter returns what comes to be there after operation k is due.
func existingAfter(e *events, k uint64) []keys.Event {
	was, all := len(existing(e, k)), []keys.Event{}
	g := &e.insertions[len(e.insertions)-1]
	for by := range g.operations {
		for at := range e.inserted(e.pick(by)) {
			all = append(all, e.insertedEvent(by, at))
		}
	}
	inserted := 0
	for by := range e.visible(k) {
		inserted += e.inserted(e.pick(by))
	}
	if was < inserted {
		return nil
	}
	return all[inserted:]
}

// A day of a hundred thousand operations a second is not walked through to its end.
func TestEstimatesOfAnEndlessLoad(t *testing.T) {
	e := phaseOf(t, 100, "arrivals: {constant: 100000}, for: 24h, "+mixed, 2)
	some := newTableEstimate(e, e.locations, 2000, 5000)
	assert.LessOrEqual(t, len(some.entities), 20_000)
	assert.InEpsilon(t, float64(e.insertions[1].operations)*e.insertions[1].meanEach, some.count(target.Query{}, e.insertions[1].operations), 0.1)
}
