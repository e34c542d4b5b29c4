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
// name and the number of the run. So no two runs of a contest share one, and neither
// the order of the designs nor which others there are changes anything. It has 53 bits,
// which every reader of JSON keeps.
func seedOf(root uint64, design string, run int) uint64 {
	draw := clock.NewStream(root, "contest/"+design).At(uint64(run))
	return draw.Uint64() >> 11
}

// matches returns the runs of a contest round by round, so that one that is ended early has
// as many runs of each design as can be. In real time every other round goes the other way
// round, so that a machine or a service that grows slower favours none: the order of the
// names counts then, not that of the file.
func (c *contestRun) matches() []match {
	order := c.able()
	if c.live() {
		slices.SortFunc(order, func(a, b *arm) int { return cmp.Compare(a.design, b.design) })
	}
	var list []match
	for run := range c.plan.Seeds {
		for _, one := range order {
			list = append(list, match{arm: one, run: run})
			if c.other != "" {
				list = append(list, match{one, run, c.other})
			}
		}
		if c.live() {
			slices.Reverse(order)
		}
	}
	return list
}

// scenario returns what a run carries out. Under the other profile it is judged by the same
// checks: designs come in by them first.
func (m *match) scenario(root uint64) *scenarios.Scenario {
	s := *m.arm.scenario
	s.Seed = seedOf(root, m.arm.design, m.run)
	if m.profile != "" {
		s.Model.Profile = m.profile
	}
	return &s
}

// carryOut makes all runs, so many at once, and waits for them. Its error is what ended
// them early.
func (c *contestRun) carryOut(ctx context.Context, atOnce int) error {
	list := c.matches()
	atOnce = max(1, min(atOnce, len(list)))
	runs := len(list)
	where, how := ", virtual time", fmt.Sprintf("%d at once", atOnce)
	switch {
	case c.live():
		where, how = " in real time", "in turns"
	case c.other != "":
		where = ", two profiles each" + where
	}
	fmt.Fprintf(c.plan.Progress, "%d designs, %d to run, %s each%s: %d in all, %s\n",
		len(c.arms), len(c.able()), document.Counted(c.plan.Seeds, "run"), where, runs, how)
	kinds := make([]string, len(list))
	for i := range list {
		kinds[i] = list[i].arm.design + "\n" + list[i].profile
	}
	c.pace = newPace(atOnce, kinds)
	return c.shown(len(list), func() error {
		return together(ctx, len(list), atOnce, func(ctx context.Context, i int) error {
			c.mu.Lock()
			c.pace.begun[i] = c.clock.Now().Offset()
			c.mu.Unlock()
			ended := c.play(ctx, &list[i], i == len(list)-1)
			if ended == nil {
				c.tell(i, list)
			}
			return ended
		})
	})
}

// play makes one run of all and takes down what it came to. A run that its scenario ended
// counts, one whose budget was spent does not.
func (c *contestRun) play(ctx context.Context, m *match, last bool) error {
	bounded := c.plan.Run.Budget > 0
	if bounded && c.left <= 0 {
		return run.ErrBudget
	}
	p := c.plan.Run
	p.Scenario = m.scenario(c.scenario.Seed)
	p.Rival, p.MemoryLimit, p.Out, p.Runs, p.Budget = false, 0, "", "", c.left
	if c.plan.Alone != nil {
		p.Command = c.plan.Alone(m.arm.design, p.Scenario.Seed)
	}
	if c.live() {
		// By the design, and for all but the first by the number of the run.
		name := m.arm.design
		if m.run > 0 {
			name += fmt.Sprintf("-%d", m.run+1)
		}
		p.Out = filepath.Join(string(c.folder), name)
		p.Consent = func(run.Ask) error { return nil } // it was agreed to the contest
	} else {
		// When it was is no part of what it comes to, and of interest to who keeps it.
		p.Started = cmp.Or(p.Started, c.clock.Started())
		p.Memory = new(results.Memory)
	}
	p.Precede(!last)
	defer c.look(m, &p)()
	record, ended := run.Run(ctx, p)
	if ended != nil && ended != run.ErrBudget && !errors.Is(ended, drive.ErrStopped) || record == nil {
		return fmt.Errorf("design %s: %w", m.arm.design, ended)
	}
	if ended != run.ErrBudget {
		trial := contest.Measure(record, record.Summary, c.needs)
		c.mu.Lock()
		if m.profile != "" {
			m.arm.others[m.run] = &trial
		} else {
			m.arm.trials[m.run] = &trial
			if m.arm.first == nil || m.run < m.arm.number {
				m.arm.first, m.arm.number, m.arm.memory = record, m.run, p.Memory
			}
		}
		c.mu.Unlock()
		ended = nil
	}
	if bounded {
		c.left -= record.Summary.Attempts
	}
	return ended
}

// tellEvery is the least time between two lines of progress.
const tellEvery = time.Second

// tell says how far the contest is, at most once a second.
func (c *contestRun) tell(i int, list []match) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	now := c.clock.Now().Offset()
	c.pace.took[i] = now - c.pace.begun[i]
	if c.done < len(list) && now-c.last < tellEvery {
		return
	}
	c.last = now
	rest := ""
	if left, known := c.pace.left(now); known && c.done < len(list) {
		rest = aboutLeft(left)
	}
	fmt.Fprintf(c.plan.Progress, "%d of %d runs, last %s%s\n", c.done, len(list), list[i].arm.design, rest)
}

// pace foresees how long the rest of a series takes of which several runs go on at once.
// Runs of a kind take about as long as each other, those of another kind may take ten times
// that: what the first one took says nothing of the others. Its user guards it.
type pace struct {
	atOnce int
	// kinds has what each run is of, begun and took when it began and how long it took; −1
	// where it has not begun, or goes on.
	kinds       []string
	begun, took []time.Duration
}

func newPace(atOnce int, kinds []string) *pace {
	never := slices.Repeat([]time.Duration{-1}, len(kinds))
	return &pace{atOnce: max(1, atOnce), kinds: kinds, begun: never, took: slices.Clone(never)}
}

// left returns how long the rest takes, and false where that is not to be told yet: before
// a run of every kind is over.
func (p *pace) left(now time.Duration) (time.Duration, bool) {
	sums, runs := make(map[string]time.Duration), make(map[string]time.Duration)
	for i, took := range p.took {
		if took >= 0 {
			sums[p.kinds[i]] += took
			runs[p.kinds[i]]++
		}
	}
	var all, longest time.Duration
	for i, took := range p.took {
		if took >= 0 {
			continue
		}
		kind := p.kinds[i]
		if runs[kind] == 0 {
			return 0, false
		}
		rest := sums[kind] / runs[kind]
		if p.begun[i] >= 0 {
			rest = max(0, rest-(now-p.begun[i]))
		}
		all, longest = all+rest, max(longest, rest)
	}
	return max(all/time.Duration(p.atOnce), longest), true
}

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

// sofar returns the standing of the contest.
func (c *contestRun) sofar(runs int) contest.Sofar {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := contest.Sofar{Standing: c.ranked(nil), Seeds: c.plan.Seeds, Done: c.done, Of: runs, Over: c.over}
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
