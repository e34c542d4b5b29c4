package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"loadgen/engine/model"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// Calibration is the result of the experiments.
type Calibration struct {
	Profile *Profile
	// Where names the target.
	Where string
	// Ended is the error that ended the experiments early, nil for none.
	Ended error
}

// calibration is a set of experiments in progress. It belongs to one goroutine.
type calibration struct {
	CalibrationOptions
	profile *Profile
	where   string
	left    int64
	// loaded is the time of offered load, pauses are the periods without success.
	loaded time.Duration
	pauses []time.Duration
	// times are the service's, available after the first experiment.
	times  calibratedService
	median map[string]estimate
	// refusals are latencies of throttled attempts in seconds.
	refusals []float64
	// limit is the partition's, valid if found is set.
	limit estimate
	found bool
	first bool
}

// Calibrate runs the experiments. If one ends early, the others are skipped and the result has the
// measurements so far. The error is of options or consent, or says that nothing was measured.
func Calibrate(ctx context.Context, o CalibrationOptions) (*Calibration, error) {
	if err := errors.Join(o.Validate()...); err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	o.Each = cmp.Or(o.Each, gently)
	c := &calibration{CalibrationOptions: o, left: o.Budget, median: map[string]estimate{}, first: true,
		profile: &Profile{Kind: UnknownProfile, At: "an engine in this process", Base: model.Documented, On: o.Now}}
	if err := c.agree(); err != nil {
		return nil, err
	}
	ended := c.experiments(ctx)
	if c.profile.Requests == 0 {
		if ended == nil {
			ended = fields.Fault{Path: "budget", What: "expected more: no experiment fits: " + c.profile.Unlearnt[0].Why}
		}
		return nil, ended
	}
	c.leaveOut()
	c.tellRest(ended)
	return &Calibration{Profile: c.profile, Where: c.where, Ended: ended}, nil
}

// agree asks for consent to the maximum of all experiments together.
func (c *calibration) agree() error {
	if c.On != run.Remote {
		return nil
	}
	var all campaign.Forecast
	rates := c.ladder()
	top := rates[len(rates)-1]
	texts := []string{latencies(c.Rate, c.Each), largeLatencies(c.Rate, c.Each), overload(top, top/4, holdFor), burst(top)}
	for _, rate := range rates {
		texts = append(texts, rung(rate, rungFor))
	}
	if c.AccountRate > 0 {
		texts = append(texts, accountLoad(c.AccountRate, holdFor))
	}
	for _, text := range texts {
		s, err := c.read(text)
		if err != nil {
			return err
		}
		p := c.plan(s)
		f, err := p.Reckoned()
		if err != nil {
			return err
		}
		all.Requests, all.Entities = all.Requests+f.Requests, all.Entities+f.Entities
		all.Sent, all.Received, all.Lasts = all.Sent+f.Sent, all.Received+f.Received, all.Lasts+f.Lasts
	}
	if all.Requests > c.Budget {
		// The budget limits the requests, and the rest in proportion.
		part := float64(c.Budget) / float64(all.Requests)
		all.Requests, all.Entities = c.Budget, int64(float64(all.Entities)*part)
		all.Sent, all.Received = int64(float64(all.Sent)*part), int64(float64(all.Received)*part)
	}
	s, err := c.read(texts[0])
	if err != nil {
		return err
	}
	p := c.plan(s)
	all.AtMost = all.Requests // nothing is tried again
	return p.Agree(all, run.TablePrefix+"calibrate…")
}

// plan returns the plan of one run.
func (c *calibration) plan(s *scenarios.Scenario) run.Plan {
	return run.Plan{Scenario: s, On: c.On, Accounts: c.Accounts, Consent: c.Consent, Budget: c.left, Remains: c.Remains,
		RetryChosen: true, NoProbe: true, Memory: new(results.Memory), Epoch: c.Now}
}

// aroundTable is the number of requests that create, mark and drop a table.
const aroundTable = 3

// errBudget rejects an experiment that needs more than the remaining budget.
var errBudget = errors.New("the remaining budget is too small")

// run carries out an experiment. Its error is errBudget if the budget is too small; any other error
// ends the experiments.
func (c *calibration) run(ctx context.Context, what, text string) (*calibrated, error) {
	s, err := c.read(text)
	if err != nil {
		return nil, err
	}
	requests, lasts := int64(aroundTable), time.Duration(0)
	for i := range s.Phases {
		if load := s.Phases[i].Load; load != nil {
			// Each partition's last transaction may be smaller.
			requests += int64(load.Entities/load.Transaction + partitions)
		} else if t := s.Phases[i].Traffic; t != nil {
			requests += int64(t.Arrivals.Constant * t.Lasts().Seconds())
			lasts += t.Lasts()
		}
	}
	if requests > c.left {
		return nil, fmt.Errorf("%w: needs %s transactions, %s left", errBudget, document.Count(requests), document.Count(c.left))
	}
	fmt.Fprintf(c.Progress, "calibrate: %s, %v, %s requests\n", what, lasts.Round(time.Second), document.Count(requests))
	g, p := new(gatherer), c.plan(s)
	p.Progress, p.Consent = g, func(run.Ask) error { return nil } // asked for all of it before
	record, err := run.Run(ctx, p)
	if record == nil {
		return nil, err
	}
	m := new(calibrated)
	for _, phase := range record.Phases {
		m.stretches = append(m.stretches, stretch{Phase: phase})
	}
	for _, a := range g.attempts {
		if a.phase < len(m.stretches) {
			m.stretches[a.phase].attempts = append(m.stretches[a.phase].attempts, a)
		}
	}
	c.account(record, m, g)
	return m, err
}

// account adds a run's counters to the profile.
func (c *calibration) account(record *results.Record, m *calibrated, g *gatherer) {
	p := c.profile
	requests := int64(len(g.attempts)) + aroundTable
	p.Requests, p.Sent, p.Received, p.Lasted = p.Requests+requests, p.Sent+g.sent, p.Received+g.received, p.Lasted+record.Duration
	c.left -= requests
	if c.first {
		c.first = false
		m := &record.Manifest
		p.On, c.where = m.Started, m.Target
		if len(c.Accounts) > 0 {
			p.At, p.Server = c.Accounts[0].Socket(), results.OneLine(errors.New(m.Service))
			switch {
			case m.Genuine:
				p.Kind = ServiceProfile
			case m.Emulator:
				p.Kind = EmulatorProfile
			}
		}
	}
	for i := range m.stretches {
		s := &m.stretches[i]
		for _, a := range s.attempts {
			p.Entities += a.entities
		}
		c.refusals = append(c.refusals, s.times(results.Throttled)...)
		p.Throttled += int64(len(s.times(results.Throttled)))
		pauses, failed := s.pauses()
		c.pauses = append(c.pauses, pauses...)
		p.Failed += int64(failed)
		c.loaded += s.End - s.Begin
	}
}

// experiments runs all of them in order, and returns the error that ended them early.
func (c *calibration) experiments(ctx context.Context) error {
	for _, one := range []struct {
		what  string
		learn func(context.Context) error
	}{
		{"latencies", c.learnLatencies}, {"latencies of large entities", c.learnSizes},
		{"limit of a partition", c.learnLimit}, {"burst", c.learnBurst}, {"limit of the account", c.learnAccount},
	} {
		err := one.learn(ctx)
		switch {
		case errors.Is(err, errBudget):
			c.missed(one.what, "%v", err)
		case err != nil:
			return err
		}
	}
	// The time of a throttled attempt comes from all experiments.
	e, told := quantileOf(c.refusals, 0.5)
	if !told {
		c.missed("throttle_time", "%s; needs %d", document.Counted(len(c.refusals), "attempt was throttled", "attempts were throttled"), least)
		return nil
	}
	c.figure("p50(throttled)", e, "over all experiments")
	if way := c.times.way; way.samples > 0 {
		c.duration("throttle_time", estimate{max(0, e.value-way.value), max(0, e.low-way.high), max(0, e.high-way.low), e.samples},
			"p50(throttled) - round trip")
	}
	return nil
}

// missed records why a value was not measured.
func (c *calibration) missed(what, format string, args ...any) {
	c.profile.Unlearnt = append(c.profile.Unlearnt, ProfileGap{What: what, Why: fmt.Sprintf(format, args...)})
}

// tellRest records the pauses and, after an early end, the values that are missing.
func (c *calibration) tellRest(ended error) {
	n := strconv.Itoa(len(c.pauses))
	c.profile.Figures = append(c.profile.Figures, ProfileValue{Name: "pauses", Value: n, Low: n, High: n, Samples: max(1, int64(c.loaded/time.Second)),
		By: fmt.Sprintf("pauses of %v or more without success; samples: seconds of load", pauseLeast)})
	const moves = "detection, offline_least, offline_most"
	if len(c.pauses) == 0 {
		c.missed(moves, "no partition moved in %v of load", c.loaded.Round(time.Second))
	} else {
		longest := slices.Max(c.pauses).Seconds()
		c.figure("longest pause", estimate{longest, longest, longest, len(c.pauses)}, "of those")
		c.missed(moves, "%s seen; too few for an estimate", document.Counted(len(c.pauses), "pause was", "pauses were"))
	}
	if ended == nil {
		return
	}
	why := "the experiments ended before"
	switch {
	case errors.Is(ended, context.Canceled):
		why = "interrupted before its measurement"
	case errors.Is(ended, run.ErrBudget):
		why = "the budget was spent before"
	default:
		why += ": " + document.Cut(results.OneLine(ended), maxWhy)
	}
	for _, name := range []string{"read_time", "write_time", "partition_target", "partition_burst", "throttle_time"} {
		if _, there := c.profile.Parameter(name); !there {
			c.missed(name, "%s", why)
		}
	}
}

// leaveOut moves the values that the model rejects to the unlearnt ones, so that every profile is
// valid.
func (c *calibration) leaveOut() {
	m, err := model.New(c.profile.Base)
	if err != nil {
		return // a profile of the model's own is one
	}
	// Values that are only valid together are tried together first.
	whole := *m
	for _, v := range c.profile.Values {
		err = errors.Join(err, whole.Set(v.Name, v.Value))
	}
	if err == nil && len(whole.Validate()) == 0 {
		return
	}
	var taken []ProfileValue
	for _, v := range c.profile.Values {
		before := *m
		err := m.Set(v.Name, v.Value)
		if faults := m.Validate(); err == nil && len(faults) > 0 {
			err = faults[0]
		}
		if err != nil {
			*m = before
			c.missed(v.Name, "measured as %s, from %s to %s, which the model rejects: %s", v.Value, v.Low, v.High, document.Cut(results.OneLine(err), maxWhy))
			continue
		}
		taken = append(taken, v)
	}
	c.profile.Values = taken
}

// maxWhy is the maximum length of an error in a gap.
const maxWhy = 200

// ladder returns the increasing rates for one partition.
func (c *calibration) ladder() []float64 {
	const lowest = 250
	var rates []float64
	for rate := min(lowest, c.MaxRate); rate < c.MaxRate; rate *= 2 {
		rates = append(rates, rate)
	}
	return append(rates, c.MaxRate)
}
