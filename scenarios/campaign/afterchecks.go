package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/workflow/machine"
)

// afterChecks add up what the workflows of a run count. It is safe for concurrent use.
type afterChecks struct {
	mu     sync.Mutex
	counts map[results.CounterName]int64
}

// newAfterChecks returns those of a campaign, all 0.
func (c *Campaign) newAfterChecks() *afterChecks {
	t := &afterChecks{counts: make(map[results.CounterName]int64)}
	c.performed(func(kind *machine.Kind, spec *scenarios.OperationSpec) {
		for _, name := range kind.Counters {
			t.counts[results.CounterName{Operation: spec.Name, Name: name}] = 0
		}
	})
	return t
}

// ended takes down what an operation that has ended counted.
func (t *afterChecks) ended(kinds []results.Kind, w *drive.Work) {
	told, counts := w.Workflow.(machine.Counted)
	if !counts {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	told.Counter(func(name string, count int64) {
		at := results.CounterName{Operation: kinds[w.Kind].Name, Name: name}
		if _, known := t.counts[at]; known {
			t.counts[at] += count
		}
	})
}

func (t *afterChecks) told() []results.Counter {
	t.mu.Lock()
	defer t.mu.Unlock()
	return results.NewCounters(t.counts)
}

// checks returns how what the workflows of the run leave behind is looked at: one for
// each thing that must hold.
func (c *Campaign) checks() []machine.Check {
	var list []machine.Check
	var seen []looked
	c.performed(func(kind *machine.Kind, spec *scenarios.OperationSpec) {
		if kind.Check == nil {
			return
		}
		check := kind.Check(&c.places.Setting, spec.With)
		if check == nil {
			return
		}
		at := looked{check.Name(), kind.Where(spec.With)}
		if !slices.ContainsFunc(seen, at.same) {
			list = append(list, check)
		}
		seen = append(seen, at)
	})
	return list
}

// looked is what a check is of: its name, and the places and stores that it looks at, by
// the parameters that name them.
type looked struct {
	name string
	at   map[string]string
}

// same reports whether another check is of the same things, as far as both name them.
func (l looked) same(other looked) bool {
	for parameter, name := range l.at {
		if theirs, named := other.at[parameter]; named && theirs != name {
			return false
		}
	}
	return l.name == other.name
}

// examine looks at what the workflows of the run have left behind, if the run came so
// far, and takes down what it finds.
func (c *Campaign) examine(ctx context.Context, ended error) error {
	if len(c.after.counts) > 0 && !errors.Is(ended, results.ErrWrite) {
		defer func() { c.ledger.Recorder.Counters(c.after.told()) }()
	}
	if ended != nil {
		return ended
	}
	for _, check := range c.checks() {
		if err := c.look(ctx, check); err != nil {
			return err
		}
	}
	return nil
}

func (c *Campaign) look(ctx context.Context, check machine.Check) error {
	completed := false
	stage := c.preparing(kindAudit, 1, 1, preparationLimit)
	stage.Build = func(uint64) drive.Work { return drive.Work{Kind: c.kindOf[kindAudit], Workflow: check} }
	stage.Ended = func(_ *drive.Work, done *results.Completed) { completed = done.Class == results.Ok }
	if err := c.run(ctx, stage); err != nil {
		return err
	}
	if !completed {
		return fmt.Errorf("%w: whether %s could not be looked at to the end", c.failure(), check.Name())
	}
	found := check.Findings()
	c.ledger.Recorder.Invariant(results.Invariant{Name: check.Name(), Looked: found.Looked, Faults: found.Faults, Examples: found.Examples})
	return nil
}
