package targettest

import (
	"fmt"
	"math/rand/v2"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/results"
	"loadgen/target"
)

// Walk draws operations on a few keys of one table, so that they affect one another: some are
// conditional on a version seen before, some queries resume, some keys are invalid.
type Walk struct {
	// Drops makes about one operation in a hundred delete the table.
	Drops   bool
	rng     *rand.Rand
	number  uint64
	version entity.Ticks
	query   target.Query
}

// NewWalk returns a walk with a seed.
func NewWalk(seed uint64) *Walk { return &Walk{rng: rand.New(rand.NewPCG(seed, 0))} }

// Next draws an operation. The first creates the table.
func (w *Walk) Next() *target.Operation {
	verbs := []entity.Verb{entity.Insert, entity.InsertOrReplace, entity.Replace, entity.Merge, entity.InsertOrMerge,
		entity.Delete, entity.Get, entity.Batch, entity.Batch, entity.Query, entity.Query, entity.CreateTable}
	op := &target.Operation{Verb: verbs[w.rng.IntN(len(verbs))], Table: "Registrations", Number: w.number,
		Attempt: w.rng.IntN(3)}
	switch {
	case w.number == 0:
		op.Verb = entity.CreateTable
	case w.Drops && w.rng.IntN(100) == 0:
		op.Verb = entity.DeleteTable
	}
	switch op.Verb {
	case entity.Batch:
		key, first := w.key(), w.rng.IntN(100)
		for i := range 1 + w.rng.IntN(entity.MaxBatchChanges) {
			key.Row = fmt.Sprintf("%03d", first+i+w.rng.IntN(50)/49)
			verbs := []entity.Verb{entity.InsertOrReplace, entity.InsertOrMerge, entity.InsertOrReplace, entity.Insert}
			op.Changes = append(op.Changes, w.change(verbs[w.rng.IntN(4)*w.rng.IntN(2)], key))
		}
	case entity.Query:
		op.Query = w.nextQuery()
	case entity.CreateTable, entity.DeleteTable:
	default:
		op.Change = w.change(op.Verb, w.key())
		if w.rng.IntN(50) == 0 {
			op.Change.Key.Row = "no/slash"
		}
	}
	w.number++
	return op
}

func (w *Walk) key() entity.Key {
	return entity.Key{Partition: string(rune('p' + w.rng.IntN(3))), Row: fmt.Sprintf("%03d", w.rng.IntN(200))}
}

func (w *Walk) change(verb entity.Verb, key entity.Key) entity.Change {
	c := entity.Change{Verb: verb, Key: key}
	if verb != entity.Delete {
		c.Properties = []entity.Property{{Name: "Number", Value: entity.Int64(int64(w.number))},
			{Name: "Zoë", Value: entity.Double(3)}}
	}
	switch verb {
	case entity.Replace, entity.Merge, entity.Delete:
		if c.Match = entity.MatchAny; w.rng.IntN(3) == 0 {
			c.Match = entity.MatchExactly(w.version)
		}
	}
	return c
}

// nextQuery resumes the last query, or draws another one.
func (w *Walk) nextQuery() target.Query {
	if !w.query.Token.Present {
		ranges := []filter.Range{filter.WholeTable(), filter.OnePartition(w.key().Partition), filter.RowsFrom("q", "050"),
			filter.WholeTable(),
			filter.Rows("p", "010", "020"), filter.RowPrefix("r", "00"), filter.Point("p", "007"), filter.PartitionRange("p", "r")}
		w.query = target.Query{Range: ranges[w.rng.IntN(len(ranges))], Top: w.rng.IntN(100)}
	}
	return w.query
}

// Saw passes the outcome of an operation to the walk.
func (w *Walk) Saw(op *target.Operation, o target.Outcome) {
	if o.Version != 0 {
		w.version = o.Version
	}
	if op.Verb == entity.Query && o.Class(target.Expected{}) == results.Ok {
		w.query.Token = o.Next
	}
}
