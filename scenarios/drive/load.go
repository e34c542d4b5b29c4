package drive

import (
	"context"
	"fmt"

	"loadgen/engine/entity"
	"loadgen/target"
)

// load fills the table by entity group transactions. The transactions of the
// partitions alternate, so that the lanes spread over all of them. They insert or
// replace: a transaction whose reply was lost can then be sent again, and a table
// that was taken may hold the entities of an earlier run.
func (c *Campaign) load(ctx context.Context, phase int) error {
	spec := c.Scenario.Phases[phase].Load
	first := c.Scenario.Loaded(phase)
	batches := c.batches(first, first+uint64(spec.Entities), spec.Transaction)
	name := c.Scenario.Phases[phase].Name
	return c.prepare(ctx, name, spec.Lanes, uint64(len(batches)), func(k uint64) Work {
		op := target.Operation{Verb: entity.Batch, Table: c.Table}
		op.Changes = make([]entity.Change, len(batches[k]))
		for i, n := range batches[k] {
			op.Changes[i] = entity.Change{Verb: entity.InsertOrReplace, Key: c.generator.Key(n), Properties: c.generator.Properties(n)}
		}
		return Work{Kind: c.kindOf[kindLoad], Operation: op}
	}, nil)
}

// batches cuts the entities from first to end into transactions of one partition
// each.
func (c *Campaign) batches(first, end uint64, size int) [][]uint64 {
	var order []string
	members := make(map[string][]uint64)
	for n := first; n < end; n++ {
		key := c.generator.PartitionKey(n)
		if _, known := members[key]; !known {
			order = append(order, key)
		}
		members[key] = append(members[key], n)
	}
	var batches [][]uint64
	for left := true; left; {
		left = false
		for _, key := range order {
			if rest := members[key]; len(rest) > 0 {
				cut := min(size, len(rest))
				batches = append(batches, rest[:cut])
				members[key] = rest[cut:]
				left = true
			}
		}
	}
	return batches
}

// count reads every partition that was loaded and holds what it returns against
// what was loaded.
func (c *Campaign) count(ctx context.Context, phase int) error {
	loaded := c.Scenario.Loaded(phase)
	expected := make(map[string]int64)
	var partitions []string
	for n := range loaded {
		key := c.generator.PartitionKey(n)
		if expected[key] == 0 {
			partitions = append(partitions, key)
		}
		expected[key]++
	}
	name := c.Scenario.Phases[phase].Name
	found := make([]int64, len(partitions))
	err := c.prepare(ctx, name, c.Scenario.Phases[phase].Count.Lanes, uint64(len(partitions)), func(k uint64) Work {
		op := target.Operation{Verb: entity.Query, Table: c.Table}
		op.Query = target.OnePartition(partitions[k])
		return Work{Kind: c.kindOf[kindCount], Operation: op, Pages: true, Offers: expected[partitions[k]]}
	}, func(k uint64, o *target.Outcome) { found[k] += o.Returned })
	if err != nil {
		return err
	}
	for k, key := range partitions {
		// A table that was taken may hold what an earlier run inserted.
		if found[k] < expected[key] || found[k] > expected[key] && !c.Reuse {
			return fmt.Errorf("%w: partition %q holds %d entities, %d were loaded", ErrPreparation, key, found[k], expected[key])
		}
	}
	return nil
}
