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

// Contest runs policies through an outage, in which every attempt is throttled, or through an
// overload of one partition.
type Contest struct {
	Contestants []Contestant
	// Length is the duration of the trouble, 100ms to 1h.
	Length time.Duration `flag:"duration" default:"30s" requires:"overload" help:"length of the load, or of each of its steps, such as 4s"`
	// Overload is the offered load as a multiple of a partition's limit, at most 1,000; 0 is
	// an outage.
	Overload float64
	// Clients is the number of clients, 1 to 1,000,000.
	Clients int `flag:"clients" default:"500" help:"how many clients"`
	// Each is the mean rate of a client in an outage, in operations per second.
	Each float64 `flag:"each" default:"1" excludes:"overload" help:"operations/s of each client in an outage, on the average"`
	// Together makes one operation of each client due at the first instant of an outage, and
	// none in the rest of it.
	Together bool `flag:"together" excludes:"overload" help:"each client has one operation, due when the outage begins"`
	// LostReplies is the percentage of replies that are lost after the request succeeded.
	LostReplies float64
	Seed        uint64 `flag:"seed" default:"1" help:"root of all chance (default: the scenario's, else 1)"`
}

// The durations before and after the trouble.
const (
	contestLead = 5 * time.Second
	contestTail = 10 * time.Second
	// calm is the load before and after an overload as a share of a partition's limit.
	calm = 0.5
)

// Validate returns every fault of the contest. Each wraps [ErrExperiment] and names the field.
func (c *Contest) Validate() []error {
	var faults []error
	if !(c.Overload >= 0 && c.Overload <= 1000) {
		faults = append(faults, fmt.Errorf("%w: overload is %v; it must be 0 to 1,000 times a partition's limit", ErrExperiment, c.Overload))
	}
	if !(c.LostReplies >= 0 && c.LostReplies <= 100) {
		faults = append(faults, fmt.Errorf("%w: lost replies are %v %%; they must be 0 to 100 %%", ErrExperiment, c.LostReplies))
	}
	if c.Together && c.Overload > 0 {
		faults = append(faults, fmt.Errorf("%w: together belongs to an outage, not to an overload", ErrExperiment))
	}
	e, err := c.experiment()
	if err != nil {
		return append(faults, err)
	}
	return append(faults, e.Validate()...)
}

// Run tries the contestants one after another and returns them best first. If it ends early,
// it returns the contest of those that were tried, and the error. With a fault of
// [Contest.Validate] it returns no contest.
func (c *Contest) Run(ctx context.Context) (*results.PolicyContest, error) {
	if faults := c.Validate(); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	e, err := c.experiment()
	if err != nil {
		return nil, err
	}
	words := fmt.Sprintf("an outage of %s that throttles every attempt", document.Span(c.Length))
	if c.Together {
		words += ", with an operation of every client due at its first instant"
	}
	if c.Overload > 0 {
		words = fmt.Sprintf("%s times a partition's limit, for %s", document.Plainly(c.Overload), document.Span(c.Length))
	}
	if c.lostShare() > 0 {
		words += "; " + document.Plainly(c.LostReplies) + " % of the replies are lost after the request succeeded"
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

// Schedules returns the retry times of the policies without a limiter.
func (c *Contest) Schedules() []results.RetrySchedule {
	var schedules []results.RetrySchedule
	for _, one := range c.Contestants {
		if one.Limiter == nil {
			schedules = append(schedules, Schedule(&backoff.Preset{Policy: one.Policy}))
		}
	}
	return schedules
}

// experiment returns the experiment of the contest.
func (c *Contest) experiment() (*Experiment, error) {
	rate := c.Each * float64(c.Clients)
	e := &Experiment{Clients: c.Clients, Lead: contestLead, Trouble: c.Length, Tail: contestTail, Together: c.Together,
		LeadRate: rate, TroubleRate: rate, TailRate: rate, Seed: c.Seed}
	// Each operation inserts a new entity: in an outage in the client's partition, in an
	// overload in a shared one.
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
		limit := float64(m.PartitionTarget)
		e.LeadRate, e.TroubleRate, e.TailRate = calm*limit, c.Overload*limit, calm*limit
	}
	return e, nil
}

// lostShare is the share of lost replies in the unit of faults.
func (c *Contest) lostShare() int { return int(c.LostReplies / 100 * engine.WholeShare) }

// seconds returns a duration for a record, rounded to the microsecond.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }

// ErrExperiment is wrapped by every fault of an experiment.
var ErrExperiment = errors.New("trial: impossible experiment")

// Contestant is a retry policy with a limiter, or none.
type Contestant struct {
	Name   string
	Policy backoff.Policy
	// Limiter returns a client's limiter; nil for none.
	Limiter func() backoff.Limiter
}

// Named returns contestants by the names of their policies; POLICY+LIMITER adds a limiter. The
// faults are unknown names, names that occur twice, and an empty list.
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
		faults = append(faults, errors.New("no policy; expected one or more"))
	}
	return list, faults
}

// contestTable is the table that the clients insert into.
const contestTable = "Contest"

// target returns a new engine that causes the trouble.
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
		return nil, fmt.Errorf("creating the table of the contest: %d %s", made.Status, made.Code)
	}
	var plan engine.FaultPlan
	if c.Overload == 0 {
		plan.Rules = append(plan.Rules, engine.FaultRule{Kind: engine.FaultRefuse, From: e.Lead, To: e.Lead + e.Trouble, Share: engine.WholeShare})
	}
	if share := c.lostShare(); share > 0 {
		plan.Rules = append(plan.Rules, engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, To: clock.Never.Offset(), Share: share})
	}
	return target.WrapImmediateFaults(inner, plan, c.Seed), nil
}
