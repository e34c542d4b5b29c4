package trial

import (
	"fmt"
	"strconv"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/scenarios/run"
	"loadgen/target"
)

// contestTable is the table that the clients insert into.
const contestTable = "Contest"

// insert is operation k: a new entity, in an outage in its client's partition, in
// an overload in the one that all share.
func (c *Contest) insert(e *Experiment, k uint64) target.Operation {
	partition := "all"
	if c.Overload == 0 {
		partition = strconv.FormatUint(e.ClientOf(k), 10)
	}
	return target.Operation{Verb: entity.Insert, Table: contestTable, Change: entity.Change{Verb: entity.Insert,
		Key: entity.Key{Partition: partition, Row: strconv.FormatUint(k, 10)}}}
}

// target returns an engine of its own that makes the trouble.
func (c *Contest) target(e *Experiment) (target.Immediate, error) {
	profile := model.Off
	if c.Overload > 0 {
		profile = model.Documented
	}
	m, err := model.New(profile)
	if err != nil {
		return nil, err
	}
	inner := run.Engine(m, c.Seed, nil)
	if made, _ := inner.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: contestTable}); made.Status >= 300 {
		return nil, fmt.Errorf("the table of the contest was not made: %d %s", made.Status, made.Code)
	}
	var plan engine.FaultPlan
	if c.Overload == 0 {
		plan.Rules = append(plan.Rules, engine.FaultRule{Kind: engine.FaultRefuse, From: e.Lead, To: e.Lead + e.Trouble, Share: engine.WholeShare})
	}
	if share := c.lost(); share > 0 {
		plan.Rules = append(plan.Rules, engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, To: clock.Never.Offset(), Share: share})
	}
	return target.WrapImmediateFaults(inner, plan, c.Seed), nil
}
