package partition_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
)

const second = clock.Instant(time.Second)

// source offers requests at a rate to keys of one table. Each is due at a random
// instant of its own slot, so that no rate falls in step with an allowance.
type source struct {
	place  partition.Place
	rate   int
	demand partition.Demand
	// key returns the PartitionKey of a request; nil has all go to the place's.
	key func(n int) string
}

// load drives a layer with sources; draw is the chance of the run.
type load struct {
	layer *partition.Layer
	seed  uint64
	sent  uint64
	draw  clock.Stream
}

func newLoad(layer *partition.Layer, seed uint64) *load {
	return &load{layer: layer, seed: seed, draw: clock.NewStream(seed, "load")}
}

// run offers what the sources do in [from, to) and tells each verdict.
func (l *load) run(from, to clock.Instant, sources []source, tell func(clock.Instant, int, partition.Place, partition.Verdict)) {
	var due clock.Queue[int]
	counts := make([]int, len(sources))
	push := func(i int) {
		slot := second / clock.Instant(sources[i].rate)
		draw := l.draw.Try(uint64(from)+uint64(counts[i]), i)
		at := from + clock.Instant(counts[i])*second/clock.Instant(sources[i].rate) + clock.Instant(draw.IntN(int(slot)))
		if at < to {
			due.Push(at, uint64(i), i)
		}
	}
	for i := range sources {
		push(i)
	}
	for due.Len() > 0 {
		at, i := due.Pop()
		s := &sources[i]
		place := s.place
		if s.key != nil {
			place.PartitionKey = s.key(counts[i])
		}
		l.sent++
		draw := l.draw.Try(l.sent, len(sources))
		verdict := l.layer.Admit(at, place, s.demand, draw.Uint64())
		if tell != nil {
			tell(at, i, place, verdict)
		}
		counts[i]++
		push(i)
	}
	l.layer.Advance(to)
}

// one is a demand for one entity.
var one = partition.Demand{Entities: 1}

// even returns a source of the same rate for each key.
func even(rate int, keys ...string) []source {
	var list []source
	for _, key := range keys {
		list = append(list, source{place: partition.Place{PartitionKey: key}, rate: rate, demand: one})
	}
	return list
}

// verdicts counts verdicts by kind.
type verdicts [partition.Kinds]int

func (v *verdicts) sum() int {
	sum := 0
	for _, count := range v {
		sum += count
	}
	return sum
}

// refused returns the share that was not admitted.
func (v *verdicts) refused() float64 {
	return 1 - float64(v[partition.Admitted])/float64(max(1, v.sum()))
}

func (v *verdicts) String() string {
	parts := []string{fmt.Sprintf("%d offered", v.sum())}
	for kind, count := range v {
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%d %v", count, partition.Kind(kind)))
		}
	}
	return strings.Join(parts, ", ")
}

// count offers what the sources do in [from, to) and counts what became of it.
func (l *load) count(from, to clock.Instant, sources ...source) *verdicts {
	var v verdicts
	l.run(from, to, sources, func(_ clock.Instant, _ int, _ partition.Place, verdict partition.Verdict) { v[verdict.Kind]++ })
	return &v
}

// modelOf returns a profile's model, changed so: NAME=VALUE.
func modelOf(t testing.TB, profile string, settings ...string) *model.Model {
	t.Helper()
	m, err := model.New(profile)
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if err == nil {
			err = m.Set(name, value)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if faults := m.Validate(); len(faults) > 0 {
		t.Fatal(faults)
	}
	return m
}

// twentieth are the documented rates and limits divided by 20, the times being
// as they are, so that experiments of an hour are short.
var twentieth = []string{"partition_target=100", "account_target=1000", "range_target=100", "server_target=200", "merge_below=5"}

// cold returns a layer of the documented profile that begins cold.
func cold(t testing.TB, settings ...string) *partition.Layer {
	t.Helper()
	return partition.New(partition.Options{Model: modelOf(t, model.Documented, settings...), Cold: true, Seed: 1})
}
