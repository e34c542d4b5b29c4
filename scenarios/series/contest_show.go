package series

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/report/live"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
)

// Shown has what is composed be looked at while it goes on, and returns what has to be called
// when it has changed; both are safe for concurrent use. What is composed is a document of the
// same shape at every call, and a line that says how far it is.
type Shown func(compose func() (*document.Document, string)) (refresh func())

// shownEvery is how often a contest that is looked at is told anew.
const shownEvery = time.Second

// shown carries out what is done while somebody can look on, and returns its error.
func (c *contestRun) shown(runs int, do func() error) error {
	if c.plan.Shown == nil {
		return do()
	}
	refresh := c.plan.Shown(func() (*document.Document, string) {
		sofar := c.sofar(runs)
		return sofar.Document()
	})
	ctx, cancel := context.WithCancel(context.Background())
	var telling sync.WaitGroup
	telling.Go(func() {
		for next := c.clock.Now().Add(shownEvery); c.clock.Sleep(ctx, next) == nil; next = next.Add(shownEvery) {
			refresh()
		}
	})
	err := do()
	cancel()
	telling.Wait()
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	refresh()
	return err
}

// sofar returns how the contest stands.
func (c *contestRun) sofar(runs int) contest.Sofar {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := contest.Sofar{Scenario: c.scenario.Name, Seeds: c.plan.Seeds, Done: c.done, Of: runs, Over: c.over}
	everyone := true
	for _, one := range c.arms {
		runner := contest.Runner{Design: one.design, Cannot: len(one.cannot) > 0, Runs: len(firstRuns(one.trials, c.plan.Seeds))}
		everyone = everyone && (runner.Cannot || runner.Runs > 0)
		s.Designs = append(s.Designs, runner)
	}
	if everyone {
		s.Standing = c.ranked(nil)
	}
	if c.pace != nil {
		if left, known := c.pace.left(c.clock.Now().Offset()); known {
			s.Left = &left
		}
	}
	for _, one := range c.underWay {
		one.guard.Lock()
		now := one.now
		one.guard.Unlock()
		at, m := one.Status(now()), one.match
		s.UnderWay = append(s.UnderWay, contest.UnderWay{Design: m.arm.design, Run: m.run + 1, Profile: m.profile, At: at.At,
			Phase: cmp.Or(at.Phase, at.Stage), Left: at.Left, Offered: at.Offered, Served: at.Served, Throttled: at.Throttled})
	}
	return s
}

// looked is a run of a contest that is looked at while it goes on.
type looked struct {
	*live.Stats
	match *match
	// guard guards now, the present of the run.
	guard sync.Mutex
	now   func() time.Duration
}

var _ run.Progress = (*looked)(nil)

// look has a run be looked at until what is returned is called.
func (c *contestRun) look(m *match, p *run.Plan) (leave func()) {
	if c.plan.Shown == nil {
		return func() {}
	}
	one := &looked{Stats: live.New(), match: m}
	one.now = one.Latest
	p.Progress = one
	c.mu.Lock()
	defer c.mu.Unlock()
	c.underWay = append(c.underWay, one)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.underWay = slices.DeleteFunc(c.underWay, func(other *looked) bool { return other == one })
	}
}

// Begins implements [run.Progress].
func (l *looked) Begins(b run.Begun) []drive.Observer {
	if b.Now != nil {
		l.guard.Lock()
		l.now = b.Now
		l.guard.Unlock()
	}
	l.Read(b.Recorder)
	return []drive.Observer{l}
}

// Enters implements [run.Progress].
func (l *looked) Enters(s campaign.Progress) { l.Enter(s.Stage, s.Operations, s.Length) }

// Ends implements [run.Progress].
func (l *looked) Ends(error) {}

// Event implements [drive.Observer].
func (l *looked) Event(results.Event) {}
