package results

import (
	"cmp"
	"slices"
)

// mostPartitions bounds how many partitions a phase tells apart.
const mostPartitions = 10_000

// KeptPartitions is how many partitions of a phase the record names at most.
const KeptPartitions = 10

// partitionLoad is the load of a partition in a phase, in entities. Hit says that
// an operation of the phase began there.
type partitionLoad struct {
	served, offered int64
	hit             bool
}

// partition adds an attempt to the load of its partition: what it served in the
// phase in which it ended, whichever its operation belongs to, since what retries
// bring to a later phase is that one's heat; and with the first attempt of an
// operation what that was due to touch, in the operation's own phase.
func (r *Recorder) partition(a *Attempt) {
	ended, within := 0, false
	if a.Class == Ok {
		ended, within = r.phaseAt(a.Done)
	}
	var load *partitionLoad
	at := place{a.Table, a.PartitionKey}
	if a.Try == 0 {
		entities := a.Entities
		for i := range a.Beyond {
			entities -= a.Beyond[i].Entities
			r.offer(a.Phase, place{a.Beyond[i].Table, a.Beyond[i].PartitionKey}, a.Beyond[i].Entities)
		}
		if a.HasPartition {
			load = r.offer(a.Phase, at, entities)
		}
	}
	if !within || !a.HasPartition {
		return
	}
	if load == nil || ended != a.Phase {
		load = r.loadOf(ended, at)
	}
	if load != nil {
		load.served += a.Counted
	} else {
		r.record.Phases[ended].PartitionsOver += a.Counted
	}
}

// offer adds what an operation of a phase is due to touch to the load of a partition,
// and returns that, nil where it is one too many.
func (r *Recorder) offer(phase int, at place, entities int64) *partitionLoad {
	load := r.loadOf(phase, at)
	if load == nil {
		r.record.Phases[phase].OfferedOver += entities
		return nil
	}
	load.offered += entities
	load.hit = true
	return load
}

// loadOf returns the load of a partition in a phase, nil where it is one too many.
func (r *Recorder) loadOf(phase int, at place) *partitionLoad {
	loads := r.partitions[phase]
	load := loads[at]
	if load == nil && len(loads) < mostPartitions {
		load = new(partitionLoad)
		loads[at] = load
	}
	return load
}

// closePartitions writes the busiest partitions of a phase into the record, and how
// evenly all of them were served.
func (r *Recorder) closePartitions(phase int) {
	p := &r.record.Phases[phase]
	var served []PartitionStats
	offered := []PartitionStats{}
	for at, load := range r.partitions[phase] {
		if load.hit {
			offered = append(offered, PartitionStats{at.table, at.key, load.offered})
		}
		if load.served > 0 {
			served = append(served, PartitionStats{at.table, at.key, load.served})
		}
	}
	p.Partitions, p.Offered = busiest(served), busiest(offered)
	p.PartitionsHit = int64(len(offered))
	p.Shares = sharesOf(p.Seconds(), offered, r.partitions[phase])
}

// busiest sorts partitions by their entities, most first, ties by key and table,
// and returns the first of them, as many as a record names.
func busiest(all []PartitionStats) []PartitionStats {
	slices.SortFunc(all, func(a, b PartitionStats) int {
		return cmp.Or(cmp.Compare(b.Entities, a.Entities), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Table, b.Table))
	})
	return slices.Clone(all[:min(len(all), KeptPartitions)])
}
