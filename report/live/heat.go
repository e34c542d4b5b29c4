package live

import (
	"cmp"
	"slices"
	"time"

	"loadgen/results"
)

// Second is what happened in one whole second of a run.
type Second struct {
	results.Counts
	// Hottest are the partitions with the most demand, at most [MaxHottest], most first.
	Hottest []PartitionLoad
	// Demanded are the entities that attempts meant to touch at all partitions.
	Demanded int64
}

// PartitionLoad is the load of a partition in a second: lower bounds.
type PartitionLoad struct {
	// Name is for people, see [results.PartitionName].
	Name string
	// Served are entities, Throttled those that throttled attempts meant to touch.
	Served, Throttled int64
}

// Demanded returns the entities that attempts meant to touch at the partition.
func (w *PartitionLoad) Demanded() int64 { return w.Served + w.Throttled }

// MaxHottest is the greatest number of partitions in a [Second].
const MaxHottest = 64

// Kept is the number of whole seconds for which a second is available after its end.
const Kept = timesOver

// Second returns what happened in a whole second of the run, counted from 0, or nothing if it is not one of the last
// [Kept].
func (p *Stats) Second(number int64) Second {
	all := Second{Counts: p.counts(number, number+1)}
	if recorder := p.source(); recorder != nil {
		var list []results.PartitionLoad
		list, all.Demanded = recorder.PartitionLoads(number, number+1)
		for _, one := range list {
			all.Hottest = append(all.Hottest, PartitionLoad{results.PartitionName(one.Table, one.PartitionKey), one.Served, one.Throttled})
		}
	}
	slices.SortFunc(all.Hottest, func(a, b PartitionLoad) int {
		return cmp.Or(cmp.Compare(b.Demanded(), a.Demanded()), cmp.Compare(a.Name, b.Name))
	})
	all.Hottest = all.Hottest[:min(len(all.Hottest), MaxHottest)]
	return all
}

// Over returns the last whole second that is over at an instant, −1 before the first is.
func Over(at time.Duration) int64 { return int64(at/time.Second) - 1 }
