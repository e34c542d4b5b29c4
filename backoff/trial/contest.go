package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"loadgen/backoff"
	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/target"
)

// Contest says which policies are put through which trouble: an outage, in which every
// attempt is throttled at once, or an overload of one partition.
type Contest struct {
	Contestants []Contestant
	// Length is how long the trouble lasts, 100ms to 1h.
	Length time.Duration
	// Overload is how many times what a partition bears is offered, at most 1,000; 0 is
	// an outage.
	Overload float64
	// Clients is how many there are, 1 to 1,000,000.
	Clients int
	// Each is how many operations per second a client offers in an outage, on the
	// average. An overload says itself how much is offered.
	Each float64
	// Together has an outage find every client with one operation due at its first
	// instant, and none in the rest of it.
	Together bool
	// LostReplies is the share of replies that are lost after the request was carried
	// out, in percent.
	LostReplies float64
	Seed        uint64
}

// The stretches before and after the trouble.
const (
	contestLead = 5 * time.Second
	contestTail = 10 * time.Second
	// calm is the share of a partition's target that is offered before and after an
	// overload.
	calm = 0.5
)

// Validate returns everything that is wrong with the contest, each wrapped around
// [ErrExperiment] and with the name of the faulty field.
func (c *Contest) Validate() []error {
	var faults []error
	if !(c.Overload >= 0 && c.Overload <= 1000) {
		faults = append(faults, fmt.Errorf("%w: overload is %v; it must be 0 to 1,000 times what a partition bears", ErrExperiment, c.Overload))
	}
	if !(c.LostReplies >= 0 && c.LostReplies <= 100) {
		faults = append(faults, fmt.Errorf("%w: lost replies are %v %%; they must be 0 to 100 %%", ErrExperiment, c.LostReplies))
	}
	if c.Together && c.Overload > 0 {
		faults = append(faults, fmt.Errorf("%w: together belongs to an outage; an overload says itself how much is offered", ErrExperiment))
	}
	e, err := c.experiment()
	if err != nil {
		return append(faults, err)
	}
	return append(faults, e.Validate()...)
}

// Run puts the contestants through the trouble, one after another, and returns them the
// best first. Where it ends early, the error says why, and the contest is of those that
// were tried; there is none where [Contest.Validate] has a fault.
func (c *Contest) Run(ctx context.Context) (*results.PolicyContest, error) {
	if faults := c.Validate(); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	e, err := c.experiment()
	if err != nil {
		return nil, err
	}
	words := fmt.Sprintf("an outage of %s, in which every attempt is throttled at once", document.Span(c.Length))
	if c.Together {
		words += " and which finds every client with an operation due at its first instant"
	}
	if c.Overload > 0 {
		words = fmt.Sprintf("%s times what a partition bears, for %s", document.Plainly(c.Overload), document.Span(c.Length))
	}
	if c.lost() > 0 {
		words += ", " + document.Plainly(c.LostReplies) + " % of all replies being lost after the request was carried out"
	}
	contest := &results.PolicyContest{Trouble: words, Clients: c.Clients, Seed: c.Seed,
		OperationsPerSecondEachClient: e.LeadRate / float64(c.Clients), Policies: []results.PolicyTrial{},
		LeadS: seconds(e.Lead), TroubleS: seconds(e.Trouble), TailS: seconds(e.Tail)}
	var ended error
	for _, one := range c.Contestants {
		var trial results.PolicyTrial
		t, err := c.target(e)
		if err == nil {
			trial, err = e.Try(ctx, one, t)
		}
		if err != nil {
			ended = err
			break
		}
		contest.Policies = append(contest.Policies, trial)
	}
	rank(contest)
	if ended != nil {
		contest.Verdict = fmt.Sprintf("Ended after %d of %d policies: %s. ", len(contest.Policies), len(c.Contestants),
			strings.ReplaceAll(ended.Error(), "\n", "; ")) + contest.Verdict
	}
	return contest, ended
}

// Schedules returns when the policies of the contest try again, but for those that have
// a limiter, which decides that beside them.
func (c *Contest) Schedules() []results.RetrySchedule {
	var schedules []results.RetrySchedule
	for _, one := range c.Contestants {
		if one.Limiter == nil {
			schedules = append(schedules, Schedule(&backoff.Preset{Policy: one.Policy}))
		}
	}
	return schedules
}

// experiment returns what the contestants are put through.
func (c *Contest) experiment() (*Experiment, error) {
	rate := c.Each * float64(c.Clients)
	e := &Experiment{Clients: c.Clients, Lead: contestLead, Trouble: c.Length, Tail: contestTail, Together: c.Together,
		LeadRate: rate, TroubleRate: rate, TailRate: rate, Seed: c.Seed}
	// Each operation is a new entity, in an outage in its client's partition, in an overload in
	// the one that all share.
	e.Build = func(k uint64, w *drive.Work) {
		partition := "all"
		if c.Overload == 0 {
			partition = strconv.FormatUint(e.ClientOf(k), 10)
		}
		w.Operation = target.Operation{Verb: entity.Insert, Table: contestTable, Change: entity.Change{Verb: entity.Insert,
			Key: entity.Key{Partition: partition, Row: strconv.FormatUint(k, 10)}}}
	}
	if c.Overload > 0 {
		m, err := model.New(model.Documented)
		if err != nil {
			return nil, err
		}
		bears := float64(m.PartitionTarget)
		e.LeadRate, e.TroubleRate, e.TailRate = calm*bears, c.Overload*bears, calm*bears
	}
	return e, nil
}

// lost is the share of replies that are lost, as faults are given it.
func (c *Contest) lost() int { return int(c.LostReplies / 100 * engine.WholeShare) }

// seconds returns a duration for a record, rounded to the microsecond.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }

// ErrExperiment is wrapped by errors about an experiment that cannot be.
var ErrExperiment = errors.New("trial: impossible experiment")

// Contestant is a retry policy with a limiter, or none.
type Contestant struct {
	Name   string
	Policy backoff.Policy
	// Limiter makes a client's limiter; nil for none.
	Limiter func() backoff.Limiter
}

// Named returns contestants by the names of their policies; POLICY+LIMITER has a
// limiter, too. The faults are a name that is none, one that occurs twice, and that
// there is none at all.
func Named(names ...string) (list []Contestant, faults []error) {
	seen := map[string]bool{}
	for _, name := range names {
		policy, limiter, limited := strings.Cut(name, "+")
		p, err := backoff.ByName(policy)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		one := Contestant{Name: name, Policy: p}
		if limited {
			if one.Limiter = backoff.LimiterByName(limiter); one.Limiter == nil {
				faults = append(faults, errors.New(nearest.Unknown("limiter", limiter, backoff.Limiters())))
			}
		}
		if seen[name] {
			faults = append(faults, fmt.Errorf("%s occurs twice; expected each once", name))
		}
		seen[name] = true
		list = append(list, one)
	}
	if len(names) == 0 {
		faults = append(faults, errors.New("there is none; expected one at least"))
	}
	return list, faults
}

// contestTable is the table that the clients insert into.
const contestTable = "Contest"

// target returns an engine of its own that makes the trouble.
func (c *Contest) target(e *Experiment) (target.Immediate, error) {
	profile := model.Off
	if c.Overload > 0 {
		profile = model.Documented
	}
	m, err := model.New(profile)
	if err != nil {
		return nil, err
	}
	inner := run.Engine(m, c.Seed, nil)
	if made, _ := inner.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: contestTable}); made.Status >= 300 {
		return nil, fmt.Errorf("the table of the contest was not made: %d %s", made.Status, made.Code)
	}
	var plan engine.FaultPlan
	if c.Overload == 0 {
		plan.Rules = append(plan.Rules, engine.FaultRule{Kind: engine.FaultRefuse, From: e.Lead, To: e.Lead + e.Trouble, Share: engine.WholeShare})
	}
	if share := c.lost(); share > 0 {
		plan.Rules = append(plan.Rules, engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, To: clock.Never.Offset(), Share: share})
	}
	return target.WrapImmediateFaults(inner, plan, c.Seed), nil
}
