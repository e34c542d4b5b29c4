package campaign

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/workflow"
)

// workflowCounters sums the counters of workflows. It is safe for concurrent use.
type workflowCounters struct {
	mu     sync.Mutex
	counts map[results.CounterName]int64
}

// newWorkflowCounters returns the counters of a campaign, all 0.
func (c *Campaign) newWorkflowCounters() *workflowCounters {
	t := &workflowCounters{counts: make(map[results.CounterName]int64)}
	for kind, spec := range workflowsOf(c.Scenario) {
		for _, name := range kind.Counters {
			t.counts[results.CounterName{Operation: spec.Name, Name: name}] = 0
		}
	}
	for _, one := range c.Scenario.EachOperation {
		if one.Killed > 0 {
			t.counts[results.CounterName{Operation: one.Name, Name: workflow.Killed}] = 0
		}
	}
	return t
}

// add adds the counts of an operation with a name.
func (t *workflowCounters) add(operation string, w *drive.Work) {
	if w.Workflow == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	w.Workflow.Counter(func(name string, count int64) {
		at := results.CounterName{Operation: operation, Name: name}
		if _, known := t.counts[at]; known {
			t.counts[at] += count
		}
	})
}

// checks returns the checks of what workflows leave behind, one for each invariant.
func (c *Campaign) checks() []*workflow.Check {
	var list []placedCheck
	for kind, spec := range workflowsOf(c.Scenario) {
		if kind.Check == nil {
			continue
		}
		check := kind.Check(&c.places.Setting, spec.With)
		if check == nil {
			continue
		}
		at := placedCheck{check, kind.Where(spec.With)}
		switch known := slices.IndexFunc(list, at.same); {
		case known < 0:
			list = append(list, at)
		case len(at.at) > len(list[known].at):
			// It checks all that the other does, and more.
			list = append(slices.Delete(list, known, known+1), at)
		}
	}
	// Copies are checked if clients die between them.
	killed := false
	for _, one := range c.Scenario.EachOperation {
		killed = killed || one.Killed > 0
	}
	if killed && c.places.Copied != nil {
		if copies := (placedCheck{check: workflow.NewCopyCheck(c.places.Copied)}); !slices.ContainsFunc(list, copies.same) {
			list = append(list, copies)
		}
	}
	// What one queue has under way is no fault to the check of another.
	var before, all []*workflow.Check
	for _, one := range list {
		if one.check.Before != nil {
			before = append(before, one.check.Before)
		}
		all = append(all, one.check)
	}
	return append(before, all...)
}

// placedCheck is a check and the places, stores, properties and attributes that it reads, by the
// parameters that name them.
type placedCheck struct {
	check *workflow.Check
	at    map[string]string
}

// same reports whether another check has the same name, and the same values of common parameters.
func (l placedCheck) same(other placedCheck) bool {
	for parameter, name := range l.at {
		if theirs, named := other.at[parameter]; named && theirs != name {
			return false
		}
	}
	return l.check.Name == other.check.Name
}

// runChecks runs the checks, unless the run failed, and records what they find.
func (c *Campaign) runChecks(ctx context.Context, ended error) error {
	if ended != nil {
		return ended
	}
	for _, check := range c.checks() {
		completed := false
		stage := c.preparationStage(kindAudit, 1, 1, preparationLimit)
		stage.Build = func(_ uint64, w *drive.Work) { w.Kind, w.Workflow = c.kindOf[kindAudit], check.Procedure }
		stage.Ended = func(_ *drive.Work, done *results.Completed) { completed = done.Class == results.Ok }
		if err := c.run(ctx, stage); err != nil {
			return err
		}
		if !completed {
			return fmt.Errorf("%w: checking whether %s failed", c.failure(), check.Name)
		}
		found := check.Findings
		one := results.Invariant{Name: check.Name, Looked: found.Looked, Faults: found.Faults, Examples: found.Examples}
		c.ledger.Recorder.UpdateRecord(func(of *results.Record) { of.Invariants = append(of.Invariants, one) })
	}
	return nil
}
