package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/backoff"
	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/target"
)

// Contest compares policies in an outage, in which every attempt is throttled, or in an overload
// of one partition. Operations are due at random instants of even slots.
type Contest struct {
	Contestants []Contestant
	// Length is the duration of the outage or overload, 100ms to 1h.
	Length time.Duration `flag:"duration" default:"30s" requires:"overload"`
	// Overload is the offered load as a multiple of a partition's limit, at most 1,000; 0 is
	// an outage.
	Overload float64
	// Clients is the number of clients, 1 to 1,000,000.
	Clients int `flag:"clients" default:"500"`
	// Each is the mean rate of a client in an outage, in operations per second.
	Each float64 `flag:"each" default:"1" excludes:"overload"`
	// Together makes one operation of each client due at the first instant of an outage, and
	// none in the rest of it.
	Together bool `flag:"together" excludes:"overload"`
	// LostReplies is the percentage of replies that are lost after the request succeeded.
	LostReplies float64
	Seed        uint64 `flag:"seed" default:"1"`
}

const (
	// leadTime and tailTime are the durations of arrivals before and after the trouble.
	leadTime = 5 * time.Second
	tailTime = 10 * time.Second
	// calmShare is the load before and after an overload as a share of a partition's limit.
	calmShare = 0.5
	// grace is added to the policy's maximum wait at the end of a run, which maxWait limits.
	grace   = 10 * time.Second
	maxWait = 24 * time.Hour
	// contestTable is the table that the clients insert into.
	contestTable = "Contest"
)

// ErrContest is wrapped by every fault of a contest.
var ErrContest = errors.New("trial: impossible contest")

// Validate returns every fault of the contest. Each wraps [ErrContest] and names the field.
func (c *Contest) Validate() []error {
	var faults []error
	for _, rule := range []struct {
		ok       bool
		template string
		value    any
	}{
		{c.Overload >= 0 && c.Overload <= 1000, "overload is %v; it must be 0 to 1,000 times a partition's limit", c.Overload},
		{c.LostReplies >= 0 && c.LostReplies <= 100, "lost replies are %v%%; they must be 0 to 100%%", c.LostReplies},
		{!c.Together || c.Overload == 0, "together is %v; it belongs to an outage, not to an overload", c.Together},
		{c.Clients >= 1 && c.Clients <= 1_000_000, "clients is %d; it must be 1 to 1,000,000", c.Clients},
		{c.Length >= 100*time.Millisecond && c.Length <= time.Hour, "trouble lasts %v; it must be 100ms to 1h", c.Length},
	} {
		if !rule.ok {
			faults = append(faults, fmt.Errorf("%w: "+rule.template, ErrContest, rule.value))
		}
	}
	if len(faults) > 0 {
		return faults
	}
	if _, err := c.plan(); err != nil {
		return []error{fmt.Errorf("%w: %w", ErrContest, err)}
	}
	return nil
}

// plan is what all runs of a contest have in common.
type plan struct {
	model *model.Model
	// calm is the operations per second of all clients outside of the trouble.
	calm     float64
	schedule arrival.Schedule
}

// plan returns the model of the target, and when operations are due.
func (c *Contest) plan() (plan, error) {
	profile := model.Off
	if c.Overload > 0 {
		profile = model.Documented
	}
	m, err := model.New(profile)
	if err != nil {
		return plan{}, err
	}
	calm := c.Each * float64(c.Clients)
	trouble := calm
	if c.Overload > 0 {
		limit := float64(m.PartitionTarget)
		calm, trouble = calmShare*limit, c.Overload*limit
	}
	steps := []arrival.Step{{Rate: calm, Length: leadTime}, {Rate: trouble, Length: c.Length}, {Rate: calm, Length: tailTime}}
	if c.Together {
		steps = slices.Delete(steps, 1, 2)
	}
	even, err := arrival.NewSteps(steps...)
	if err != nil {
		return plan{}, err
	}
	jittered := arrival.NewJittered(even, clock.NewStream(c.Seed, "arrivals"))
	if !c.Together {
		return plan{m, calm, jittered}, nil
	}
	var due []time.Duration
	for k := range jittered.Len() {
		at := jittered.DueTime(k)
		if at >= leadTime {
			at += c.Length
		}
		due = append(due, at)
	}
	first, _ := slices.BinarySearch(due, leadTime)
	due = slices.Insert(due, first, slices.Repeat([]time.Duration{leadTime}, c.Clients)...)
	return plan{m, calm, arrival.NewTrace(due, nil)}, nil
}

// Run tries the contestants one after another and returns them best first. If it ends early,
// it returns the contest of those that were tried, and the error. With a fault of
// [Contest.Validate] it returns no contest.
func (c *Contest) Run(ctx context.Context) (*results.PolicyContest, error) {
	if faults := c.Validate(); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	p, err := c.plan()
	if err != nil {
		return nil, err
	}
	contest := &results.PolicyContest{Trouble: sentence(c, "trouble"), Clients: c.Clients, Seed: c.Seed,
		OperationsPerSecondEachClient: p.calm / float64(c.Clients), Policies: []results.PolicyTrial{},
		LeadS: leadTime.Seconds(), TroubleS: math.Round(c.Length.Seconds()*1e6) / 1e6, TailS: tailTime.Seconds()}
	var ended error
	for _, one := range c.Contestants {
		var trial results.PolicyTrial
		if trial, ended = c.runContestant(ctx, p, one); ended != nil {
			break
		}
		contest.Policies = append(contest.Policies, trial)
	}
	answer := newRanking(contest).answer()
	contest.Verdict = answer.Sentences()
	if ended != nil {
		contest.Verdict = fmt.Sprintf("Ended after %d of %d policies: %s. ", len(contest.Policies), len(c.Contestants), results.OneLine(ended)) + contest.Verdict
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
	for i, name := range names {
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
		if slices.Contains(names[:i], name) {
			faults = append(faults, fmt.Errorf("%s occurs twice; expected each once", name))
		}
		list = append(list, one)
	}
	if len(names) == 0 {
		faults = append(faults, errors.New("no policy; expected one or more"))
	}
	return list, faults
}

// target returns a new engine that causes the trouble.
func (c *Contest) target(m *model.Model) (target.Immediate, error) {
	inner := run.Engine(m, c.Seed, nil)
	if made, _ := inner.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: contestTable}); made.Status >= 300 {
		return nil, fmt.Errorf("trial: creating the table: %d %s", made.Status, made.Code)
	}
	var plan engine.FaultPlan
	if c.Overload == 0 {
		plan.Rules = append(plan.Rules, engine.FaultRule{Kind: engine.FaultRefuse, From: leadTime, To: leadTime + c.Length, Share: engine.WholeShare})
	}
	if share := int(c.LostReplies / 100 * engine.WholeShare); share > 0 {
		plan.Rules = append(plan.Rules, engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, To: clock.Never.Offset(), Share: share})
	}
	return target.WrapImmediateFaults(inner, plan, c.Seed), nil
}

// clientOf returns the client of operation k: in each round every client has one operation, in
// an order that rotates randomly from round to round. A fixed order could fall in step with a
// partition's allowance, which would then always serve the same clients.
func (c *Contest) clientOf(k uint64) uint64 {
	n := uint64(c.Clients)
	draw := clock.NewStream(c.Seed, "clients").Draw(k / n)
	return (k + uint64(draw.IntN(c.Clients))) % n
}

// build writes the insert of a new entity into w: in an outage in the client's partition, in an
// overload in a shared one.
func (c *Contest) build(k uint64, w *drive.Work) {
	partition := "all"
	if c.Overload == 0 {
		partition = strconv.FormatUint(c.clientOf(k), 10)
	}
	w.Operation = target.Operation{Verb: entity.Insert, Table: contestTable, Change: entity.Change{Verb: entity.Insert,
		Key: entity.Key{Partition: partition, Row: strconv.FormatUint(k, 10)}}}
}

// runContestant runs a contestant against a new target and returns its figures.
func (c *Contest) runContestant(ctx context.Context, p plan, one Contestant) (results.PolicyTrial, error) {
	inner, err := c.target(p.model)
	if err != nil {
		return results.PolicyTrial{}, err
	}
	troubleEnd := leadTime + c.Length
	stage := &drive.Stage{
		Name: one.Name, Schedule: p.schedule,
		Build: c.build, Retry: one.Policy, Chance: clock.NewStream(c.Seed, "retry"),
		Grace: min(one.Policy.MaxWait(), maxWait) + grace,
		Phases: []results.Phase{{Name: "lead", End: leadTime, Reported: true}, {Name: "trouble", Begin: leadTime, End: troubleEnd, Reported: true},
			{Name: "tail", Begin: troubleEnd, End: troubleEnd + tailTime, Reported: true}},
	}
	if one.Limiter != nil {
		stage.Limiters = &drive.Limiters{Clients: uint64(c.Clients), ClientOf: c.clientOf, New: one.Limiter, Chance: clock.NewStream(c.Seed, "limiter")}
	}
	o := &observer{contest: c, caught: make([]int64, c.Clients), succeeded: make([]int64, c.Clients)}
	trial := run.Trial{Runner: &drive.Virtual{Target: inner}, Kinds: []results.Kind{{Name: "operation"}}, Observers: []drive.Observer{o}}
	record, err := trial.Run(ctx, stage)
	if err != nil {
		return results.PolicyTrial{}, err
	}
	return o.trial(&one, record), nil
}

// observer collects what the record of a run does not have. It is not safe for concurrent use.
type observer struct {
	contest *Contest
	// caught counts the operations of each client that were due in the trouble and ended, succeeded
	// those that succeeded.
	caught, succeeded []int64
	// before and during are the response times of successful operations due before the trouble
	// and in it, retries the send times of retries, last is the end of the last caught operation.
	before, during, retries []time.Duration
	last                    time.Duration
	// served counts the entities of successes from the begin of the trouble to the last arrival.
	served, duplicates int64
}

var _ drive.Observer = (*observer)(nil)

// Attempt implements [drive.Observer].
func (o *observer) Attempt(a *results.Attempt) {
	if a.Try == 0 {
		return
	}
	o.retries = append(o.retries, a.Sent)
	if a.Status == 404 || a.Status == 409 || a.Status == 412 {
		o.duplicates++
	}
}

// Completed implements [drive.Observer].
func (o *observer) Completed(done *results.Completed) {
	ok, troubleEnd := done.Class == results.Ok, leadTime+o.contest.Length
	if ok && done.Done >= leadTime && done.Done < troubleEnd+tailTime {
		o.served += done.Served
	}
	switch {
	case done.Intended >= troubleEnd:
	case done.Intended >= leadTime:
		client := o.contest.clientOf(done.Number)
		o.caught[client]++
		o.last = max(o.last, done.Done)
		if ok {
			o.succeeded[client]++
			o.during = append(o.during, done.Done-done.Intended)
		}
	case ok:
		o.before = append(o.before, done.Done-done.Intended)
	}
}

// trial returns the figures of a contestant.
func (o *observer) trial(one *Contestant, record *results.Record) results.PolicyTrial {
	t := results.PolicyTrial{Policy: one.Name, Duplicates: o.duplicates, Fairness: o.fairness(),
		Goodput: float64(o.served) / (o.contest.Length + tailTime).Seconds(), DrainS: max(0, o.last-leadTime-o.contest.Length).Seconds()}
	for i := range record.Phases {
		t.Withheld += record.Phases[i].Kinds[0].Dropped
	}
	counts := &record.Phases[1].Kinds[0].Counts
	t.Caught, t.Lost = counts.Scheduled, counts.Scheduled-counts.Succeeded
	if t.Caught > 0 {
		share := float64(t.Lost) / float64(t.Caught)
		t.LostPercent = 100 * share
		t.LostDoubt = 100 * 1.96 * math.Sqrt(share*(1-share)/float64(t.Caught))
	}
	if counts.Operations > 0 {
		t.AttemptsPerOperation = float64(counts.Attempts) / float64(counts.Operations)
	}
	if counts.Attempts > 0 {
		// If each attempt is throttled with probability p, an operation with at most R retries has
		// (1 − p^(R+1))/(1 − p) attempts on average, the sum of the geometric series.
		p, limit := float64(counts.Throttled)/float64(counts.Attempts), float64(one.Policy.Retries+1)
		if t.AmplificationByChance = limit; p < 1 {
			t.AmplificationByChance = (1 - math.Pow(p, limit)) / (1 - p)
		}
	}
	t.Added = results.AddedQuantiles{P50: o.addedQuantile(0.5), P95: o.addedQuantile(0.95), P99: o.addedQuantile(0.99)}
	o.countRetries(&t)
	return t
}

// addedQuantile returns a quantile of the response times in the trouble above the median before it, in
// milliseconds; nil for fewer than ten responses above the quantile.
func (o *observer) addedQuantile(q float64) *float64 {
	if float64(len(o.during))*(1-q) < 10 {
		return nil
	}
	slices.Sort(o.during)
	slices.Sort(o.before)
	calm := 0.0
	if len(o.before) > 0 {
		calm = o.before[(len(o.before)-1)/2].Seconds()
	}
	return new(1000 * max(0, o.during[int(math.Ceil(q*float64(len(o.during))))-1].Seconds()-calm))
}

const (
	// tenth is the interval for which retries are counted, maxTenths the maximum number of
	// intervals: ten minutes.
	tenth     = 100 * time.Millisecond
	maxTenths = 6000
)

// countRetries counts the retries by tenth of a second, and the maximum within any.
func (o *observer) countRetries(t *results.PolicyTrial) {
	slices.Sort(o.retries)
	begin := 0
	for i, at := range o.retries {
		for at-o.retries[begin] >= tenth {
			begin++
		}
		t.PeakRetries = max(t.PeakRetries, i-begin+1)
		place := int((at - leadTime) / tenth)
		if at < leadTime || place >= maxTenths {
			continue
		}
		if more := place + 1 - len(t.RetriesPer100ms); more > 0 {
			t.RetriesPer100ms = append(t.RetriesPer100ms, make([]int64, more)...)
		}
		t.RetriesPer100ms[place]++
	}
}

// fairness returns Jain's index, (Σx)²/(n·Σx²), over the clients' shares x of caught
// operations that succeeded, without clients that have none.
func (o *observer) fairness() *float64 {
	var sum, squares, n float64
	for client, caught := range o.caught {
		if caught > 0 {
			x := float64(o.succeeded[client]) / float64(caught)
			sum, squares, n = sum+x, squares+x*x, n+1
		}
	}
	if squares == 0 {
		return nil
	}
	return new(sum * sum / (n * squares))
}
