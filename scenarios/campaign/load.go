package campaign

import (
	"context"
	"errors"
	"fmt"

	"loadgen/engine/entity"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// load fills the tables by entity group transactions. The transactions of the
// partitions alternate, so that the lanes spread over all of them. They insert or
// replace: a transaction whose reply was lost can then be sent again, and a table
// that was taken may hold the entities of an earlier run.
func (c *Campaign) load(ctx context.Context, phase int) error {
	spec := c.Scenario.Phases[phase].Load
	first := c.Scenario.Loaded(phase)
	var batches []batch
	for i := range c.homes {
		batches = append(batches, c.homes[i].batches(first, first+uint64(spec.Entities), spec.Transaction)...)
	}
	name := c.Scenario.Phases[phase].Name
	return c.prepare(ctx, name, spec.Lanes, uint64(len(batches)), func(k uint64) drive.Work {
		return drive.Work{Kind: c.kindOf[kindLoad], Operation: batches[k].operation()}
	}, nil)
}

// batch is a transaction of entities that lie in one partition of a home.
type batch struct {
	home    *keyHome
	numbers []uint64
}

func (b *batch) operation() target.Operation {
	op := target.Operation{Verb: entity.Batch, Table: b.home.table}
	op.Changes = make([]entity.Change, len(b.numbers))
	for i, n := range b.numbers {
		op.Changes[i] = entity.Change{Verb: entity.InsertOrReplace, Key: b.home.generator.Key(n), Properties: b.home.generator.Properties(n)}
	}
	return op
}

// batches cuts the entities from first to end into transactions of one partition
// each.
func (r *keyHome) batches(first, end uint64, size int) []batch {
	partitions := partitionsFrom(r.generator, first, end)
	var batches []batch
	for left := true; left; {
		left = false
		for i := range partitions {
			if rest := partitions[i].members; len(rest) > 0 {
				cut := min(size, len(rest))
				batches = append(batches, batch{r, rest[:cut]})
				partitions[i].members = rest[cut:]
				left = true
			}
		}
	}
	return batches
}

// shelf is a partition of one of the tables that were loaded.
type shelf struct {
	table, key string
	entities   int64
}

// loadedInto returns every partition that was loaded before a phase.
func (c *Campaign) loadedInto(phase int) []shelf {
	var order []shelf
	places := make(map[[2]string]int)
	for _, home := range c.homes {
		for n := range c.Scenario.Loaded(phase) {
			at := [2]string{home.table, home.generator.PartitionKey(n)}
			i, known := places[at]
			if !known {
				i = len(order)
				places[at] = i
				order = append(order, shelf{table: at[0], key: at[1]})
			}
			order[i].entities++
		}
	}
	return order
}

// Count reads every partition that was loaded and holds what it returns against
// what was loaded.
func (c *Campaign) Count(ctx context.Context, phase int) error {
	shelves := c.loadedInto(phase)
	name := c.Scenario.Phases[phase].Name
	found := make([]int64, len(shelves))
	err := c.prepare(ctx, name, c.Scenario.Phases[phase].Count.Lanes, uint64(len(shelves)), func(k uint64) drive.Work {
		op := target.Operation{Verb: entity.Query, Table: shelves[k].table}
		op.Query = target.OnePartition(shelves[k].key)
		return drive.Work{Kind: c.kindOf[kindCount], Operation: op, Pages: true, Offers: shelves[k].entities}
	}, func(k uint64, o *target.Outcome) { found[k] += o.Returned })
	if err != nil {
		return err
	}
	for k, one := range shelves {
		// A table that was taken may hold what an earlier run inserted.
		if found[k] < one.entities || found[k] > one.entities && !c.Reuse {
			return fmt.Errorf("%w: partition %q holds %d entities, %d were loaded", ErrPreparation, one.key, found[k], one.entities)
		}
	}
	return nil
}

var (
	// ErrTableExists is wrapped where the test table is there already.
	ErrTableExists = errors.New("drive: the test table exists")
	// ErrNotOurs is wrapped where a table to be reused lacks this tool's marker.
	ErrNotOurs = errors.New("drive: the table is not one of this tool's")
	// ErrPreparation is wrapped where the table could not be made, filled or
	// counted.
	ErrPreparation = errors.New("drive: preparation failed")
)
