package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"loadgen/backoff"
	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	enginefault "loadgen/engine/fault"
	"loadgen/engine/model"
	"loadgen/report"
	"loadgen/report/chart"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/laboratory"
	"loadgen/target"
	"loadgen/target/fault"
	"loadgen/target/inprocess"
)

// contestFlags are what a user typed after `loadgen backoff contest`.
type contestFlags struct {
	backoffOutput
	policies []string
	outage   time.Duration
	overload string
	length   time.Duration
	clients  int
	each     float64
	together bool
	lost     string
	seed     uint64

	// factor is what --overload says, share what --lost-replies does, in parts per
	// million.
	factor float64
	share  int
}

// contestants are tried where none is named.
const contestants = "none,documented,was-1.x,storage-net,azcore,azure-core-net,js,botocore-standard,full-jitter,equal-jitter,decorrelated-jitter,ladder,fixed-1s"

func (f *contestFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "contest",
		Short: "Put retry policies through the same trouble",
		Long: `Contest has clients insert entities on the virtual clock, through the sessions that
a live run has, under one retry policy after another, and meets each with the same
trouble: an outage, in which every attempt is refused at once (503), as while a
partition is handed to another server; or an overload, with more operations on one
partition than it bears. It tells which policy loses how many of the operations
that came due in it, what that costs in attempts and in time, and whether retries
come in step.

A limiter is added to a policy with a plus sign: ` + strings.Join(limiterNames(), ", ") + `.
Each client has one of its own.`,
		Example: `  loadgen backoff contest --outage 15s --clients 500
  loadgen backoff contest --overload 2x
  loadgen backoff contest --outage 15s --together   # all fail at the same instant
  loadgen backoff contest --policies azcore,azcore+adaptive,documented`,
		RunE: func(c *cobra.Command, _ []string) error { return f.contest(c, stdout, stderr) },
	}
	refuseArguments(c)
	flags := c.Flags()
	flags.StringSliceVar(&f.policies, "policies", strings.Split(contestants, ","), "which, separated by commas; POLICY+LIMITER adds a limiter")
	flags.DurationVar(&f.outage, "outage", 0, "refuse everything for so long (default 15s, unless --overload)")
	flags.StringVar(&f.overload, "overload", "", "offer so many times what a partition bears, such as 2x")
	flags.DurationVar(&f.length, "for", 30*time.Second, "how long the overload lasts")
	flags.IntVar(&f.clients, "clients", 500, "how many clients")
	flags.Float64Var(&f.each, "each", 1, "operations/s of each client in an outage, on the average")
	flags.BoolVar(&f.together, "together", false, "every client has one operation due at the first instant of the outage, and no other in it")
	flags.StringVar(&f.lost, "lost-replies", "0%", "share of the replies that are lost after the request was carried out, throughout")
	flags.Uint64Var(&f.seed, "seed", 1, "root of all chance")
	f.register(c)
	return c
}

// limiters are what a policy can be combined with.
func limiters() map[string]func() backoff.Limiter {
	return map[string]func() backoff.Limiter{
		"retry-budget": func() backoff.Limiter { return backoff.NewRetryBudget() },
		"token-quota":  func() backoff.Limiter { return backoff.NewTokenQuota() },
		"adaptive":     func() backoff.Limiter { return backoff.NewAdaptive() },
		"cubic":        func() backoff.Limiter { return backoff.NewCubic() },
		"aimd":         func() backoff.Limiter { return backoff.NewAIMD() },
	}
}

func limiterNames() []string {
	return []string{"retry-budget", "token-quota", "adaptive", "cubic", "aimd"}
}

// contest carries the contest out and prints what came of it.
func (f *contestFlags) contest(c *cobra.Command, stdout, stderr io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	list, err := f.contestants()
	if err != nil {
		return err
	}
	e, err := f.experiment(c)
	if err != nil {
		return err
	}
	folder, err := f.folder("backoff-contest")
	if err != nil {
		return err
	}
	contest := &results.PolicyContest{Trouble: f.trouble(), Clients: f.clients, Seed: f.seed,
		OperationsPerSecondEachClient: e.LeadRate / float64(f.clients), Policies: []results.PolicyTrial{},
		LeadS: seconds(e.Lead), TroubleS: seconds(e.Trouble), TailS: seconds(e.Tail)}
	ended := f.tryAll(c.Context(), e, list, contest)
	verdict.RankPolicies(contest)
	if ended != nil {
		contest.Verdict = fmt.Sprintf("Ended after %d of %d policies: %s. ", len(contest.Policies), len(list), oneLine(ended)) + contest.Verdict
	}
	if err := f.draw(folder, contest, list); err != nil {
		return err
	}
	f.told(stderr, folder)
	if f.format == "json" {
		err = report.PoliciesJSON(stdout, contest)
	} else {
		err = report.Policies(stdout, contest)
	}
	return errors.Join(ended, err)
}

// tryAll puts the contestants through the trouble, one after another.
func (f *contestFlags) tryAll(ctx context.Context, e *laboratory.Experiment, list []laboratory.Contestant, contest *results.PolicyContest) error {
	for _, one := range list {
		t, err := f.target(e)
		if err != nil {
			return err
		}
		trial, err := e.Try(ctx, one, t)
		if err != nil {
			return err
		}
		contest.Policies = append(contest.Policies, trial)
	}
	return nil
}

// draw draws the retries of the contest and the schedules of its policies, and
// writes the contest beside them.
func (f *contestFlags) draw(folder results.Dir, contest *results.PolicyContest, list []laboratory.Contestant) error {
	var text strings.Builder
	if err := report.PoliciesJSON(&text, contest); err != nil {
		return err
	}
	if err := folder.Replace("contest.json", []byte(text.String())); err != nil {
		return fmt.Errorf("%w: %w", results.ErrWrite, err)
	}
	if _, err := chart.DrawRetries(folder, contest); err != nil {
		return err
	}
	var schedules []results.RetrySchedule
	for _, one := range list {
		if one.Limiter == nil {
			schedules = append(schedules, scheduleOf(&backoff.Preset{Policy: one.Policy}))
		}
	}
	_, err := chart.DrawSchedules(folder, schedules)
	return err
}

// contestants returns the policies that were asked for.
func (f *contestFlags) contestants() ([]laboratory.Contestant, error) {
	var list []laboratory.Contestant
	var faults []error
	seen := map[string]bool{}
	for _, name := range f.policies {
		policy, limiter, limited := strings.Cut(name, "+")
		p, err := backoff.ByName(policy)
		if err != nil {
			faults = append(faults, fmt.Errorf("--policies: %w", err))
			continue
		}
		one := laboratory.Contestant{Name: name, Policy: p}
		if limited {
			if one.Limiter = limiters()[limiter]; one.Limiter == nil {
				faults = append(faults, fmt.Errorf("--policies: %s", keys.Unknown("limiter", limiter, limiterNames())))
			}
		}
		if seen[name] {
			faults = append(faults, fmt.Errorf("--policies: %s occurs twice; expected each once", name))
		}
		seen[name] = true
		list = append(list, one)
	}
	if len(list) == 0 && len(faults) == 0 {
		faults = append(faults, errors.New("--policies: there is none; expected one at least"))
	}
	if len(faults) > 0 {
		return nil, usageError{errors.Join(faults...)}
	}
	return list, nil
}

// The stretches before and after the trouble.
const (
	contestLead = 5 * time.Second
	contestTail = 10 * time.Second
	// calm is the share of a partition's target that is offered before and after an
	// overload.
	calm = 0.5
)

// experiment returns what the flags describe.
func (f *contestFlags) experiment(c *cobra.Command) (*laboratory.Experiment, error) {
	if err := f.parse(c); err != nil {
		return nil, err
	}
	e := &laboratory.Experiment{Clients: f.clients, Lead: contestLead, Trouble: f.outage, Tail: contestTail, Together: f.together,
		Seed: f.seed}
	e.Build = func(k uint64) drive.Work { return f.insert(e, k) }
	e.LeadRate = f.each * float64(f.clients)
	e.TroubleRate, e.TailRate = e.LeadRate, e.LeadRate
	if f.factor > 0 {
		m, err := model.New(model.Documented)
		if err != nil {
			return nil, err
		}
		bears := float64(m.PartitionTarget)
		e.Trouble, e.LeadRate, e.TroubleRate, e.TailRate = f.length, calm*bears, f.factor*bears, calm*bears
	}
	if faults := e.Validate(); len(faults) > 0 {
		return nil, usageError{errors.Join(faults...)}
	}
	return e, nil
}

// parse reads the flags that are texts and settles what goes together.
func (f *contestFlags) parse(c *cobra.Command) error {
	changed := c.Flags().Changed
	var err error
	switch {
	case changed("outage") && changed("overload"):
		return usageError{errors.New("--outage and --overload are two kinds of trouble; expected one of them")}
	case changed("overload"):
		if f.factor, err = strconv.ParseFloat(strings.TrimSuffix(f.overload, "x"), 64); err != nil || !(f.factor > 0 && f.factor <= 1000) {
			return usageError{fmt.Errorf("--overload %s: expected how many times what a partition bears, such as 2x", f.overload)}
		}
		for _, flag := range []string{"each", "together"} {
			if changed(flag) {
				return usageError{fmt.Errorf("--%s belongs to an outage; an overload says itself how much is offered", flag)}
			}
		}
	case changed("for"):
		return usageError{errors.New("--for belongs to --overload; --outage says itself how long it lasts")}
	case !changed("outage"):
		f.outage = 15 * time.Second
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(f.lost, "%"), 64)
	if err != nil || !(percent >= 0 && percent <= 100) || !strings.HasSuffix(f.lost, "%") {
		return usageError{fmt.Errorf("--lost-replies %s: expected a share from 0%% to 100%%", f.lost)}
	}
	f.share = int(percent / 100 * enginefault.Whole)
	return nil
}

// trouble says in words what the policies meet.
func (f *contestFlags) trouble() string {
	words := fmt.Sprintf("an outage of %v, in which every attempt is refused at once", f.outage)
	if f.together {
		words += " and which finds every client with an operation due at its first instant"
	}
	if f.factor > 0 {
		words = fmt.Sprintf("%g times what a partition bears, for %v", f.factor, f.length)
	}
	if f.share > 0 {
		words += fmt.Sprintf(", %s of all replies being lost after the request was carried out", f.lost)
	}
	return words
}

// contestTable is the table that the clients insert into.
const contestTable = "Contest"

// insert is operation k: a new entity, in an outage in its client's partition, in
// an overload in the one that all share.
func (f *contestFlags) insert(e *laboratory.Experiment, k uint64) drive.Work {
	partition := "all"
	if f.factor == 0 {
		partition = strconv.FormatUint(e.ClientOf(k), 10)
	}
	return drive.Work{Operation: target.Operation{Verb: entity.Insert, Table: contestTable, Change: entity.Change{Verb: entity.Insert,
		Key: entity.Key{Partition: partition, Row: strconv.FormatUint(k, 10)}}}}
}

// target returns an engine of its own that makes the trouble.
func (f *contestFlags) target(e *laboratory.Experiment) (target.Immediate, error) {
	profile := model.Off
	if f.factor > 0 {
		profile = model.Documented
	}
	m, err := model.New(profile)
	if err != nil {
		return nil, err
	}
	inner := inprocess.New(engine.New(engine.Options{Model: m, Accounts: []string{account}, Seed: f.seed}), account, nil)
	if made, _ := inner.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: contestTable}); made.Status >= 300 {
		return nil, fmt.Errorf("the table of the contest was not made: %d %s", made.Status, made.Code)
	}
	var plan enginefault.Plan
	if f.factor == 0 {
		plan.Rules = append(plan.Rules, enginefault.Rule{Kind: enginefault.Refuse, From: e.Lead, To: e.Lead + e.Trouble, Share: enginefault.Whole})
	}
	if f.share > 0 {
		plan.Rules = append(plan.Rules, enginefault.Rule{Kind: enginefault.Drop, Moment: enginefault.After, To: clock.Never.Offset(), Share: f.share})
	}
	return fault.WrapImmediate(inner, plan, f.seed), nil
}
