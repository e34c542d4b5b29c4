package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"loadgen/engine/model"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// CalibrationOptions configure the experiments.
type CalibrationOptions struct {
	// On is the target; [run.Remote] uses the one account of Accounts.
	On       run.Place
	Accounts []run.Endpoint
	// Budget is the maximum number of billed transactions.
	Budget int64 `flag:"budget"`
	// Consent is called once before the first request.
	Consent func(run.Ask) error
	// Remains records what was created and not dropped yet; it may be nil.
	Remains *run.Remains
	// Rate is for latencies, MaxRate the maximum for one partition, in operations per second.
	Rate    float64 `flag:"rate"`
	MaxRate float64 `flag:"max-rate"`
	// Each is the time per operation at Rate, 0 for 20 s.
	Each time.Duration
	// AccountRate is the maximum at which the account's limit is looked for, in entities per second, which throttles its
	// other users; 0 for not at all.
	AccountRate float64 `flag:"account-limit" alone:"40000"`
	// Workers is the maximum number of concurrent attempts, 0 for a run's default.
	Workers int `flag:"workers"`
	// Model and Seed configure an embedded engine.
	Model scenarios.Model
	Seed  uint64
	// Now is the start of the experiments; Progress gets a line for each.
	Now      time.Time
	Progress io.Writer
}

// Defaults and bounds of the rates.
const (
	DefaultRate    = 50
	DefaultMaxRate = 4000

	// gently is the default of Each.
	gently = 20 * time.Second

	// lowestRate and lowestAccountRate are the first rates of the searches for limits.
	lowestRate, lowestAccountRate = 250, 2500

	minRate        = 10
	maxLowRate     = 200
	minMaxRate     = 100
	maxMaxRate     = 20_000
	maxAccountRate = 200_000
	// minBudget is about the size of the first experiment.
	minBudget = 1000
)

// Validate returns each fault as a [fields.Fault] with the name of a flag.
func (o *CalibrationOptions) Validate() (faults []error) {
	inside := func(rate, low, high float64) bool { return rate >= low && rate <= high } // false for NaN
	for _, one := range []struct {
		valid      bool
		path, what string
	}{
		{o.Budget >= minBudget, "budget", fmt.Sprintf("expected at least %d billed transactions", minBudget)},
		{inside(o.Rate, minRate, maxLowRate), "rate", fmt.Sprintf("expected %d to %d operations/s", minRate, maxLowRate)},
		{o.Each == 0 || o.Each >= time.Second, "each", "expected 1 s or more"},
		{inside(o.MaxRate, minMaxRate, maxMaxRate), "max-rate", fmt.Sprintf("expected %d to %d operations/s", minMaxRate, maxMaxRate)},
		{o.AccountRate == 0 || inside(o.AccountRate, minMaxRate, maxAccountRate), "account-limit",
			fmt.Sprintf("expected %d to %d entities/s", minMaxRate, maxAccountRate)},
		{len(o.Accounts) <= 1, "target", "expected one account"},
	} {
		if !one.valid {
			faults = append(faults, fields.Fault{Path: one.path, What: one.what})
		}
	}
	return faults
}

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
	Calibration
	left int64
	// loaded is the time of offered load, pauses are the periods without success.
	loaded time.Duration
	pauses []time.Duration
	// times are the service's, available after the first experiment.
	times  calibratedService
	median map[string]estimate
	// refusals are latencies of throttled attempts in seconds.
	refusals []float64
	// limits are the found ones, by parameter.
	limits map[string]estimate
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
	c := &calibration{CalibrationOptions: o, left: o.Budget, median: map[string]estimate{}, limits: map[string]estimate{}}
	c.Profile = &Profile{Kind: UnknownProfile, At: "an engine in this process", Base: model.Documented, On: o.Now}
	if err := c.agree(); err != nil {
		return nil, err
	}
	c.Ended = c.experiments(ctx)
	if c.Profile.Requests == 0 {
		if c.Ended == nil {
			c.Ended = fields.Fault{Path: "budget", What: "expected more: no experiment fits: " + c.Profile.Unlearnt[0].Why}
		}
		return nil, c.Ended
	}
	c.leaveOut()
	c.addGaps()
	return &c.Calibration, nil
}

// agree asks for consent to the maximum of all experiments together.
func (c *calibration) agree() error {
	if c.On != run.Remote {
		return nil
	}
	all := []experiment{latencies(c.Rate, c.Each), largeLatencies(c.Rate, c.Each), overload(c.MaxRate, c.MaxRate/4, holdFor), burst(c.MaxRate)}
	for _, rate := range ladder(lowestRate, c.MaxRate) {
		all = append(all, overload(rate, 0, rungFor))
	}
	if c.AccountRate > 0 {
		all = append(all, accountLoad(c.AccountRate, 0, holdFor))
	}
	var sum campaign.Forecast
	var p run.Plan
	for _, one := range all {
		var f campaign.Forecast
		var err error
		if p, f, err = c.plan(one); err != nil {
			return err
		}
		results.AddTimes(&sum, &f, 1)
	}
	// The budget limits the requests, and the rest in proportion.
	part := min(1, float64(c.Budget)/float64(sum.Requests))
	sum.Requests = min(sum.Requests, c.Budget)
	for _, amount := range []*int64{&sum.Entities, &sum.Sent, &sum.Received} {
		*amount = int64(part * float64(*amount))
	}
	sum.AtMost = sum.Requests // there are no retries
	return p.Agree(sum, run.TablePrefix+"calibrate…")
}

// plan returns the plan of an experiment, with the engine's model and seed, and its cost.
func (c *calibration) plan(e experiment) (p run.Plan, cost campaign.Forecast, err error) {
	text, err := e.scenario()
	if err != nil {
		return p, cost, err
	}
	s, err := scenarios.Parse("calibrate", text)
	if err != nil {
		return p, cost, err
	}
	if c.Model.Profile != "" {
		s.Model = c.Model
	}
	s.Seed, s.Workers = cmp.Or(c.Seed, s.Seed), c.Workers
	p = run.Plan{Scenario: s, On: c.On, Accounts: c.Accounts, Consent: c.Consent, Budget: c.left, Remains: c.Remains,
		RetryChosen: true, NoProbe: true, Memory: new(results.Memory), Epoch: c.Now}
	cost, err = p.Reckoned()
	return p, cost, err
}

// aroundTable is the number of requests that create, mark and drop a table.
const aroundTable = 3

// errBudget rejects an experiment that needs more than the remaining budget.
var errBudget = errors.New("the remaining budget is too small")

// run carries out an experiment, and returns what was measured, also if the experiment ended early; nil for nothing. Its error is
// errBudget if the budget is too small; any other error ends the experiments.
func (c *calibration) run(ctx context.Context, what string, e experiment) (stretches, error) {
	p, f, err := c.plan(e)
	if err != nil {
		return nil, err
	}
	if f.Requests > c.left {
		return nil, fmt.Errorf("%w: needs %s transactions, %s left", errBudget, document.Count(f.Requests), document.Count(c.left))
	}
	fmt.Fprintf(c.Progress, "calibrate: %s, %v, %s requests\n", what, f.Lasts.Round(time.Second), document.Count(f.Requests))
	var attempts []attempt
	p.Consent = func(run.Ask) error { return nil } // the consent of agree includes it
	p.Progress = run.Observers{drive.AttemptFunc(func(a *results.Attempt) {
		attempts = append(attempts, attemptOf(a))
		c.Profile.Sent, c.Profile.Received = c.Profile.Sent+a.BytesOut, c.Profile.Received+a.BytesIn
	})}
	record, err := run.Run(ctx, p)
	if record == nil {
		return nil, err
	}
	m := byPhase(record, attempts)
	c.account(record, m, int64(len(attempts))+aroundTable)
	return m, err
}

// account adds a run's counters to the profile.
func (c *calibration) account(record *results.Record, m stretches, requests int64) {
	p := c.Profile
	if p.Requests == 0 {
		m := &record.Manifest
		p.On, c.Where = m.Started, m.Target
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
	p.Requests, p.Lasted = p.Requests+requests, p.Lasted+record.Duration
	c.left -= requests
	for i := range m {
		s := &m[i]
		for _, a := range s.attempts {
			p.Entities += a.entities
		}
		throttled := s.times(results.Throttled)
		c.refusals, p.Throttled = append(c.refusals, throttled...), p.Throttled+int64(len(throttled))
		c.pauses, p.Failed = append(c.pauses, s.pauses()...), p.Failed+int64(len(s.times(results.Failed)))
		c.loaded += s.End - s.Begin
	}
}

// missed records why a value was not measured.
func (c *calibration) missed(what, format string, args ...any) {
	c.Profile.Unlearnt = append(c.Profile.Unlearnt, ProfileGap{What: what, Why: fmt.Sprintf(format, args...)})
}

// addGaps records the pauses and, after an early end, the values that are missing.
func (c *calibration) addGaps() {
	pauses := float64(len(c.pauses))
	c.Profile.Figures = append(c.Profile.Figures, estimate{pauses, pauses, pauses, max(1, int(c.loaded/time.Second))}.text("pauses",
		fmt.Sprintf("pauses of %v or more without success; samples: seconds of load", minPause), wholeText))
	const moves = "detection, offline_least, offline_most"
	if len(c.pauses) == 0 {
		c.missed(moves, "no partition moved in %v of load", c.loaded.Round(time.Second))
	} else {
		longest := slices.Max(c.pauses).Seconds()
		c.figure("longest pause", estimate{longest, longest, longest, len(c.pauses)}, "of those")
		c.missed(moves, "%s seen; too few for an estimate", document.Counted(len(c.pauses), "pause was", "pauses were"))
	}
	if c.Ended == nil {
		return
	}
	why := "the experiments ended before"
	switch {
	case errors.Is(c.Ended, context.Canceled):
		why = "interrupted before its measurement"
	case errors.Is(c.Ended, run.ErrBudget):
		why = "the budget was spent before"
	default:
		why += ": " + document.Cut(results.OneLine(c.Ended), maxWhy)
	}
	for _, name := range []string{"read_time", "write_time", "partition_target", "partition_burst", "throttle_time"} {
		if _, there := c.Profile.Parameter(name); !there {
			c.missed(name, "%s", why)
		}
	}
}

// leaveOut moves the values that the model rejects to the unlearnt ones, so that every profile is
// valid.
func (c *calibration) leaveOut() {
	p := c.Profile
	// Some values are only valid together.
	if len(modelFaults(p.Base, p.Values)) == 0 {
		return
	}
	all := p.Values
	p.Values = nil
	for _, v := range all {
		if faults := modelFaults(p.Base, append(p.Values, v)); len(faults) > 0 {
			c.missed(v.Name, "measured as %s, from %s to %s, which the model rejects: %s", v.Value, v.Low, v.High, document.Cut(results.OneLine(faults[0]), maxWhy))
			continue
		}
		p.Values = append(p.Values, v)
	}
}

// maxWhy is the maximum length of an error in a gap.
const maxWhy = 200

// ladder returns rates that double up to the highest.
func ladder(lowest, highest float64) (rates []float64) {
	for rate := min(lowest, highest); rate < highest; rate *= 2 {
		rates = append(rates, rate)
	}
	return append(rates, highest)
}
