package live

import (
	"cmp"
	"slices"
	"time"

	"loadgen/results"
)

// Second is what came in one whole second of a run, in entities but for attempts.
type Second struct {
	// Offered were due by the documented rule, Served counted for operations that succeeded.
	Offered, Served     int64
	Attempts, Throttled int64
	// Warmest are the partitions with the most demand, at most [Warmest], most first.
	Warmest []Warmth
	// Demanded is what attempts meant to touch at all partitions.
	Demanded int64
}

// Warmth is what a partition came to in a second, at least.
type Warmth struct {
	// Name is for people, see [results.PartitionName].
	Name string
	// Served are entities, Throttled those that throttled attempts meant to touch.
	Served, Throttled int64
}

// Demanded is what attempts meant to touch at the partition.
func (w *Warmth) Demanded() int64 { return w.Served + w.Throttled }

// Warmest is how many partitions of a second are told at most.
const Warmest = 64

// Kept is for how long a second can be asked for after its end, in whole seconds.
const Kept = timesOver

// Second returns what came in a whole second of the run, counted from 0: nothing where it
// is none of the last [Kept], or of a stage before.
func (p *Stats) Second(number int64) Second {
	var all Second
	heat := make(map[partition]warmth)
	for i := range p.shards {
		h := &p.shards[i]
		h.mu.Lock()
		if one := &h.ring[number%seconds]; one.number == number {
			all.Offered += one.Offered
			all.Served += one.Served
			all.Attempts += one.Attempts
			all.Throttled += one.Throttled
			all.Demanded += one.demanded
			if one.heat != nil {
				for _, place := range one.heat.Places() {
					sum := heat[place.Key]
					heat[place.Key] = warmth{sum.served + place.Value.served, sum.throttled + place.Value.throttled}
				}
			}
		}
		h.mu.Unlock()
	}
	for one, w := range heat {
		all.Warmest = append(all.Warmest, Warmth{results.PartitionName(one.table, one.key), w.served, w.throttled})
	}
	slices.SortFunc(all.Warmest, func(a, b Warmth) int {
		return cmp.Or(cmp.Compare(b.Demanded(), a.Demanded()), cmp.Compare(a.Name, b.Name))
	})
	all.Warmest = all.Warmest[:min(len(all.Warmest), Warmest)]
	return all
}

// Over returns the last whole second that is over at an instant, −1 before the first is.
func Over(at time.Duration) int64 { return int64(at/time.Second) - 1 }
