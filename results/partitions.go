package results

import (
	"slices"
	"strings"
	"time"
)

// mostPartitions bounds how many PartitionKeys a phase tells apart, and
// keptPartitions how many of them the record keeps.
const (
	mostPartitions = 10_000
	keptPartitions = 10
)

// partition adds to the load of a PartitionKey in the phase in which an attempt
// ended, whichever its operation belongs to: what retries bring to a later phase
// is that one's heat.
func (r *Recorder) partition(done time.Duration, key string, entities int64) {
	phase, found := r.phaseAt(done)
	if !found {
		return
	}
	load := r.partitions[phase]
	if _, known := load[key]; !known && len(load) >= mostPartitions {
		r.record.Phases[phase].PartitionsOver += entities
		return
	}
	load[key] += entities
}

// busiest returns the partitions with the most entities, ties by key.
func busiest(load map[string]int64) []PartitionStats {
	all := make([]PartitionStats, 0, len(load))
	for key, entities := range load {
		all = append(all, PartitionStats{key, entities})
	}
	slices.SortFunc(all, func(a, b PartitionStats) int {
		if a.Entities != b.Entities {
			return int(min(1, max(-1, b.Entities-a.Entities)))
		}
		return strings.Compare(a.Key, b.Key)
	})
	return all[:min(len(all), keptPartitions)]
}
