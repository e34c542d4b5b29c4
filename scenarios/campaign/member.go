package campaign

import (
	"context"
	"fmt"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/workflow"
)

// Member is the part of a campaign in one of several processes, which offer a scenario together. It
// offers traffic only: the campaign with [Options.OfferElsewhere] creates, fills, checks and drops the
// tables, before the first member begins and after the last has ended.
type Member struct {
	Share drive.Share
	From
	// Begins is when its first phase of traffic begins. The others follow by the plan.
	Begins clock.Instant
	// Began, if not nil, is called when it began, with the delay.
	Began func(late time.Duration)
	// Search leads the search, if the campaign is one.
	Search SearchLeader
}

// SearchLeader is the leader of a search.
type SearchLeader interface {
	// Next waits for the next step and returns when it begins, and false if the search is over.
	Next(context.Context) (t SearchStep, begins clock.Instant, more bool, err error)
	// Report receives what the member measured.
	Report(SearchStep, *Measured)
}

// From has the run's number of the first operation of the traffic, and of the first entity that it
// may insert.
type From struct {
	Number uint64 `json:"number"`
	Fresh  uint64 `json:"fresh"`
}

// preparedStage is a phase of traffic that is ready to be sent.
type preparedStage struct {
	stage *drive.Stage
	From
}

// Prepare prepares all phases of a member and returns the number of operations of its share, 0 if
// that is unknown.
func (c *Campaign) Prepare() (planned uint64, err error) {
	c.number, c.fresh = c.Member.Number, c.Member.Fresh
	counted, begins := true, c.Member.Begins
	for i := range c.Scenario.Phases {
		c.begun = append(c.begun, c.fresh)
		if c.Scenario.Phases[i].Traffic == nil || c.Find != nil {
			continue
		}
		d, err := c.preparedPhase(i)
		if err != nil {
			return 0, err
		}
		d.stage.Share, d.stage.At = c.Member.Share, begins
		c.prepared = append(c.prepared, preparedStage{d.stage, From{c.number, c.fresh}})
		planned += c.Member.Share.Count(d.stage.Operations())
		counted = counted && d.stage.Think == nil
		begins = nextBegin(begins, d.stage)
		c.number += d.stage.Operations()
		c.fresh += d.stage.Operations() * stride(d.Operations)
	}
	if !counted || c.Find != nil {
		planned = 0 // the leader of a search computes it
	}
	return planned, nil
}

// offerShare offers what a member has prepared.
func (c *Campaign) offerShare(ctx context.Context) error {
	c.loading = true
	if phase, any := findPhase(c.Scenario); c.Find != nil && any {
		return c.find(ctx, phase)
	}
	for i, one := range c.prepared {
		c.number, c.fresh = one.Number, one.Fresh
		c.Member.limitToShare(one.stage, i == 0, c)
		if err := c.run(ctx, one.stage); err != nil {
			return err
		}
	}
	return nil
}

// limitToShare limits a stage to the member's share; the first stage reports when it began.
func (m *Member) limitToShare(stage *drive.Stage, first bool, c *Campaign) {
	if stage.Share = m.Share; first && m.Began != nil {
		stage.Begins = func(at clock.Instant) { m.Began(c.runner.Now().Sub(at)) }
	}
}

// phasePause is the pause between the maximum duration of a stage and the next stage.
const phasePause = time.Second

// nextBegin returns the beginning of the stage after another one, by the plan alone, so that all
// members begin it together.
func nextBegin(begins clock.Instant, stage *drive.Stage) clock.Instant {
	lasts := stage.For
	if stage.Schedule != nil {
		lasts = stage.Schedule.Length()
	}
	return begins.Add(lasts + stage.Grace + phasePause).NextSecond()
}

// Offered is a part of the record of what the scenario offers.
type Offered struct {
	// Phase begins and ends relative to the beginning of the first part. A part of unknown length
	// ends as it begins.
	results.Phase
	// Shares is the number of operations of each process, nil if unknown.
	Shares []int64
}

// Offered returns what a number of processes offer together: in a step of the search if that is not
// nil, by the time since the step began, else in all phases.
func (c *Campaign) Offered(step *SearchStep, processes int) (list []Offered, err error) {
	if step != nil {
		stage, _, err := c.stepStage(*step)
		if err != nil {
			return nil, err
		}
		return offered(stage, stage.Phases, processes), nil
	}
	begins := clock.Instant(0)
	for i := range c.Scenario.Phases {
		if c.Scenario.Phases[i].Traffic == nil {
			continue
		}
		d, err := c.plan(i)
		if err != nil {
			return nil, err
		}
		parts := offered(d.stage, c.trafficPhases(d), processes)
		for j := range parts {
			parts[j].Begin += begins.Offset()
			parts[j].End += begins.Offset()
		}
		list = append(list, parts...)
		begins = nextBegin(begins, d.stage)
	}
	return list, nil
}

// offered returns the parts of a stage with their operations by process.
func offered(stage *drive.Stage, parts []results.Phase, processes int) []Offered {
	var list []Offered
	for _, part := range parts {
		one := Offered{Phase: part}
		one.Stage = stage.Name
		switch {
		case stage.Schedule != nil:
			one.Shares = shares(processes, dueBefore(stage.Schedule, part.Begin), dueBefore(stage.Schedule, part.End))
		case stage.Think == nil:
			one.Shares, one.End = shares(processes, 0, stage.Count), one.Begin
		}
		list = append(list, one)
	}
	return list
}

// shares returns each process's number of operations in a range.
func shares(processes int, from, below uint64) []int64 {
	list := make([]int64, processes)
	for i := range list {
		share := drive.Share{Index: i, Of: processes}
		list[i] = int64(share.Count(below) - share.Count(from))
	}
	return list
}

// SharingFaults returns why several processes cannot offer a scenario together, each a [fields.Fault]
// with its field; nil if they can.
func SharingFaults(s *scenarios.Scenario, processes int) (faults []error) {
	fault := func(path, format string, args ...any) {
		faults = append(faults, fields.Fault{Path: path, What: fmt.Sprintf(format, args...) + ", which several processes cannot share"})
	}
	if s.Verify {
		fault("verify", "following each entity requires one process")
	}
	offered := ""
	for i := range s.Phases {
		p := &s.Phases[i]
		path := fmt.Sprintf("phases[%d].%s", i, p.Kind())
		t := p.Traffic
		switch {
		case t == nil && offered != "":
			fault(path, "it comes after load was offered")
		case t == nil:
		case offered == counted:
			fault(path, "its start is unknown: the previous phase lasts as long as its operations")
		}
		if t == nil {
			continue
		}
		if offered = path; t.Count > 0 {
			offered = counted
		}
		switch {
		case t.StopWhenStable > 0:
			fault(path+".stop_when_stable", "detecting the end of load requires one process")
		case len(t.StopOn) > 0:
			fault(path+".stop_on", "budgets require one process")
		case t.Clients > 0 && t.Clients < processes:
			fault(path+".clients", "%d of them are fewer than the %d processes", t.Clients, processes)
		}
		for j := range t.Operations {
			undividedOperation(&t.Operations[j], fmt.Sprintf("%s.operations[%d]", path, j), fault)
		}
	}
	return faults
}

// counted is a phase whose length is unknown.
const counted = "counted"

func undividedOperation(o *scenarios.OperationSpec, path string, fault func(path, format string, args ...any)) {
	kind := workflow.Find(o.Workflow)
	switch {
	case kind != nil && len(listOf(kind.Stores, o.With)) > 0:
		fault(path+".workflow", "the state of %s requires one process", o.Workflow)
	case o.Limit.PerSecond > 0:
		fault(path+".limit", "the limit requires one process")
	case o.Save != "":
		fault(path+".save", "saving the token requires one process")
	case o.From.Saved != "":
		fault(path+".from", "saving the token requires one process")
	}
}
