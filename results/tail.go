package results

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Tail counts the attempts at each PartitionKey in the last part of a run, and how many of them were throttled: it
// shows which keys are throttled until the end. It keeps two stretches of time and limits the number of keys. It
// belongs to a run on the virtual clock, which has one goroutine.
type Tail struct {
	stretch time.Duration
	current int64
	counts  [2]*placeMap[KeyTail]
}

// maxTails is the maximum number of keys of a stretch, keptTails the maximum number that is returned.
const (
	maxTails  = 10_000
	keptTails = 20
)

// NewTail returns the tail of a run, which is of the last one to two stretches.
func NewTail(stretch time.Duration) *Tail {
	return &Tail{stretch: stretch, counts: [2]*placeMap[KeyTail]{newPlaceMap[KeyTail](), newPlaceMap[KeyTail]()}}
}

// Attempt counts an attempt at a partition.
func (t *Tail) Attempt(a *Attempt) {
	if !a.HasPartition {
		return
	}
	if now := int64(a.Done / t.stretch); now > t.current {
		t.counts[0], t.counts[1] = newPlaceMap[KeyTail](), t.counts[0]
		if now > t.current+1 {
			t.counts[1] = newPlaceMap[KeyTail]()
		}
		t.current = now
	}
	at := place{key: a.PartitionKey}
	one := t.counts[0].find(at)
	if one == nil {
		if len(t.counts[0].all) >= maxTails {
			return
		}
		one = &KeyTail{Key: a.PartitionKey}
		t.counts[0].all[at] = one
	}
	one.Attempts++
	if a.Class == Throttled {
		one.Throttled++
	}
}

// Completed makes the tail an observer of a run.
func (t *Tail) Completed(*Completed) {}

// Keys returns the keys of the tail, those with the most refusals first, then by
// key. The slice is the caller's.
func (t *Tail) Keys() []KeyTail {
	sum := make(map[string]KeyTail)
	for _, counts := range t.counts {
		for at, one := range counts.all {
			both := sum[at.key]
			sum[at.key] = KeyTail{Key: at.key, Attempts: both.Attempts + one.Attempts, Throttled: both.Throttled + one.Throttled}
		}
	}
	list := slices.AppendSeq([]KeyTail{}, maps.Values(sum))
	slices.SortFunc(list, func(a, b KeyTail) int {
		return cmp.Or(cmp.Compare(b.Throttled, a.Throttled), cmp.Compare(a.Key, b.Key))
	})
	return list[:min(len(list), keptTails)]
}
