package drive

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"loadgen/results"
)

// Tail counts the attempts at each PartitionKey in the last part of a run, and how many of them were throttled: it
// shows which keys are throttled until the end. It keeps two stretches of time and limits the number of keys. It
// belongs to a run on the virtual clock, which has one goroutine.
type Tail struct {
	stretch time.Duration
	current int64
	counts  [2]map[string]*results.KeyTail
}

var _ Observer = (*Tail)(nil)

// maxTails is the maximum number of keys of a stretch, keptTails the maximum number that is returned.
const (
	maxTails  = 10_000
	keptTails = 20
)

// NewTail returns the tail of a run, which is of the last one to two stretches.
func NewTail(stretch time.Duration) *Tail {
	return &Tail{stretch: stretch, counts: [2]map[string]*results.KeyTail{{}, {}}}
}

// Attempt implements [Observer]. Attempts at a table as a whole are left out.
func (t *Tail) Attempt(a *results.Attempt) {
	if !a.HasPartition {
		return
	}
	if now := int64(a.Done / t.stretch); now > t.current {
		before := t.counts[0]
		if now > t.current+1 {
			clear(before)
		}
		clear(t.counts[1])
		t.counts[0], t.counts[1] = t.counts[1], before
		t.current = now
	}
	one := t.counts[0][a.PartitionKey]
	if one == nil {
		if len(t.counts[0]) >= maxTails {
			return
		}
		one = &results.KeyTail{Key: a.PartitionKey}
		t.counts[0][a.PartitionKey] = one
	}
	one.Attempts++
	if a.Class == results.Throttled {
		one.Throttled++
	}
}

// Completed implements [Observer].
func (t *Tail) Completed(*results.Completed) {}

// Keys returns the keys of the tail, those with the most refusals first, then by
// key. The slice is the caller's.
func (t *Tail) Keys() []results.KeyTail {
	sum := make(map[string]results.KeyTail)
	for _, counts := range t.counts {
		for key, one := range counts {
			both := sum[key]
			sum[key] = results.KeyTail{Key: key, Attempts: both.Attempts + one.Attempts, Throttled: both.Throttled + one.Throttled}
		}
	}
	list := slices.AppendSeq([]results.KeyTail{}, maps.Values(sum))
	slices.SortFunc(list, func(a, b results.KeyTail) int {
		return cmp.Or(cmp.Compare(b.Throttled, a.Throttled), cmp.Compare(a.Key, b.Key))
	})
	return list[:min(len(list), keptTails)]
}
