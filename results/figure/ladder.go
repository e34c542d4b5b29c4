package figure

import (
	"fmt"
	"slices"

	"loadgen/results"
)

// Ladder is the steps of one stretch of load, and what their seconds say of a limit.
type Ladder struct {
	// Stage names the stretch.
	Stage string
	Steps []Step
	// holds offer the last rate on, unreported: as evidence they are as good as its step.
	holds []Step
	// Throttling says what kind it is, and everything below is of that.
	Throttling Throttling
	// Rate is the median of the entities served in the seconds that it rests on, Low
	// and High the least and the greatest: a limit only of a [Limited] load.
	Rate, Low, High float64
	// Seconds are the evidence, Used of them what Rate rests on, OnTime says that in all
	// of these the generator was on time.
	Seconds, Used int
	OnTime        bool
	// Share is the part of the attempts that was throttled, in all of the ladder.
	Share float64
	// From and To are the first second of the run in which enough was throttled, and
	// the one behind the last.
	From, To int64
	// Kinds are the kinds of operation that are limited, Free those that are not; both are nil
	// if the limit is of all kinds.
	Kinds, Free []string
	// Allowance is the number of entities that were served beyond Rate before the first
	// refusal; 0 if that is less than half a second's.
	Allowance float64
	// Slowing is how many seconds the response time grows by each second, in the last step
	// whose queue grows.
	Slowing float64
	// queues has one entry for each of Steps and holds.
	queues []queueing
}

// Throttling is what the throttled attempts of a stretch of load amount to.
type Throttling string

// The kinds of throttling.
const (
	// Unthrottled is a load of which no second had 1 % of its attempts throttled.
	Unthrottled Throttling = "none"
	// Limited is a load that meets a limit: what is served stays, whatever is asked.
	Limited Throttling = "limit"
	// Moving is one of which no share is the same all the time, and no limit.
	Moving Throttling = "changing"
	// Sporadic throttling takes its share of whatever is asked.
	Sporadic Throttling = "sporadic"
	// Brief throttling is that of a few seconds among many with as much load.
	Brief Throttling = "brief"
	// Outage is a load of which nothing is served while it is throttled.
	Outage Throttling = "outage"
	// Carried is throttling at which nothing is lost: retries carry it.
	Carried Throttling = "carried by retries"
	// Undecided throttling may be that of a limit or sporadic: one rate does not tell.
	Undecided Throttling = "limit or sporadic"
	// Queued is a load that is not refused: operations wait longer and longer for the target.
	Queued Throttling = "queueing"
	// Bursts are throttling of a load that rises above a limit for a second at a time: each
	// spends what has been saved up before it, and shows no rate that lasts.
	Bursts Throttling = "bursts"
)

// FewestSeconds is how many seconds of evidence a limit takes.
const FewestSeconds = 3

const (
	// enough is the share of throttled attempts from which on a second is evidence, and
	// of lost operations from which on there is a limit.
	enough = 0.01
	// steady is by which part of it a limit may vary from second to second, steadyLate where
	// the generator was late, whose load then comes in bursts that the limit does not see
	// in full.
	steady, steadyLate = 0.05, 0.02
	// maxVariation is how far a limit may vary between seconds, as a share of it, if several
	// rates show the same limit.
	maxVariation = 0.15
	// coarse is the part of a limit from which on a single request makes its seconds few
	// numbers apart.
	coarse = 0.02
	// apart is how many times better the one explanation has to fit than the other.
	apart = 4
)

// Ladders returns the stretches of load, in the order of the record. The slice is not to
// be changed.
func (f *Figures) Ladders() []Ladder {
	if f.looked {
		return f.ladders
	}
	f.looked, f.run = true, f.seconds()
	for _, step := range f.reported {
		if step.Closed() {
			continue
		}
		at := slices.IndexFunc(f.ladders, func(l Ladder) bool { return l.Stage == step.Phase.Stage })
		if at < 0 {
			at = len(f.ladders)
			f.ladders = append(f.ladders, Ladder{Stage: step.Phase.Stage})
		}
		f.ladders[at].Steps = append(f.ladders[at].Steps, step)
	}
	for i := range f.ladders {
		l := &f.ladders[i]
		last := l.Steps[len(l.Steps)-1].Phase
		for p := range f.record.Phases {
			phase := &f.record.Phases[p]
			if step, some := StepOf(f.record, phase); some && !phase.Reported && phase.Stage == l.Stage && phase.Rate > 0 && phase.Begin >= last.End {
				l.holds = append(l.holds, step)
			}
		}
		l.judge(f.run)
	}
	return f.ladders
}

// seconds returns the whole seconds of the run with the queue in front of the target.
func (f *Figures) seconds() []second {
	const allCPU = 0.95
	list := make([]second, 0, len(f.record.Intervals))
	// The shortest median service time of a second is the target's where it has no queue.
	shortest, cores := int64(0), 1
	for i := range f.record.Intervals {
		if p50 := f.record.Intervals[i].Service.P50; p50 != nil && (shortest == 0 || *p50 < shortest) {
			shortest = *p50
		}
	}
	if g := f.record.Generator; g != nil {
		cores = max(1, g.Cores)
	}
	unsent, before := int64(0), int64(0)
	for i := range f.record.Intervals {
		s := secondOf(&f.record.Intervals[i], 0)
		// The workers mostly wait for a slow target where none is free for half of the second, the
		// service time is at least twice the shortest, and the process does not use up its cores.
		g, p50 := s.Generator, s.Service.P50
		waits := g != nil && 2*g.Starved >= g.Lasted && float64(g.CPU) < allCPU*float64(cores)*float64(g.Lasted) &&
			p50 != nil && shortest > 0 && *p50 >= 2*shortest
		s.generatorLate = !s.OnTime() && !waits
		unsent = max(0, unsent+s.Scheduled-s.Sent-s.Dropped)
		s.queuedBefore, s.queued = before, unsent+s.InFlight
		before = s.queued
		list = append(list, s)
	}
	return list
}

// seconds returns the whole seconds of the ladder from the second one of each step on: in
// the first an idle partition spends what it has saved up. A step of a single second is
// taken as it is where it follows another.
func (l *Ladder) seconds(run []second) []second {
	var list []second
	unit := unitOf(run)
	for i, step := range slices.Concat(l.Steps, l.holds) {
		first, end := step.wholeSeconds()
		if end-first > unit || i == 0 {
			first++
		}
		at, _ := slices.BinarySearchFunc(run, first, func(s second, want int64) int { return int(s.Second - want) })
		for ; at < len(run) && run[at].End() <= end; at++ {
			if s := run[at]; s.Seconds() == unit {
				s.step = i
				list = append(list, s)
			}
		}
	}
	return list
}

// judge classifies the refusals and the queues of the steps.
func (l *Ladder) judge(run []second) {
	var throttled, attempts int64
	for _, step := range l.Steps {
		sum := step.counts(nil)
		throttled += refusals(sum.Throttled, sum.Causes)
		attempts += sum.Attempts
	}
	l.Share = float64(throttled) / float64(max(1, attempts))
	first, _ := l.Steps[0].wholeSeconds()
	_, end := l.Steps[len(l.Steps)-1].wholeSeconds()
	all, unit := l.seconds(run), unitOf(run)
	l.judgeRefusals(all, slices.DeleteFunc(slices.Clone(run), func(s second) bool {
		return s.Second < first || s.End() > end || s.Seconds() != unit
	}))
	some := *l
	if some.Kinds, some.Free = l.limitedKinds(); len(some.Free) > 0 {
		if some.judgeRefusals(some.ofKinds(all), nil); some.Throttling == Limited {
			*l = some
		}
	}
	refused := slices.DeleteFunc(slices.Clone(l.Steps), func(step Step) bool { return step.refusedShare() <= results.MostFirstThrottled })
	undecided := l.Throttling == Carried || l.Throttling == Undecided
	if undecided && len(refused) > 1 && !slices.ContainsFunc(refused, func(step Step) bool { return !l.isSporadic(step) }) {
		l.Throttling = Sporadic
	}
	l.judgeQueues(all)
}

// Grows reports whether the queue in front of the target grows throughout a step.
func (f *Figures) Grows(step Step) bool {
	_, _, queue := f.ladderOf(step)
	return queue.grows()
}

// Met says what the throttled attempts of single seconds amount to, of which no steps are
// known: those that a server saw of one partition. They are in their order.
func Met(seconds []results.Interval) Ladder {
	var l Ladder
	all := make([]second, len(seconds))
	for i := range seconds {
		all[i] = secondOf(&seconds[i], 0)
	}
	l.judgeRefusals(all, all)
	return l
}

// unitOf returns the length of the whole seconds, or minutes, of a run: those of a phase that begins or ends within
// one are shorter.
func unitOf(run []second) int64 {
	unit := int64(1)
	for _, s := range run {
		unit = max(unit, s.Seconds())
	}
	return unit
}

// bySecond turns what was found by the unit of time into what it is by the second.
func (l *Ladder) bySecond(unit int64) {
	for _, rate := range []*float64{&l.Rate, &l.Low, &l.High, &l.Allowance} {
		*rate /= float64(unit)
	}
	l.Seconds, l.Used = l.Seconds*int(unit), l.Used*int(unit)
}

// judgeRefusals classifies the refusals in the seconds. Run has every whole second from the
// first to the last, in which a saved-up allowance may be spent; nil if that is not known.
func (l *Ladder) judgeRefusals(all, run []second) {
	unit := unitOf(all)
	l.Allowance *= float64(unit)
	l.classify(all, run)
	l.bySecond(unit)
}

func (l *Ladder) classify(all, run []second) {
	l.Throttling = Unthrottled
	var evidence []second
	for _, s := range all {
		if s.evidence() {
			evidence = append(evidence, s)
		}
	}
	if l.Seconds = len(evidence); l.Seconds == 0 {
		return
	}
	l.From, l.To = evidence[0].Second, evidence[len(evidence)-1].End()
	core := atLimit(evidence)
	rate := medianServed(core)
	bursts := false
	if slices.ContainsFunc(core, func(s second) bool { return s.step < len(l.Steps) && l.Steps[s.step].Phase.Varying }) {
		fit := lasting(all, evidence, rate)
		if bursts = len(fit) == 0; !bursts {
			evidence, core = fit, atLimit(fit)
			rate = medianServed(core)
		}
	}
	saved, explains := savedAllowance(run, rate)
	reached := 0
	for i := range all {
		if all[i].asked >= rate && !(explains && all[i].Second < l.From) {
			reached++
		}
	}
	switch {
	case rate <= 0:
		l.Throttling = Outage
	case len(core) < FewestSeconds || 2*len(core) < reached:
		l.Throttling = Brief
	case !l.loses(core):
		l.Throttling = Carried
	case bursts:
		l.Throttling = Bursts
	default:
		l.explain(all, evidence, core)
	}
	if explains && l.Throttling == Limited && saved >= rate/2 {
		l.Allowance = saved
	}
}

// loses reports whether a step of the evidence lost enough of its operations: where
// retries get through, the target is busy, and serves what it is asked all the same, unless so
// much less is served than becomes due that retries do no more than put it off. Of seconds
// without steps it is what was due in them and not served.
func (l *Ladder) loses(core []second) bool {
	if len(l.Steps) == 0 {
		var due, served int64
		for _, s := range core {
			due, served = due+s.Offered, served+s.Served
		}
		if due > served && float64(due-served) >= enough*float64(due) {
			return true
		}
	}
	for i, step := range l.Steps {
		if !slices.ContainsFunc(core, func(s second) bool { return s.step == i }) {
			continue
		}
		sum := step.counts(nil)
		settled, _ := step.settled(&sum)
		if lostOperations(&sum) > 0 && (float64(lostOperations(&sum)) >= enough*float64(sum.Scheduled) ||
			float64(settled.Scheduled-settled.Succeeded) >= enough*float64(max(1, settled.Scheduled))) {
			return true
		}
	}
	const much, long = 0.03, 5
	var due, served int64
	seconds, rate := 0, medianServed(core)
	for _, s := range core {
		if float64(s.Offered) >= rate {
			due, served, seconds = due+s.Offered, served+s.Served, seconds+1
		}
	}
	return seconds >= long && float64(due-served) >= much*float64(due)
}

// saturation is told where the throttling of exactly one limit was met.
func saturation(s *Selection) Value {
	if r := s.of.record; r.Capture != nil || r.Manifest.Spread != nil || Spreads(r) && r.Manifest.PartitionKey == "" {
		// What several partitions are served while load balancing works is no
		// saturation of anything.
		return untold("load balancing changes what partitions are served")
	}
	// Two limits are the same within 2 %.
	const near = 1.02
	v := untold("negligible throttling")
	for _, ladder := range s.of.Ladders() {
		if !slices.ContainsFunc(s.steps, func(step Step) bool { return step.Phase.Stage == ladder.Stage }) {
			continue
		}
		one := ladder.Saturation()
		switch {
		case !one.Told && !v.Told && ladder.Throttling != Unthrottled:
			v.Why = one.Why
		case one.Told && !v.Told:
			v = one
		case one.Told && max(v.Value, one.Value) > near*min(v.Value, one.Value):
			return untold(fmt.Sprintf("limits of parts of the load differ, %.0f and %.0f entities/s", v.Value, one.Value))
		case one.Told && one.Count > v.Count:
			v = one
		}
	}
	return v
}

// Saturation returns where the stretch of load saturates, or why it cannot be told.
func (l *Ladder) Saturation() Value {
	switch l.Throttling {
	case Limited, Queued:
		v := knownValue(l.Rate, int64(l.Used))
		v.Interval = &[2]float64{l.Low, l.High}
		return v
	case Unthrottled:
		return untold("negligible throttling")
	case Moving:
		return untold(fmt.Sprintf("throttling changes: %.0f to %.0f entities/s served per second", l.Low, l.High))
	case Sporadic:
		return untold("sporadic throttling: the same share of any load")
	case Brief:
		return untold(fmt.Sprintf("throttling in only %d s", l.Seconds))
	case Outage:
		return untold("an outage: nothing was served while throttled")
	case Carried:
		return untold("retries succeeded: under 1 % was lost")
	default:
		return untold("one rate cannot distinguish a limit from sporadic throttling")
	}
}
