package series

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/report/live"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
)

// match is one run of a contest.
type match struct {
	arm *arm
	run int
	// profile is the model's, empty for that of the scenario.
	profile string
}

// seedOf returns the seed of a design's run: a pure function of the root, the design's
// name and the number of the run. Runs of a contest have different seeds, and the other
// designs and their order change nothing. It has 53 bits, which every reader of JSON keeps.
func seedOf(root uint64, design string, run int) uint64 {
	draw := clock.NewStream(root, "contest/"+design).Draw(uint64(run))
	return draw.Uint64() >> 11
}

// matches returns the runs of a contest round by round, so that a contest that ends early has
// the same number of runs of each design. In real time every other round is reversed, so that a
// machine or a service that becomes slower favours no design; the order is then that of the
// names, not that of the file.
func (c *contestRun) matches() []match {
	order := c.runnable()
	if c.isLive() {
		slices.SortFunc(order, func(a, b *arm) int { return cmp.Compare(a.Design, b.Design) })
	}
	var list []match
	for run := range c.plan.Seeds {
		for _, one := range order {
			list = append(list, match{arm: one, run: run})
			if c.other != "" {
				list = append(list, match{one, run, c.other})
			}
		}
		if c.isLive() {
			slices.Reverse(order)
		}
	}
	return list
}

// scenario returns the scenario of a run. The other profile has the same checks, which rank
// designs first.
func (m *match) scenario(root uint64) *scenarios.Scenario {
	s := *m.arm.scenario
	s.Seed = seedOf(root, m.arm.Design, m.run)
	if m.profile != "" {
		s.Model.Profile = m.profile
	}
	return &s
}

// runAll makes all runs, at most atOnce at a time, and waits for them. Its error is what ended
// them early.
func (c *contestRun) runAll(ctx context.Context, atOnce int) error {
	list := c.matches()
	c.all, c.begun = len(list), c.clock.Now()
	atOnce = max(1, min(atOnce, c.all))
	where, how := ", virtual time", fmt.Sprintf("%d at once", atOnce)
	switch {
	case c.isLive():
		where, how = " in real time", "in turns"
	case c.other != "":
		where = ", two profiles each" + where
	}
	fmt.Fprintf(c.plan.Progress, "%d designs, %d to run, %s each%s: %d in all, %s\n",
		len(c.arms), len(c.runnable()), document.Counted(c.plan.Seeds, "run"), where, c.all, how)
	return c.watch(func() error {
		return runConcurrently(ctx, c.all, atOnce, func(ctx context.Context, i int) error {
			ended := c.makeRun(ctx, &list[i], i == c.all-1)
			if ended == nil {
				c.report(list[i].arm.Design)
			}
			return ended
		})
	})
}

// makeRun makes one run and measures it. A run that its scenario ended counts, one whose budget was
// spent does not.
func (c *contestRun) makeRun(ctx context.Context, m *match, last bool) error {
	bounded := c.plan.Run.Budget > 0
	if bounded && c.left <= 0 {
		return run.ErrBudget
	}
	p := c.plan.Run
	p.Scenario = m.scenario(c.scenario.Seed)
	p.Rival, p.MemoryLimit, p.Out, p.Runs, p.Budget = false, 0, "", "", c.left
	if c.plan.Alone != nil {
		p.Command = c.plan.Alone(m.arm.Design, p.Scenario.Seed)
	}
	isFirst := m.run == 0 && m.profile == ""
	name := m.arm.Design
	if !isFirst {
		name += fmt.Sprintf("-%d", m.run+1)
	}
	if c.isLive() || isFirst {
		p.Out = filepath.Join(string(c.folder), name)
	} else {
		p.Memory = new(results.Memory)
	}
	if c.isLive() {
		p.Consent = func(run.Ask) error { return nil } // the user agreed to the contest
	} else {
		p.Started = cmp.Or(p.Started, c.clock.Started()) // the time has no effect on the result
	}
	p.Precede(!last)
	if c.plan.Watch != nil {
		p.Progress = &liveRun{Stats: live.New(), contest: c, match: m}
	}
	record, ended := run.Run(ctx, p)
	if ended != nil && ended != run.ErrBudget && !errors.Is(ended, drive.ErrStopped) || record == nil {
		return fmt.Errorf("design %s: %w", m.arm.Design, ended)
	}
	if ended != run.ErrBudget {
		profile, trial := ownProfile, contest.Measure(record, record.Summary, c.needs)
		if m.profile != "" {
			profile = otherProfile
		}
		c.mu.Lock()
		m.arm.trials[profile][m.run] = &trial
		if isFirst {
			m.arm.Record = record
		}
		c.mu.Unlock()
		ended = nil
	}
	if bounded {
		c.left -= record.Summary.Attempts
	}
	return ended
}

// reportInterval is the minimum time between two lines of progress, and between two documents.
const reportInterval = time.Second

// report prints a line of progress after a run, at most once a second.
func (c *contestRun) report(design string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	now := c.clock.Now().Offset()
	if c.done < c.all && now-c.last < reportInterval {
		return
	}
	c.last = now
	rest := ""
	if left := c.timeLeft(); left != nil && c.done < c.all {
		rest = aboutLeft(*left)
	}
	fmt.Fprintf(c.plan.Progress, "%d of %d runs, last %s%s\n", c.done, c.all, design, rest)
}

// timeLeft estimates how long the rest takes, nil before the first round is over: runs of
// different designs may take very different times, rounds do not.
func (c *contestRun) timeLeft() *time.Duration {
	if c.done == 0 || c.done < c.all/c.plan.Seeds {
		return nil
	}
	passed := c.clock.Now().Sub(c.begun)
	return new(passed / time.Duration(c.done) * time.Duration(c.all-c.done))
}

// Watch shows a contest in progress. Compose returns its document, with the same structure at
// every call, and a line with the progress; refresh must be called after changes. Both are safe
// for concurrent use.
type Watch func(compose func() (*document.Document, string)) (refresh func())

// watch calls do, and refreshes the document of the contest meanwhile. Its error is that of do.
func (c *contestRun) watch(do func() error) error {
	if c.plan.Watch == nil {
		return do()
	}
	refresh := c.plan.Watch(func() (*document.Document, string) {
		standing := c.standing()
		return standing.Document()
	})
	ctx, cancel := context.WithCancel(context.Background())
	var refreshing sync.WaitGroup
	refreshing.Go(func() {
		for next := c.clock.Now().Add(reportInterval); c.clock.Sleep(ctx, next) == nil; next = next.Add(reportInterval) {
			refresh()
		}
	})
	err := do()
	cancel()
	refreshing.Wait()
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	refresh()
	return err
}

// standing returns the standing of the contest.
func (c *contestRun) standing() contest.Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := contest.Progress{Standing: c.ranked(nil), Seeds: c.plan.Seeds, Done: c.done, Of: c.all, Over: c.over, Left: c.timeLeft()}
	for _, one := range c.underWay {
		at, m := one.Status(one.now()), one.match
		s.UnderWay = append(s.UnderWay, contest.UnderWay{Design: m.arm.Design, Run: m.run + 1, Profile: m.profile, At: at.At,
			Phase: cmp.Or(at.Phase, at.Stage), Left: at.Left, Offered: at.Offered, Served: at.Served, Throttled: at.Throttled})
	}
	return s
}

// liveRun is a run of a contest in progress.
type liveRun struct {
	*live.Stats
	contest *contestRun
	match   *match
	// now returns the present of the run.
	now func() time.Duration
}

var _ run.Progress = (*liveRun)(nil)

// Begins implements [run.Progress].
func (l *liveRun) Begins(b run.Begun) []drive.Observer {
	l.Read(b.Recorder)
	if l.now = b.Now; l.now == nil {
		l.now = l.Latest
	}
	l.contest.mu.Lock()
	defer l.contest.mu.Unlock()
	l.contest.underWay = append(l.contest.underWay, l)
	return []drive.Observer{l}
}

// Enters implements [run.Progress].
func (l *liveRun) Enters(s campaign.Progress) { l.Enter(s.Stage, s.Operations, s.Length) }

// Ends implements [run.Progress].
func (l *liveRun) Ends(error) {
	l.contest.mu.Lock()
	defer l.contest.mu.Unlock()
	l.contest.underWay = slices.DeleteFunc(l.contest.underWay, func(other *liveRun) bool { return other == l })
}

// Event implements [drive.Observer].
func (l *liveRun) Event(results.Event) {}
