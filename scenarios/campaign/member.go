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

// Member is what a campaign goes by that is one of several, of as many processes, which offer a
// scenario together. It makes no table, and fills, counts, looks at and drops none: that is
// done once, by the campaign that has them offer ([Options.Elsewhere]), before the first of
// them begins and after the last has ended.
type Member struct {
	Share drive.Share
	From
	// Begins is when its first phase of traffic does. The others follow when the plan says.
	Begins clock.Instant
	// Began is told how long after that it did; it may be nil.
	Began func(late time.Duration)
	// Search is who leads the search, where the campaign is one.
	Search Searching
}

// Searching is who leads a search, as a member of it sees that.
type Searching interface {
	// Next waits for what is tried next, and returns when that begins, and false where nothing
	// is any more.
	Next(context.Context) (t Try, begins clock.Instant, more bool, err error)
	// Came is told what the member measured of it.
	Came(Try, *Measured)
}

// From is where the traffic of a scenario begins: the run's number of its first operation, and
// that of the first entity which it may insert.
type From struct {
	Number uint64 `json:"number"`
	Fresh  uint64 `json:"fresh"`
}

// furnished is a phase of traffic that is ready to be sent.
type preparedStage struct {
	stage *drive.Stage
	From
}

// Prepare forms what a member offers, so that nothing is left to be done when it begins, and
// returns how many operations its share comes to, 0 where that is known only afterwards.
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
		planned += c.Member.Share.Count(d.stage.Due())
		counted = counted && d.stage.Think == nil
		begins = nextBegin(begins, d.stage)
		c.number += d.stage.Due()
		c.fresh += d.stage.Due() * stride(d.Operations)
	}
	if !counted || c.Find != nil {
		planned = 0 // whoever leads a search finds it out
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
		c.Member.enter(one.stage, i == 0, c)
		if err := c.run(ctx, one.stage); err != nil {
			return err
		}
	}
	return nil
}

// enter has a stage offer the member's share, the first of them tell when it began.
func (m *Member) enter(stage *drive.Stage, first bool, c *Campaign) {
	if stage.Share = m.Share; first && m.Began != nil {
		stage.Begins = func(at clock.Instant) { m.Began(c.runner.Now().Sub(at)) }
	}
}

// betweenShares is how long after the last that a stage may take the next one begins.
const betweenShares = time.Second

// nextBegin returns when the stage after one begins whose begin is given: by the plan alone, so
// that all members begin it together, however long each has been at the one before.
func nextBegin(begins clock.Instant, stage *drive.Stage) clock.Instant {
	lasts := stage.For
	if stage.Schedule != nil {
		lasts = stage.Schedule.Length()
	}
	return begins.Add(lasts + stage.Grace + betweenShares).NextSecond()
}

// Offered is a part of what the scenario offers, as records have it.
type Offered struct {
	// Phase begins and ends by the time since the first of them begins. One whose length is not
	// known beforehand ends as it begins.
	results.Phase
	// Shares are how many operations are due to each of so many processes, nil where that is
	// known only afterwards.
	Shares []int64
}

// Offered returns what the scenario offers if so many processes do it together.
func (c *Campaign) Offered(processes int) ([]Offered, error) {
	var list []Offered
	begins := clock.Instant(0)
	for i := range c.Scenario.Phases {
		if c.Scenario.Phases[i].Traffic == nil {
			continue
		}
		d, err := c.dry(i)
		if err != nil {
			return nil, err
		}
		parts := offered(d.stage, c.trafficPhases(d.stage.Name, d.Traffic, d.stage.Schedule), processes)
		for j := range parts {
			parts[j].Begin += begins.Offset()
			parts[j].End += begins.Offset()
		}
		list = append(list, parts...)
		begins = nextBegin(begins, d.stage)
	}
	return list, nil
}

// OfferedBy returns what a step of the search offers if so many processes do it together, by the
// time since the step begins.
func (c *Campaign) OfferedBy(t Try, processes int) ([]Offered, error) {
	stage, _, err := c.tried(t)
	if err != nil {
		return nil, err
	}
	return offered(stage, stage.Phases, processes), nil
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

// shares are how many of the operations from one on, below another, are whose.
func shares(processes int, from, below uint64) []int64 {
	list := make([]int64, processes)
	for i := range list {
		share := drive.Share{Index: i, Of: processes}
		list[i] = int64(share.Count(below) - share.Count(from))
	}
	return list
}

// Undivided returns what keeps several processes from offering a scenario together, each a
// [fields.Fault] that names the field; nil where nothing does.
func Undivided(s *scenarios.Scenario, processes int) (faults []error) {
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

// counted stands for a phase whose end only its operations tell.
const counted = "counted"

func undividedOperation(o *scenarios.OperationSpec, path string, fault func(path, format string, args ...any)) {
	kind := workflow.Find(o.Workflow)
	switch {
	case kind != nil && len(storesOf(kind, o.With)) > 0:
		fault(path+".workflow", "the state of %s requires one process", o.Workflow)
	case o.Limit.PerSecond > 0:
		fault(path+".limit", "the limit requires one process")
	case o.Save != "":
		fault(path+".save", "saving the token requires one process")
	case o.From.Saved != "":
		fault(path+".from", "saving the token requires one process")
	}
}
