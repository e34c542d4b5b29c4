package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/procedure"
)

// scores add up what the procedures of a run count. It is safe for concurrent use.
type scores struct {
	mu     sync.Mutex
	counts map[results.TallyName]int64
}

// newScores returns those of a campaign, all 0.
func (c *Campaign) newScores() *scores {
	t := &scores{counts: make(map[results.TallyName]int64)}
	c.performed(func(kind *procedure.Kind, spec *scenarios.OperationSpec) {
		for _, name := range kind.Tallies {
			t.counts[results.TallyName{Operation: spec.Name, Name: name}] = 0
		}
	})
	return t
}

// ended takes down what an operation that has ended counted.
func (t *scores) ended(kinds []results.Kind, w *Work) {
	told, counts := w.Procedure.(procedure.Tallied)
	if !counts {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	told.Tally(func(name string, count int64) {
		at := results.TallyName{Operation: kinds[w.Kind].Name, Name: name}
		if _, known := t.counts[at]; known {
			t.counts[at] += count
		}
	})
}

// told returns what was counted so far.
func (t *scores) told() []results.Tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	return results.NewTallies(t.counts)
}

// checks returns how what the procedures of the run leave behind is looked at: one for
// each thing that must hold.
func (c *Campaign) checks() ([]procedure.Check, error) {
	var list []procedure.Check
	var failure error
	var seen []looked
	c.performed(func(kind *procedure.Kind, spec *scenarios.OperationSpec) {
		if kind.Check == nil || failure != nil {
			return
		}
		one, err := c.newPerformance(spec)
		if err != nil {
			failure = err
			return
		}
		check := kind.Check(one.setting, spec.With)
		if check == nil {
			return
		}
		at := looked{check.Name(), kind.Where(spec.With)}
		if !slices.ContainsFunc(seen, at.same) {
			list = append(list, check)
		}
		seen = append(seen, at)
	})
	return list, failure
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

// examine looks at what the procedures of the run have left behind, if the run came so
// far, and takes down what it finds.
func (c *Campaign) examine(ctx context.Context, ended error) error {
	if len(c.tallied.counts) > 0 && !errors.Is(ended, results.ErrWrite) {
		defer func() { c.ledger.Recorder.Tallies(c.tallied.told()) }()
	}
	if ended != nil {
		return ended
	}
	checks, err := c.checks()
	if err != nil {
		return err
	}
	for _, check := range checks {
		if err := c.look(ctx, check); err != nil {
			return err
		}
	}
	return nil
}

// look carries one check out.
func (c *Campaign) look(ctx context.Context, check procedure.Check) error {
	completed := false
	stage := c.preparing(kindAudit, 1, 1, preparationLimit)
	stage.Build = func(uint64) Work { return Work{Kind: c.kindOf[kindAudit], Procedure: check} }
	stage.Ended = func(_ *Work, done *results.Completed) { completed = done.Class == results.Ok }
	if err := c.run(ctx, stage); err != nil {
		return err
	}
	if !completed {
		return fmt.Errorf("%w: whether %s could not be looked at to the end", ErrPreparation, check.Name())
	}
	found := check.Findings()
	c.ledger.Recorder.Invariant(results.Invariant{Name: check.Name(), Looked: found.Looked, Faults: found.Faults, Examples: found.Examples})
	return nil
}
