package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"loadgen/backoff"
	"loadgen/engine"
	"loadgen/engine/model"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/drive"
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
	contest := &results.PolicyContest{Trouble: c.trouble(), Clients: c.Clients, Seed: c.Seed,
		OperationsPerSecondEachClient: e.LeadRate / float64(c.Clients), Policies: []results.PolicyTrial{},
		LeadS: seconds(e.Lead), TroubleS: seconds(e.Trouble), TailS: seconds(e.Tail)}
	ended := c.tryAll(ctx, e, contest)
	rank(contest)
	if ended != nil {
		contest.Verdict = fmt.Sprintf("Ended after %d of %d policies: %s. ", len(contest.Policies), len(c.Contestants),
			strings.ReplaceAll(ended.Error(), "\n", "; ")) + contest.Verdict
	}
	return contest, ended
}

func (c *Contest) tryAll(ctx context.Context, e *Experiment, contest *results.PolicyContest) error {
	for _, one := range c.Contestants {
		t, err := c.target(e)
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
	e.Build = func(k uint64, w *drive.Work) { w.Operation = c.insert(e, k) }
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

// trouble says in words what the policies meet.
func (c *Contest) trouble() string {
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
	return words
}

// lost is the share of replies that are lost, as faults are given it.
func (c *Contest) lost() int { return int(c.LostReplies / 100 * engine.WholeShare) }

// seconds returns a duration for a record, rounded to the microsecond.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }
