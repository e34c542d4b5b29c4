package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"loadgen/engine/entity"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// load fills the tables by entity group transactions, which alternate between partitions, so that
// the lanes spread over all of them. They upsert: a transaction whose reply was lost can be sent
// again, and a reused table can hold the entities of an earlier run.
func (c *Campaign) load(ctx context.Context, phase int) error {
	spec := c.Scenario.Phases[phase].Load
	first := c.Scenario.Loaded(phase)
	var batches []batch
	for i := range c.locations {
		batches = append(batches, c.locations[i].batches(first, first+uint64(spec.Entities), spec.Transaction)...)
	}
	name := c.Scenario.Phases[phase].Name
	return c.prepare(ctx, name, spec.Lanes, uint64(len(batches)), func(k uint64, w *drive.Work) {
		b := &batches[k]
		w.Kind = c.kindOf[kindLoad]
		w.Operation = target.Operation{Verb: entity.Batch, Table: b.location.table, Changes: make([]entity.Change, len(b.numbers))}
		for i, n := range b.numbers {
			key, properties := b.location.generator.EntityOf(keys.Event{Number: n})
			w.Operation.Changes[i] = entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: properties}
		}
	}, nil)
}

// batch is a transaction of entities in one partition of a location.
type batch struct {
	location *location
	numbers  []uint64
}

// batches splits the entities from first to end into transactions of one partition each.
func (r *location) batches(first, end uint64, size int) (batches []batch) {
	partitions := partitionsOf([]location{*r}, first, end)
	for from, before := 0, -1; before < len(batches); from += size {
		before = len(batches)
		for _, one := range partitions {
			if from < len(one.members) {
				batches = append(batches, batch{r, one.members[from:min(from+size, len(one.members))]})
			}
		}
	}
	return batches
}

// partition is a partition of a table, its first entity, and the entities that operations use.
type partition struct {
	table, key string
	witness    uint64
	members    []uint64
}

// partitionsOf returns the partitions of the entities from first to end, in their order.
func partitionsOf(locations []location, first, end uint64) []partition {
	var partitions []partition
	index := make(map[[2]string]int)
	for i := range locations {
		for n := first; n < end; n++ {
			at := [2]string{locations[i].table, locations[i].generator.PartitionKey(n)}
			i, known := index[at]
			if !known {
				i = len(partitions)
				index[at] = i
				partitions = append(partitions, partition{table: at[0], key: at[1], witness: n})
			}
			partitions[i].members = append(partitions[i].members, n)
		}
	}
	return partitions
}

// loadedInto returns every partition that was loaded before a phase.
func (c *Campaign) loadedInto(phase int) []partition {
	return partitionsOf(c.locations, 0, c.Scenario.Loaded(phase))
}

// count reads every loaded partition and compares the number of entities.
func (c *Campaign) count(ctx context.Context, phase int) error {
	partitions := c.loadedInto(phase)
	name := c.Scenario.Phases[phase].Name
	found := make([]int64, len(partitions))
	err := c.prepare(ctx, name, c.Scenario.Phases[phase].Count.Lanes, uint64(len(partitions)), func(k uint64, w *drive.Work) {
		one := &partitions[k]
		w.Kind, w.Pages, w.Offers = c.kindOf[kindCount], true, int64(len(one.members))
		w.Operation = target.Operation{Verb: entity.Query, Table: one.table, Query: target.OnePartition(one.key)}
	}, func(k uint64, o *target.Outcome) { found[k] += o.Returned })
	if err != nil {
		return err
	}
	for k, one := range partitions {
		// A reused table can hold what an earlier run inserted.
		if loaded := int64(len(one.members)); found[k] < loaded || found[k] > loaded && !c.Reuse {
			return fmt.Errorf("%w: partition %q holds %d entities, %d were loaded", c.failure(), one.key, found[k], loaded)
		}
	}
	return nil
}

var (
	// ErrTableExists is wrapped if the test table exists.
	ErrTableExists = errors.New("campaign: the test table exists")
	// ErrNotOurs is wrapped if a table to be reused lacks this tool's marker.
	ErrNotOurs = errors.New("campaign: the table is not one of this tool's")
	// ErrPreparation is wrapped if the table could not be created, filled or counted.
	ErrPreparation = errors.New("campaign: preparation failed")
	// ErrAfterLoad is wrapped if what the load left could not be checked, counted or dropped.
	ErrAfterLoad = errors.New("campaign: after the load")
)

// failure is the error of an operation that does not belong to the load.
func (c *Campaign) failure() error {
	if c.loading {
		return ErrAfterLoad
	}
	return ErrPreparation
}

// spreadOver returns the partitions that a phase works on, each with its loaded entities, or with
// new numbers if nothing was loaded.
func (c *Campaign) spreadOver(phase int) ([]partition, error) {
	entities, loaded := c.Scenario.Phases[phase].Offered().Entities, c.Scenario.Loaded(phase)
	witnesses, err := c.Scenario.Witnesses(c.generator, phase)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPreparation, err)
	}
	partitions := make([]partition, len(witnesses))
	if loaded == 0 {
		// Entities of one number differ between partitions.
		numbers := make([]uint64, entities)
		for n := range numbers {
			numbers[n] = c.fresh + uint64(n)
		}
		for i, witness := range witnesses {
			partitions[i] = partition{witness: witness, members: numbers}
		}
		c.fresh += uint64(entities)
		return partitions, nil
	}
	members := make(map[string][]uint64)
	for _, one := range partitionsOf(c.locations[:1], 0, loaded) {
		members[one.key] = one.members
	}
	for i, witness := range witnesses {
		partitions[i] = partition{witness: witness, members: members[c.generator.PartitionKey(witness)]}
	}
	return partitions, nil
}

// scanned returns how many entities a scan of the table reads before a phase: the loaded ones, and
// the marker.
func (c *Campaign) scanned(phase int) int64 { return int64(c.Scenario.Loaded(phase)) + 1 }

// sortedPartitions returns the partitions that were loaded before a phase, without those of copies,
// in the order of the index. Callers must not alter them.
func (c *Campaign) sortedPartitions(phase int) []partition {
	if loaded := c.Scenario.Loaded(phase); c.sorted == nil || c.sortedOf != loaded {
		c.sorted, c.sortedOf = partitionsOf(c.locations[:1], 0, loaded), loaded
		slices.SortFunc(c.sorted, func(a, b partition) int { return entity.Compare(a.key, b.key) })
	}
	return c.sorted
}

// findPartition returns the index of the first of sorted partitions that is not before a key, and
// whether it has that key.
func findPartition(sorted []partition, key string) (at int, found bool) {
	return slices.BinarySearchFunc(sorted, key, func(one partition, key string) int { return entity.Compare(one.key, key) })
}

// partitionRange returns the first and the last of a number of consecutive sorted partitions, and
// their number of entities. It begins at a key, or earlier if too few follow.
func partitionRange(sorted []partition, key string, partitions int) (first, last string, entities int64) {
	from, _ := findPartition(sorted, key)
	from = max(0, min(from, len(sorted)-partitions))
	sorted = sorted[from:min(from+partitions, len(sorted))]
	for i := range sorted {
		entities += int64(len(sorted[i].members))
	}
	first, last = sorted[0].key, sorted[len(sorted)-1].key
	if entity.Compare(first, markerPartition) <= 0 && entity.Compare(markerPartition, last) <= 0 {
		entities++
	}
	return first, last, entities
}
