package drive

import (
	"context"
	"fmt"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
	"loadgen/target"
)

// The marker is an entity by which this tool knows its own tables again. It
// lies in a partition of its own and holds the first entity number that no run
// has used, so that a further run inserts none twice.
const (
	markerPartition = "~loadgen"
	markerRow       = "marker"
	markerScenario  = "Scenario"
	markerFresh     = "FreshNumber"
)

// create makes the table, or takes one that is marked as this tool's.
func (c *Campaign) create(ctx context.Context) error {
	outcome, err := c.once(ctx, kindCreate, kindCreate,
		target.Operation{Verb: entity.CreateTable, Table: c.Table}, target.Expected{Conflict: true})
	// A run that is stopped at this very moment has made the table all the same,
	// and so may have an attempt whose reply was lost: where nobody else can
	// have a table of that name, it is this run's.
	c.ours = outcome.Class(target.Expected{}) == target.Ok || c.doubtful && c.NewName
	if err != nil {
		return err
	}
	if outcome.Status == entity.TableAlreadyExists.Status() && !c.ours {
		if !c.Reuse {
			return fmt.Errorf("%w: %s; give it another name, or take it with --reuse if this tool made it", ErrTableExists, c.Table)
		}
		if err := c.take(ctx); err != nil {
			return err
		}
	}
	c.ours = true
	return c.mark(ctx)
}

// take reads the marker of a table that exists.
func (c *Campaign) take(ctx context.Context) error {
	get := target.Operation{Verb: entity.Get, Table: c.Table}
	get.Change.Key = entity.Key{Partition: markerPartition, Row: markerRow}
	outcome, err := c.once(ctx, "take", kindMark, get, target.Expected{NotFound: true})
	if err != nil {
		return err
	}
	fresh, marked := outcome.Entity.Lookup(markerFresh)
	if outcome.Status == entity.ResourceNotFound.Status() || !marked {
		return fmt.Errorf("%w: %s has no marker and is left alone", ErrNotOurs, c.Table)
	}
	c.fresh = max(c.fresh, uint64(max(0, fresh.Int())))
	return nil
}

// mark writes the marker. It claims the numbers that this run can use before
// any of them is, so that a run that is killed leaves no doubt.
func (c *Campaign) mark(ctx context.Context) error {
	claimed := c.fresh
	for i := range c.Scenario.Phases {
		most, err := c.mostOperations(&c.Scenario.Phases[i])
		if err != nil {
			return err
		}
		claimed += most * stride(c.Scenario.Phases[i].Operations())
		claimed += uint64(c.Scenario.Phases[i].Entities())
	}
	put := target.Operation{Verb: entity.InsertOrReplace, Table: c.Table}
	put.Change = entity.Change{
		Verb: entity.InsertOrReplace,
		Key:  entity.Key{Partition: markerPartition, Row: markerRow},
		Properties: []entity.Property{
			{Name: markerScenario, Value: entity.String(c.Scenario.Name)},
			{Name: markerFresh, Value: entity.Int64(int64(claimed))},
		},
	}
	_, err := c.once(ctx, kindMark, kindMark, put, target.Expected{})
	return err
}

// mostOperations returns how many operations a phase offers at most, none where
// it prepares or counts.
func (c *Campaign) mostOperations(phase *scenarios.Phase) (uint64, error) {
	var list []arrival.Step
	switch {
	case c.Find != nil:
		return c.mostFound(phase), nil
	case phase.Peak != nil:
		list = c.peakSteps(phase.Peak)
	case phase.Traffic != nil:
		return c.mostTraffic(phase)
	case phase.Spread == nil:
		return 0, nil
	case phase.Spread.Clients > 0:
		return mostThoughts(phase.Spread.Clients, phase.Spread.Think, phase.Spread.For), nil
	default:
		list = []arrival.Step{{Rate: phase.Spread.Rate * float64(max(phase.Spread.Partitions, len(phase.Spread.Keys))),
			Length: phase.Spread.For}}
	}
	steps, err := arrival.NewSteps(list...)
	if err != nil {
		return 0, err
	}
	return steps.Len(), nil
}
