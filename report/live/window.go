package live

import (
	"strings"
	"sync"
	"time"

	"loadgen/results"
	"loadgen/scenarios/keys"
)

// Operations are spread over so many shards by their number, so that two that end at
// once seldom wait for each other. Each keeps so many seconds, of which reading takes
// those that are over, and so many partitions of each second.
const (
	shards  = 8
	seconds = 12
	places  = 32
)

// shard is what one part of the operations came to.
type shard struct {
	mu     sync.Mutex
	ring   [seconds]second
	totals Totals
	// latest is the last instant at which something ended.
	latest time.Duration
}

// second is what came in one whole second of the run.
type second struct {
	number int64
	results.Counts
	// demanded are the entities that attempts meant to touch, at any partition or none.
	demanded int64
	// times are of the operations that succeeded, by bin.
	times [bins]uint32
	heat  *keys.HeaviestKeys[partition, warmth]
	// recent are places of the heat by what their keys end with, to find those again that
	// are told of most.
	recent [recents]*keys.SketchPlace[partition, warmth]
}

// recents is how many places of a second are found by what their keys end with.
const recents = 16

// warmth is what a partition came to while it had a place.
type warmth struct {
	// served are entities, throttled those that throttled attempts meant to touch.
	served, throttled int64
}

// partition is one of the run's, by what the name of its table adds to that of the test
// table.
type partition struct{ table, key string }

// at returns the second of an instant, nil for one that was forgotten. The caller holds
// mu.
func (h *shard) at(instant time.Duration) *second {
	number := int64(max(0, instant) / time.Second)
	s := &h.ring[number%seconds]
	switch {
	case s.number > number:
		return nil
	case s.number < number:
		*s = second{number: number}
	}
	return s
}

// warmer adds to the heat of a partition.
func (s *second) warmer(at partition, demanded int64, class results.Class) {
	if s.heat == nil {
		s.heat = keys.NewHeaviestKeys(places, func(p partition) partition { return partition{strings.Clone(p.table), strings.Clone(p.key)} },
			func(w *warmth) { *w = warmth{} })
	}
	recent := &s.recent[results.Ending(at.table, at.key)%recents]
	place := *recent
	if place != nil && place.Key == at {
		s.heat.Again(place, demanded)
	} else {
		place = s.heat.Of(at, demanded)
		*recent = place
	}
	if w := &place.Value; class == results.Ok {
		w.served += demanded
	} else {
		w.throttled += demanded
	}
}

func (h *shard) told(at time.Duration, of *results.Interval, responses []*results.Histogram) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.latest = max(h.latest, at)
	totals := totalsOf(of)
	h.totals.add(&totals)
	one := h.at(at - 1)
	if one == nil {
		return
	}
	one.Add(&of.Counts)
	for _, response := range responses {
		if response == nil {
			continue
		}
		for _, bar := range response.Bars() {
			one.times[binOf(time.Duration(bar.To)*time.Microsecond)] += uint32(bar.Count)
		}
	}
}
