package figure

import (
	"math"
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
	// Kinds are the kinds of operation that the limit is of, and Free those that meet none;
	// both are nil where it is of all.
	Kinds, Free []string
	// Allowance is how many entities beyond the rate were served before the first refusal, 0
	// for less than half a second's.
	Allowance float64
	// Slowing is by how many seconds the response time grows each second in the highest step
	// whose queue grows.
	Slowing float64
	// queues are what the queue in front of the target does in each step, and in the holds.
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
	// Queued is no throttling: the target answers less than becomes due, and the others wait.
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
	// varying is by which part a limit may vary that several rates show to be the same.
	varying = 0.15
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
		f.ladders[i].holds = f.holds(&f.ladders[i])
		f.ladders[i].judge(f.run)
	}
	return f.ladders
}

// holds returns the phases that go on with the load of a ladder behind its last step.
func (f *Figures) holds(l *Ladder) []Step {
	var list []Step
	last := l.Steps[len(l.Steps)-1].Phase
	for p := range f.record.Phases {
		phase := &f.record.Phases[p]
		if step, some := StepOf(f.record, phase); some && !phase.Reported && phase.Stage == l.Stage && phase.Rate > 0 && phase.Begin >= last.End {
			list = append(list, step)
		}
	}
	return list
}

// seconds returns the whole seconds of the run, with what waits for the target in each.
func (f *Figures) seconds() []second {
	list := make([]second, 0, len(f.record.Intervals))
	unsent, before := int64(0), int64(0)
	usual, cores := usualService(f.record.Intervals), 1
	if g := f.record.Generator; g != nil {
		cores = max(1, g.Cores)
	}
	for i := range f.record.Intervals {
		s := secondOf(&f.record.Intervals[i], 0)
		s.ownDoing = !s.OnTime() && !waitsForTarget(s.Interval, usual, cores)
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
	for i, step := range slices.Concat(l.Steps, l.holds) {
		first, end := step.whole()
		if end-first > 1 || i == 0 {
			first++
		}
		at, _ := slices.BinarySearchFunc(run, first, func(s second, want int64) int { return int(s.Second - want) })
		for ; at < len(run) && run[at].Second < end; at++ {
			s := run[at]
			s.step = i
			list = append(list, s)
		}
	}
	return list
}

// judge says what the refused attempts of the steps amount to, and what their queues do.
func (l *Ladder) judge(run []second) {
	l.Share = l.share()
	all := l.seconds(run)
	l.weigh(all, l.span(run))
	if l.Kinds, l.Free = l.limitedKinds(); len(l.Free) > 0 {
		apart := *l
		apart.weigh(l.ofKinds(all), nil)
		if apart.Throttling == Limited {
			*l = apart
		}
	}
	if l.Throttling != Limited || len(l.Free) == 0 {
		l.Kinds, l.Free = nil, nil
	}
	if refused := l.refused(); (l.Throttling == Carried || l.Throttling == Undecided) && len(refused) > 1 &&
		!slices.ContainsFunc(refused, func(step Step) bool { return !l.alike(step) }) {
		l.Throttling = Sporadic
	}
	l.queue(all)
}

// refused returns the steps of which more is refused than a rate that holds may have.
func (l *Ladder) refused() []Step {
	return slices.DeleteFunc(slices.Clone(l.Steps), func(step Step) bool { return step.refusedShare() <= MostFirstThrottled })
}

// span returns the whole seconds of the run from the first step on to the end of the last.
func (l *Ladder) span(run []second) []second {
	first, _ := l.Steps[0].whole()
	_, end := l.Steps[len(l.Steps)-1].whole()
	return slices.DeleteFunc(slices.Clone(run), func(s second) bool { return s.Second < first || s.Second >= end })
}

// limitedKinds returns the kinds of operation of which much is refused in the highest step,
// and those of which hardly any is: several times less.
func (l *Ladder) limitedKinds() (limited, free []string) {
	const few = 50
	top, any := Highest(l.Steps)
	if !any {
		return nil, nil
	}
	shares, most := make(map[string]float64), 0.0
	for k := range min(len(top.kinds), len(top.Phase.Kinds)) {
		if one := &top.Phase.Kinds[k]; one.Attempts >= few {
			share := ShareOf(refusals(one.Throttled, one.Causes), one.Attempts)
			shares[top.kinds[k].Name] = share
			most = max(most, share)
		}
	}
	for _, kind := range top.kinds {
		switch share, known := shares[kind.Name]; {
		case !known || most < enough:
		case share >= most/2:
			limited = append(limited, kind.Name)
		case share <= most/apart:
			free = append(free, kind.Name)
		}
	}
	return limited, free
}

// ofKinds returns seconds as the limited kinds alone have them. What of them was due in a
// second is as large a part as of its step.
func (l *Ladder) ofKinds(all []second) []second {
	steps, list := slices.Concat(l.Steps, l.holds), make([]second, len(all))
	for i, s := range all {
		row := &results.Interval{Second: s.Second, Scheduled: s.Scheduled, Sent: s.Sent, Late: s.Late}
		for _, kind := range s.Kinds {
			if slices.Contains(l.Kinds, kind.Name) {
				row.Attempts += kind.Attempts
				row.Ok += kind.Ok
				row.Throttled += kind.Throttled
				row.Failed += kind.Failed
				row.Served += kind.Served
				row.Causes.Merge(kind.Causes)
			}
		}
		part, whole := steps[s.step].counts(l.limits), steps[s.step].counts(nil)
		row.Offered = int64(float64(s.Offered) * ShareOf(part.Offered, whole.Offered))
		list[i] = secondOf(row, s.step)
	}
	return list
}

// limits reports whether the limit is of a kind of operation.
func (l *Ladder) limits(kind results.Kind) bool {
	return len(l.Kinds) == 0 || slices.Contains(l.Kinds, kind.Name)
}

// Grows reports whether the queue in front of the target grows while a step lasts.
func (f *Figures) Grows(step Step) bool {
	_, _, queue := f.ladderOf(step)
	return queue.grows()
}

// queue says what the queue in front of the target does in each step. Where it grows in one,
// and no refusal shows a limit, the load saturates at what is answered while it is long.
func (l *Ladder) queue(all []second) {
	steps := make([][]second, len(l.Steps)+len(l.holds))
	for _, s := range all {
		steps[s.step] = append(steps[s.step], s)
	}
	var busy []second
	from := math.Inf(1)
	for i, list := range steps {
		l.queues = append(l.queues, queueingOf(list))
		if q := &l.queues[i]; q.grows() {
			from = min(from, q.from)
			l.Slowing = q.growth / max(1, q.due-q.growth)
		}
	}
	for _, s := range all {
		if min(float64(s.queuedBefore), float64(s.queued)) >= from && s.share < outage {
			busy = append(busy, s)
		}
	}
	if l.Throttling == Limited || len(busy) < FewestSeconds {
		return
	}
	l.Throttling = Queued
	l.Rate, l.Low, l.High = rangeOf(busy)
	l.Seconds, l.Used, l.OnTime = len(busy), len(busy), true
	l.From, l.To = busy[0].Second, busy[len(busy)-1].Second+1
}

// outage is the share of refused attempts from which on a second shows an outage rather than
// what the target can answer.
const outage = 0.5

// Met says what the throttled attempts of single seconds amount to, of which no steps are
// known: those that a server saw of one partition. They are in their order.
func Met(seconds []results.Interval) Ladder {
	var l Ladder
	all := make([]second, len(seconds))
	for i := range seconds {
		all[i] = secondOf(&seconds[i], 0)
	}
	l.weigh(all, all)
	return l
}

// weigh says what the refusals of the seconds amount to. Run are all whole seconds from the
// first to the last, in which what was saved up is spent.
func (l *Ladder) weigh(all, run []second) {
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
	l.From, l.To = evidence[0].Second, evidence[len(evidence)-1].Second+1
	core := atLimit(evidence)
	rate := medianServed(core)
	bursts := false
	if l.varies(core) {
		fit := lasting(all, evidence, rate)
		if bursts = len(fit) == 0; !bursts {
			evidence, core = fit, atLimit(fit)
			rate = medianServed(core)
		}
	}
	saved, explains := allowance(run, rate)
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
	case !l.loses(core) && !behind(core):
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

// varies reports whether the seconds are of load that rises and falls.
func (l *Ladder) varies(core []second) bool {
	return slices.ContainsFunc(core, func(s second) bool { return s.step < len(l.Steps) && l.Steps[s.step].Phase.Varying })
}

// share is that of the ladder's attempts that were throttled.
func (l *Ladder) share() float64 {
	var throttled, attempts int64
	for _, step := range l.Steps {
		sum := step.counts(nil)
		throttled += refusals(sum.Throttled, sum.Causes)
		attempts += sum.Attempts
	}
	return float64(throttled) / float64(max(1, attempts))
}

// loses reports whether a step of the evidence lost enough of its operations: where
// retries get through, the target is busy, and serves what it is asked all the same. Of
// seconds without steps it is what was due in them and not served.
func (l *Ladder) loses(core []second) bool {
	if len(l.Steps) == 0 {
		var due, served int64
		for _, s := range core {
			due, served = due+s.Offered, served+s.Served
		}
		return due > served && float64(due-served) >= enough*float64(due)
	}
	for i, step := range l.Steps {
		if !slices.ContainsFunc(core, func(s second) bool { return s.step == i }) {
			continue
		}
		sum := step.counts(nil)
		settled, _ := step.settled(&sum)
		if lost(&sum) > 0 && (float64(lost(&sum)) >= enough*float64(sum.Scheduled) ||
			float64(settled.Due-settled.Succeeded) >= enough*float64(max(1, settled.Due))) {
			return true
		}
	}
	return false
}
