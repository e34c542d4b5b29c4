package figure

import (
	"cmp"
	"slices"

	"loadgen/results"
)

// ShownSteps returns the steps and the closed loops among them, in the order of the record. Of
// a run about load balancing, and of traffic that a server saw, there is another account.
func ShownSteps(record *results.Record) []Step {
	if record.Capture != nil || Spreads(record) {
		return Steps(record)
	}
	return Reported(record)
}

// Step returns the results of the chosen kinds of operation in a step; nil chooses all.
func (f *Figures) Step(step Step, want func(results.Kind) bool) results.PhaseOperationSummary {
	return f.Summary([]Step{step}, want)
}

// Summary returns the results of the chosen kinds of operation in some steps together; nil chooses all.
func (f *Figures) Summary(steps []Step, want func(results.Kind) bool) results.PhaseOperationSummary {
	take := func(name string) Value { return f.takeSteps(name, steps, unitOfFigure(name), want) }
	sum := (&Selection{of: f, steps: steps, want: want}).sum()
	return results.PhaseOperationSummary{
		Offered: take("offered").Value, Served: take("served").Value, ThrottledPerSecond: take("throttled_per_second").Value,
		ShareLost: take("share_lost").Pointer(), ShareLostSettled: take("share_lost_settled").Pointer(),
		AttemptsPerOperation: take("tries").Pointer(),
		Response:             results.QuantilesOf(sum.Response), Service: results.QuantilesOf(sum.Service[results.Ok]),
	}
}

// ThrottledShare returns the throttled share of a step's attempts, and false if it had none.
func (s Step) ThrottledShare() (float64, bool) {
	sum := s.counts(nil)
	v := ratio(sum.Throttled, sum.Attempts, "")
	return v.Value, v.Known
}

// overTarget is the minimum part by which a rate exceeds a target.
const overTarget = 0.002

// The reasons why the offered load differs from the due one.
const (
	notSent   = "the generator was late"
	inHeaps   = "the generator sent in bursts, so throttling says nothing about the rate"
	lineBound = "the client's line limited the load"
)

// whyLate is notSent, or names the workers that a user chose if all of them were busy.
func (f *Figures) whyLate() string {
	g, env := f.record.Generator, &f.record.Manifest.Environment
	if env.WorkersFrom == "" || g == nil || g.LeastFree == nil || *g.LeastFree > 0 {
		return notSent
	}
	return "the load waited for workers, bound by " + env.WorkersFrom
}

// Holding is whether a step holds its rate.
type Holding struct {
	// Holds reports that all operations due in the step succeeded, that at most 0.5% of the
	// first attempts were refused, or a sporadic share, and that no queue grew.
	Holds bool
	// Why is the reason why Holds is unknown, empty if it is known.
	Why string
	// Unsent is why the load was not offered when it was due, empty if it was: low throttling then proves nothing.
	Unsent string
}

// The reasons why it is unknown whether a step without losses sustains its rate.
const (
	atItsLimit = "at its limit"
	tooShort   = "the step is too short to exclude a load 5% above capacity"
)

// Holding reports whether a step sustains its rate, over its whole length. That is unknown if the generator sent more
// than 1% of a second over 100 ms late in more than 2% of the seconds, or dropped operations, or if a model's
// saved-up allowance carried the load. Refusals of a load that was sent late in bursts do not count, unless the target
// also refused requests that were on time, or saturates below the rate. Waited returns why operations of a second had
// to wait for the target before they were sent; it is empty if the generator was the cause.
func (f *Figures) Holding(step Step, waited func(second int64) string) Holding {
	sum := step.counts(nil)
	settled, seconds := step.settledCohort(&sum)
	unsent := f.unsentReason(step, waited)
	switch {
	case seconds <= 0:
		return Holding{Why: "the run ended before the step's last half", Unsent: unsent}
	case sum.Scheduled == 0:
		return Holding{Why: "nothing was due", Unsent: unsent}
	}
	ladder, list, queue := f.ladderOf(step)
	refused, why := f.isRefused(step, &sum, ladder, list)
	switch {
	case refused, sum.Sent > sum.Succeeded:
		if unsent == notSent && !f.throttledInTime(step) && !f.exceedsLimit(step) {
			return Holding{Why: inHeaps, Unsent: unsent}
		}
		return Holding{Unsent: unsent}
	case unsent == notSent:
		return Holding{Why: f.whyLate(), Unsent: unsent}
	case sum.Scheduled > sum.Succeeded, queue.grows(), step.Phase.Varying && surges(list), f.exceedsLimit(step):
		// Operations that were dropped while they waited for the target are lost by the target.
		return Holding{Unsent: unsent}
	case unsent != "":
		return Holding{Why: unsent, Unsent: unsent}
	case why != "":
		return Holding{Why: why}
	case f.usesAllowance(step, &settled, seconds):
		return Holding{Why: "at its limit, carried by the partition's burst allowance"}
	case queue.seconds < MinSeconds && f.mayQueue(step, list):
		return Holding{Why: "the step is too short to distinguish queueing from slow answers"}
	case !step.Closed() && !step.Phase.Varying && queue.mayHideOverload(ladder, step):
		return Holding{Why: tooShort}
	}
	return Holding{Holds: true}
}

// mayQueue reports whether the queue in front of the target may grow during a step whose queue
// was not judged. List has the whole seconds of the step behind its first.
func (f *Figures) mayQueue(step Step, list []second) bool {
	// Among late seconds, only a queue of half a second counts.
	const late = 0.5
	_, end := step.wholeSeconds()
	at := slices.IndexFunc(f.run, func(s second) bool { return s.End() == end })
	switch {
	case at < 0 || step.Closed():
		return false
	case len(list) >= MinSeconds:
		return float64(f.run[at].queued) > late*float64(f.run[at].Scheduled)+minGrowth
	case len(list) == 0:
		return float64(f.run[at].queued) > minOverload*float64(f.run[at].Scheduled)+minGrowth
	}
	due, growth := 0.0, 0.0
	for _, s := range list {
		due, growth = due+float64(s.Scheduled), growth+s.growth()
	}
	return growth > minOverload*due+minGrowth
}

// ladderOf returns the ladder that a step belongs to, the whole seconds of the step, and its
// queue; nil and zero values for a closed loop.
func (f *Figures) ladderOf(step Step) (*Ladder, []second, queueing) {
	for i := range f.Ladders() {
		l := &f.ladders[i]
		for at := range l.Steps {
			if l.Steps[at].Phase == step.Phase {
				return l, slices.DeleteFunc(l.seconds(f.run), func(s second) bool { return s.step != at }), l.queues[at]
			}
		}
	}
	return nil, nil, queueing{}
}

// unsentReason returns why the target met another load than the one that was due: a part was dropped, or sent much
// later in too many seconds; empty if it met the due load.
func (f *Figures) unsentReason(step Step, waited func(second int64) string) string {
	all, late, own := int64(0), int64(0), int64(0)
	sum, why := step.counts(nil), ""
	dropped := sum.Dropped
	for i := range f.record.Intervals {
		row := &f.record.Intervals[i]
		if !step.Contains(row.Second) {
			continue
		}
		of := row.SecondsSum()
		held := max(of.HeldBack, of.LineBound)
		if held == 0 && f.isLeftBehind(i) {
			held = 1
		}
		all, late = all+of.Length, late+held
		if held == 0 && row.Dropped == 0 {
			continue
		}
		reason := waited(row.Second)
		if of.LineBound > 0 {
			reason = lineBound
		}
		if reason != "" {
			why, dropped = cmp.Or(why, reason), dropped-row.Dropped
		} else {
			own += held
		}
	}
	most := results.MaxHeldBackSeconds * float64(all)
	switch {
	case dropped > 0, float64(own) > most:
		return notSent
	case sum.Dropped > 0, float64(late) > most:
		return why
	}
	return ""
}

// throttledInTime reports whether a limit's fewest seconds of a step had enough throttled of
// what came in time, right after seconds in which it did.
func (f *Figures) throttledInTime(step Step) bool {
	count, before := 0, false
	for i := range f.record.Intervals {
		row := &f.record.Intervals[i]
		if !step.Contains(row.Second) {
			continue
		}
		inTime := row.Dropped == 0 && !row.IsHeldBack() && !f.isLeftBehind(i)
		if inTime && before && float64(row.Throttled) >= minShare*float64(row.Attempts) && row.Throttled > 0 {
			count++
		}
		before = inTime
	}
	return count >= MinSeconds
}

// exceedsLimit reports whether a step offers more than the limit of its ladder.
func (f *Figures) exceedsLimit(step Step) bool {
	l, _, _ := f.ladderOf(step)
	return l.hasLimit() && l.offered(step) > l.Rate*(1+limitMargin)
}

// isLeftBehind reports whether a second left so much due load to a later, delayed second that it exceeds the load of
// the time after which operations count as held back.
func (f *Figures) isLeftBehind(at int) bool {
	const few = 2
	row, within := &f.record.Intervals[at], results.HeldBackAfter.Seconds()
	if behind := row.Scheduled - row.Sent; behind <= few || float64(behind) <= within*row.PerSecond(row.Scheduled) {
		return false
	}
	for _, next := range f.record.Intervals[at+1:] {
		if next.Sent > 0 {
			return next.IsHeldBack()
		}
	}
	return true
}

// noHeadroom is the value of the headroom of a model that limits partitions to their target, in thousandths of it.
const noHeadroom = "1000"

// borrowed reports whether a step on a single partition was offered more than that may
// serve for ever.
func (f *Figures) usesAllowance(step Step, settled *results.Cohort, seconds float64) bool {
	m := &f.record.Manifest
	exceeded := slices.ContainsFunc(m.Model, func(p results.Parameter) bool { return p.Name == "headroom" && p.Value != noHeadroom })
	if m.PartitionKey == "" || m.Targets.Partition <= 0 || m.Genuine || exceeded {
		return false
	}
	offered := float64(settled.Offered) / seconds
	if !step.Phase.Varying {
		// Random deviations of a rate do not count.
		offered = step.Phase.Rate * float64(settled.Offered) / float64(settled.Scheduled)
	}
	return offered > (1+overTarget)*float64(m.Targets.Partition)
}

// OnTime reports whether the generator sent a step's load when it was due: all of it, and at most 1% over 5 ms late.
// Response times depend on that; whether the step holds its rate does not.
func (s Step) OnTime() bool {
	sum := s.counts(nil)
	return sum.Dropped == 0 && float64(sum.Late) <= results.MaxLateShare*float64(sum.Sent)
}

// Late returns why a figure is unreliable because of a late generator, empty if it is reliable. Counts and throttling
// do not depend on it; response times, and what was offered and served per second, do. Late reports whether the
// generator was late in a step.
func (f *Figures) Late(ref Reference, late func(Step) bool) string {
	if d, _ := Find(ref.Name); d.Times != "response" && ref.Name != "offered" && ref.Name != "served" {
		return ""
	}
	return f.firstReason(ref, func(step Step) string {
		if late(step) {
			return f.whyLate() + " in " + step.Phase.Name
		}
		return ""
	})
}

// firstReason returns the first reason of the steps of a figure, empty if there is none.
func (f *Figures) firstReason(ref Reference, reason func(Step) string) string {
	s, fault := f.selection(ref, ref.Unit())
	for _, step := range s.steps {
		if why := reason(step); why != "" && fault == "" {
			return why
		}
	}
	return ""
}

// Unsent returns why a figure would be greater if the load had been offered when it was due: a lower load is throttled
// less, retried less and served less. That such a figure stays below a bound then proves nothing; that it exceeds one
// does. It is empty if the load was offered, and for other figures.
func (f *Figures) Unsent(ref Reference, holds func(Step) Holding) string {
	if !slices.Contains([]string{"throttled", "first_throttled", "throttled_per_second", "share_throttled_settled", "throttled_per_success",
		"requests", "retries", "retries_per_operation", "tries", "served", "mean_served"}, ref.Name) {
		return ""
	}
	return f.firstReason(ref, func(step Step) string {
		if unsent := holds(step).Unsent; unsent != "" {
			return unsent + ", in " + step.Phase.Name
		}
		return ""
	})
}
