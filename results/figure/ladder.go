package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// Ladder has the steps of one stretch of load, and the evidence of their seconds for a limit.
type Ladder struct {
	// Stage names the stretch.
	Stage string
	Steps []Step
	// holds are unreported phases that continue the last rate: as good evidence as its step.
	holds []Step
	// Throttling is the kind of throttling that the following fields describe.
	Throttling Throttling
	// Rate is the median of the entities served in the seconds that it rests on, Low
	// and High the least and the greatest: a limit only of a [Limited] load.
	Rate, Low, High float64
	// Seconds is the number of seconds of evidence, Used of those from which Rate is computed; OnTime reports that the
	// generator was on time in all of the latter.
	Seconds, Used int
	OnTime        bool
	// Share is the throttled share of the attempts of the ladder.
	Share float64
	// From and To are the first second of the run in which enough was throttled, and
	// the one behind the last.
	From, To int64
	// Kinds are the limited kinds of operation, Free the others; both are nil if the limit is of all kinds.
	Kinds, Free []string
	// Allowance is the number of entities that were served above Rate before the first
	// refusal; 0 if that is less than half a second's.
	Allowance float64
	// Slowing is how many seconds the response time grows by each second, in the last step
	// whose queue grows.
	Slowing float64
	// Concentration are the partitions that concentrated throttling meets, nil for others.
	Concentration *Concentration
	// queues has one entry for each of Steps and holds.
	queues []queueing
}

// Throttling is the kind of throttling of a stretch of load.
type Throttling string

// The kinds of throttling.
const (
	// Unthrottled is a load without a second with 1% of its attempts throttled.
	Unthrottled Throttling = "none"
	// Limited is a load that meets a limit: what is served does not depend on the demand.
	Limited Throttling = "limit"
	// Moving is throttling without a limit and without a constant share.
	Moving Throttling = "changing"
	// Sporadic throttling rejects a constant share of any load.
	Sporadic Throttling = "sporadic"
	// Brief throttling affects a few seconds among many with as much load.
	Brief Throttling = "brief"
	// Outage is a load that is throttled completely.
	Outage Throttling = "outage"
	// Carried is throttling at which nothing is lost: retries carry it.
	Carried Throttling = "carried by retries"
	// Undecided throttling may be a limit or sporadic: one rate cannot distinguish them.
	Undecided Throttling = "limit or sporadic"
	// Queued is a load that is not refused: operations wait longer and longer for the target.
	Queued Throttling = "queueing"
	// Bursts are throttling of a load that rises above a limit for a second at a time: each
	// spends what has been saved up before it, and shows no rate that lasts.
	Bursts Throttling = "bursts"
	// Concentrated throttling meets some partitions, while the others of the same seconds are served: the limit is
	// theirs and not that of the sum.
	Concentrated Throttling = "some partitions"
)

// MinSeconds is how many seconds of evidence a limit takes.
const MinSeconds = 3

const (
	// enough is the share of throttled attempts from which on a second is evidence, and
	// of lost operations from which on there is a limit.
	minShare = 0.01
	// steady is the maximum variation of a limit between seconds, as a share of it, steadyLate that for a late
	// generator, whose load comes in bursts that the limit does not see completely.
	steady, steadyLate = 0.05, 0.02
	// maxVariation is the maximum variation of a limit between seconds, as a share of it, if several rates show the
	// same limit.
	maxVariation = 0.15
	// coarse is the share of a limit above which a single request leaves few different counts
	// per second.
	coarse = 0.02
	// minFitRatio is the minimum ratio of the fits of two explanations if one is chosen.
	minFitRatio = 4
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
		l.holds = stepsOf(f.record, func(p *results.Phase) bool {
			return !p.Reported && p.Stage == l.Stage && p.Rate > 0 && p.Begin >= last.End
		})
		l.judge(f.run)
		if slices.Contains([]Throttling{Limited, Sporadic, Moving, Undecided}, l.Throttling) {
			if l.Concentration = concentrationOf(f.record.Heat, l); l.Concentration != nil {
				l.Throttling = Concentrated
			}
		}
	}
	return f.ladders
}

// seconds returns the whole seconds of the run with the queue in front of the target.
func (f *Figures) seconds() []second {
	const allCPU = 0.95
	list := make([]second, 0, len(f.record.Intervals))
	// The minimum of the median service times is that of the target without a queue.
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
		// The workers mostly wait for a slow target if none is free for half of the second, the service time is at
		// least twice the minimum, and the process does not use up its cores.
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

// seconds returns the whole seconds of the ladder from the second one of each step on: in the first one an idle
// partition spends its saved-up allowance. A step of a single second counts if it follows another.
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
	refused := slices.DeleteFunc(slices.Clone(l.Steps), func(step Step) bool { return step.refusedShare() <= results.MaxFirstThrottledShare })
	undecided := l.Throttling == Carried || l.Throttling == Undecided
	if undecided && len(refused) > 1 && !slices.ContainsFunc(refused, func(step Step) bool { return !l.isSporadic(step) }) {
		l.Throttling = Sporadic
	}
	if undecided = l.Throttling == Undecided && len(refused) > 1; (undecided || l.Throttling == Sporadic) && slices.ContainsFunc(refused, l.isCleanBelow) {
		l.Throttling = Moving
	}
	l.judgeQueues(all)
}

// Grows reports whether the queue in front of the target grows throughout a step.
func (f *Figures) Grows(step Step) bool {
	_, _, queue := f.ladderOf(step)
	return queue.grows()
}

// LadderOfSeconds classifies the throttling of single seconds in order without known steps, such as those of one partition of a
// server.
func LadderOfSeconds(seconds []results.Interval) Ladder {
	var l Ladder
	all := make([]second, len(seconds))
	for i := range seconds {
		all[i] = secondOf(&seconds[i], 0)
	}
	l.judgeRefusals(all, all)
	return l
}

// unitOf returns the length of the whole seconds, or minutes, of a run. Those of a phase that begins or ends within
// one are shorter.
func unitOf(run []second) int64 {
	unit := int64(1)
	for _, s := range run {
		unit = max(unit, s.Seconds())
	}
	return unit
}

// bySecond converts results per unit of time to results per second.
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
	evidence := filter(all, (*second).isEvidence)
	if l.Seconds = len(evidence); l.Seconds == 0 {
		return
	}
	l.From, l.To = evidence[0].Second, evidence[len(evidence)-1].End()
	core := atLimit(evidence)
	rate := medianServed(core)
	bursts := false
	if slices.ContainsFunc(core, func(s second) bool { return s.step < len(l.Steps) && l.Steps[s.step].Phase.Varying }) {
		fit := sustainedEvidence(all, evidence, rate)
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
	case len(core) < MinSeconds || 2*len(core) < reached:
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

// loses reports whether a step of the evidence lost enough operations. If retries succeed the target is busy but
// serves its demand, unless much less is served than becomes due so that retries only delay the loss. For
// seconds without steps the loss is the load due and not served.
func (l *Ladder) loses(core []second) bool {
	if len(l.Steps) == 0 {
		var due, served int64
		for _, s := range core {
			due, served = due+s.Offered, served+s.Served
		}
		if due > served && float64(due-served) >= minShare*float64(due) {
			return true
		}
	}
	for i, step := range l.Steps {
		if !slices.ContainsFunc(core, func(s second) bool { return s.step == i }) {
			continue
		}
		sum := step.counts(nil)
		settled, _ := step.settledCohort(&sum)
		if lostOperations(&sum) > 0 && (float64(lostOperations(&sum)) >= minShare*float64(sum.Scheduled) ||
			float64(settled.Scheduled-settled.Succeeded) >= minShare*float64(max(1, settled.Scheduled))) {
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

// saturation is known if exactly one limit was met.
func saturation(s *Selection) Value {
	if r := s.of.record; r.Capture != nil || r.Manifest.Spread != nil || Spreads(r) && r.Manifest.PartitionKey == "" {
		// What several partitions are served while load balancing works is no
		// saturation of anything.
		return unknownValue("load balancing changes what partitions are served")
	}
	// Two limits are the same within 2 %.
	const near = 1.02
	v := unknownValue("negligible throttling")
	for _, ladder := range s.of.Ladders() {
		if !slices.ContainsFunc(s.steps, func(step Step) bool { return step.Phase.Stage == ladder.Stage }) {
			continue
		}
		one := ladder.Saturation()
		switch {
		case !one.Known && !v.Known && ladder.Throttling != Unthrottled:
			v.Why = one.Why
		case one.Known && !v.Known:
			v = one
		case one.Known && max(v.Value, one.Value) > near*min(v.Value, one.Value):
			return unknownValue(fmt.Sprintf("limits of parts of the load differ, %.0f and %.0f entities/s", v.Value, one.Value))
		case one.Known && one.Count > v.Count:
			v = one
		}
	}
	return v
}

// Saturation returns the rate at which the stretch of load saturates, or why it is unknown.
func (l *Ladder) Saturation() Value {
	if l.hasLimit() {
		v := knownValue(l.Rate, int64(l.Used))
		v.Interval = &[2]float64{l.Low, l.High}
		return v
	}
	return unknownValue(cmp.Or(map[Throttling]string{
		Unthrottled:  "negligible throttling",
		Moving:       fmt.Sprintf("throttling changes: %.0f to %.0f entities/s served per second", l.Low, l.High),
		Sporadic:     "sporadic throttling: the same share of any load",
		Brief:        fmt.Sprintf("throttling in only %d s", l.Seconds),
		Outage:       "an outage: nothing was served while throttled",
		Carried:      "retries succeeded: under 1% was lost",
		Concentrated: "only some partitions were throttled",
	}[l.Throttling], "one rate cannot distinguish a limit from sporadic throttling"))
}

// explain compares two explanations: a limit, with which every second serves the same, and sporadic throttling, with
// which every second serves the same share of its demand. If all seconds have the same demand, the explanations
// agree; what is served then varies randomly if each attempt is throttled by chance, and less if a limit is used up.
// All of the evidence must show that the served load rises; only the seconds at the limit must show that it is
// constant.
func (l *Ladder) explain(whole, evidence, core []second) {
	used := withoutOutliers(heavierHalf(onTimeOf(core)))
	_, l.Low, l.High = rangeOf(used)
	l.Rate = medianServed(used)
	l.Used, l.OnTime = len(used), !slices.ContainsFunc(used, func(s second) bool { return s.isLate() })
	at := fitOf(used)
	if at.each > coarse*l.Rate {
		// Of so few requests a second the median is one of few numbers.
		l.Rate = meanServed(used)
	}
	spread := at.spread(len(used), l.Rate)
	wide := withoutOutliers(onTimeOf(core))
	across := fitOf(wide)
	varies := steady
	if !l.OnTime {
		varies = steadyLate
	}
	switch {
	case spread <= varies && at.flat*minFitRatio <= at.rising && at.differs(at.rising, len(used)):
		// Throttling by chance may come on top of a limit.
		l.Throttling = Limited
	case risesWithLoad(withoutOutliers(onTimeOf(evidence))), risesWithLoad(withoutOutliers(evidence)):
		// A late second has less demand, with the same rejected share.
		l.Throttling = Sporadic
	case spread <= varies && (at.isSteadier(len(used)) ||
		2*at.flat <= at.chance && l.Rate > 0 && areCleanBelow(whole, l.Rate, at.share)):
		l.Throttling = Limited
	case l.hasSeveralRates(wide) && across.spread(len(wide), meanServed(wide)) <= maxVariation &&
		across.flat*minFitRatio <= across.rising && across.differs(across.rising, len(wide)):
		// The limit varies between seconds, and has the same mean at several rates.
		l.Throttling, l.Used = Limited, len(wide)
		l.Rate, l.Low, l.High = rangeOf(wide)
	case at.flat > minFitRatio*at.chance && at.rising > minFitRatio*at.chance:
		l.Throttling = Moving
	default:
		l.Throttling = Undecided
	}
}

// spread returns the standard deviation of the seconds as a share of their rate.
func (f *fit) spread(seconds int, rate float64) float64 {
	return math.Sqrt(f.flat/float64(seconds)) / max(rate, f.each/steady)
}

// rangeOf returns the mean, the minimum and the maximum of the entities served in a second.
func rangeOf(list []second) (mean, low, high float64) {
	served := valuesOf(list, (*second).served)
	return statistics.Mean(served), slices.Min(served), slices.Max(served)
}

// hasSeveralRates reports whether there are enough seconds, the generator was on time in all of them, and their rates
// differ by a tenth or more.
func (l *Ladder) hasSeveralRates(list []second) bool {
	const wide = 1.1
	low, high := math.Inf(1), 0.0
	for _, s := range list {
		if s.isLate() {
			return false
		}
		if s.step < len(l.Steps) {
			rate := l.Steps[s.step].Phase.Rate
			low, high = min(low, rate), max(high, rate)
		}
	}
	return len(list) >= 2*MinSeconds && high >= wide*low
}

// rises reports whether what seconds serve grows with their demand.
func risesWithLoad(list []second) bool {
	f := fitOf(list)
	return f.rising*minFitRatio <= f.flat && f.flat > f.chance
}

// areCleanBelow reports whether seconds of less load had no such share of their attempts throttled,
// of enough attempts that sporadic throttling would have shown.
func areCleanBelow(all []second, rate, share float64) bool {
	const below = 0.97
	seconds, dirty, expected := 0, 0, 0.0
	for _, s := range all {
		if s.asked >= below*rate {
			continue
		}
		seconds++
		expected += s.judged * share
		if s.share >= share/minFitRatio {
			dirty++
		}
	}
	return expected >= minExpected && minFitRatio*dirty <= seconds
}

// fit has the deviations of seconds from each explanation, as sums of squares, and the expected random deviation from
// sporadic throttling.
type fit struct{ flat, rising, chance, share, wander, each float64 }

func fitOf(used []second) (f fit) {
	var served, judged, ok float64
	for _, s := range used {
		served, judged, ok = served+float64(s.Served), judged+s.judged, ok+float64(s.Ok)
	}
	share := 1 - ok/judged
	f.share = share
	sum, least, most := 0.0, 0.0, 0.0
	for _, s := range used {
		sum += float64(s.Served) - served/float64(len(used))
		least, most = min(least, sum), max(most, sum)
		f.flat += square(float64(s.Served) - served/float64(len(used)))
		f.rising += square(float64(s.Served) - s.judged*served/judged)
		f.chance += s.judged * share * (1 - share) * square(served/ok)
	}
	f.wander, f.each = most-least, served/ok
	return f
}

func square(x float64) float64 { return x * x }

// withoutOutliers returns the seconds without those far from all others, such as one of an outage. Several that serve
// as large a share of their demand as the others are no outliers: they are evidence against a limit.
func withoutOutliers(used []second) []second {
	rate := medianServed(used)
	away, parts := make([]float64, len(used)), make([]float64, len(used))
	var served, ok int64
	for i, s := range used {
		away[i], parts[i] = math.Abs(float64(s.Served)-rate), float64(s.Served)/max(1, s.judged)
		served, ok = served+s.Served, ok+s.Ok
	}
	slices.Sort(away)
	slices.Sort(parts)
	part := parts[len(parts)/2]
	// With a normal distribution, this number of deviations leaves out hardly any value.
	const most = 4 * 1.4826
	bound := most * max(away[len(away)/2], float64(served)/float64(max(1, ok)))
	var kept, alike []second
	for _, s := range used {
		switch {
		case math.Abs(float64(s.Served)-rate) <= bound:
			kept = append(kept, s)
		case math.Abs(float64(s.Served)-part*s.judged) <= bound:
			alike = append(alike, s)
		}
	}
	if len(alike) >= MinSeconds {
		kept = append(kept, alike...)
	}
	if 10*len(kept) < 7*len(used) || len(kept) < MinSeconds {
		return used
	}
	return kept
}

// differs reports whether seconds deviate from an explanation by more than a request or two each.
func (f *fit) differs(from float64, seconds int) bool {
	const some = 1.5
	return from > float64(seconds)*square(some*f.each)
}

// isSteadier reports whether seconds vary less than they would by chance in about one of a thousand runs: by the sum
// of their squares, below which the χ² with k degrees of freedom lies with a probability of at most (x/2)^(k/2) /
// Γ(k/2+1); or, if single requests matter, by their running sum, which a limit keeps within a request or two and
// chance lets grow with the root of their number. It returns false if the served load follows the asked load by more
// than a request or two: a server that rejects every tenth request is steady, too.
func (f *fit) isSteadier(seconds int) bool {
	if 2*f.rising < f.flat && f.differs(f.flat, seconds) {
		return false
	}
	const rare, many, within = 0.001, 9, 0.3
	freedom := float64(seconds - 1)
	gamma, _ := math.Lgamma(freedom/2 + 1)
	least := 2 * math.Exp(2/freedom*(math.Log(rare)+gamma))
	if f.flat*float64(seconds) <= least*f.chance {
		return true
	}
	return seconds >= many && f.wander <= within*math.Sqrt(f.chance)
}

// refusing describes the refusals in the whole seconds of one step.
type refusing struct {
	seconds int
	// scatter is the variance of the refusals between seconds as a multiple of the variance by
	// chance, expected their mean number in a second, peakShare the largest share of a second's
	// attempts.
	scatter, expected, peakShare float64
	// due is the number of operations that became due in the last half, short how many fewer
	// succeeded in it.
	due, short float64
}

func refusingOf(list []second) refusing {
	r := refusing{seconds: len(list)}
	refused, judged := 0.0, 0.0
	for i, s := range list {
		r.peakShare = max(r.peakShare, s.share)
		refused, judged = refused+float64(s.throttled), judged+s.judged
		if i >= len(list)/2 {
			r.due += float64(s.Scheduled)
			r.short += float64(s.Scheduled - s.Succeeded)
		}
	}
	share := refused / max(1, judged)
	if len(list) < 2 || share <= 0 || share >= 1 {
		return r
	}
	r.expected = refused / float64(len(list))
	for _, s := range list {
		if s.judged > 0 {
			r.scatter += square(float64(s.throttled)-s.judged*share) / (s.judged * share * (1 - share)) / float64(len(list)-1)
		}
	}
	return r
}

// isRefused reports whether a step does not sustain its rate because of refusals, and why if that is unknown. Random
// refusals do not fail a rate as long as operations succeed as fast as they become due.
func (f *Figures) isRefused(step Step, sum *results.KindStats, l *Ladder, list []second) (refused bool, why string) {
	serverErrors := refusals(sum.Causes.Injected(results.Throttled), sum.Causes)
	share := max(ShareOf(sum.FirstThrottled, sum.Sent), ShareOf(sum.LastHalf.FirstThrottled, sum.LastHalf.Sent), ShareOf(serverErrors, sum.Attempts))
	if share <= results.MaxFirstThrottledShare {
		return false, ""
	}
	const (
		deviations, edges                  = 3, 2
		minShare                           = 0.25
		minSeconds, maxScatter, minRegular = 5, 0.25, 3
	)
	// What one of many partitions loses is a small part of the sum.
	inPart, maxShort := l != nil && l.Throttling == Concentrated, 0.02
	if inPart {
		maxShort = results.MaxFirstThrottledShare
	}
	r := refusingOf(list)
	keepsPace := r.seconds > 0 && r.short <= max(maxShort*r.due, deviations*math.Sqrt(r.expected), edges)
	// At one rate the seconds into which the refusals fall must refuse a quarter of their attempts;
	// a varying rate may concentrate fewer.
	concentrated := (step.Phase.Varying || r.peakShare >= minShare) && r.scatter > 2+5*math.Sqrt(2/float64(max(1, r.seconds-1)))
	// A limit refuses nearly the same number each second at one rate.
	regular := r.seconds >= minSeconds && r.scatter < maxScatter && r.expected >= minRegular
	switch {
	case l == nil, concentrated, !keepsPace && (inPart || !l.isSporadic(step)):
		return true, ""
	case l.Throttling == Limited && l.offered(step) > l.Rate*(1-limitMargin), regular && !l.isSporadic(step):
		return l.Throttling == Limited && l.offered(step) > l.Rate*(1+limitMargin), atItsLimit
	}
	return false, ""
}

// isSporadic reports whether another step, at a rate that differs by a quarter or more, has
// about the same share of refusals, and no step of a lower rate is without: the share does not
// grow with the rate. Operations that then wait long before a retry are only late.
func (l *Ladder) isSporadic(step Step) bool {
	const apart, maxGrowth, maxDrop = 1.25, 1.5, 3
	isAlike := func(other Step) bool {
		lower, higher := step, other
		if other.Phase.Rate < step.Phase.Rate {
			lower, higher = other, step
		}
		low, high, ratio := lower.refusedShare(), higher.refusedShare(), higher.Phase.Rate/lower.Phase.Rate
		return ratio >= apart && min(low, high) > results.MaxFirstThrottledShare && high <= maxGrowth*low && low <= maxDrop*high &&
			servesAlike(lower, higher, math.Sqrt(ratio))
	}
	return slices.ContainsFunc(l.Steps, isAlike) && !l.isCleanBelow(step)
}

// servesAlike reports whether two steps serve about the same share of their attempts, of enough successes. Far above
// a limit nearly all attempts are refused at every rate, but the served share falls as the rate grows.
func servesAlike(lower, higher Step, maxRatio float64) bool {
	low, high := lower.counts(nil), higher.counts(nil)
	return min(low.Ok, high.Ok) >= minExpected && ShareOf(low.Ok, low.Attempts) <= maxRatio*ShareOf(high.Ok, high.Attempts)
}

// isCleanBelow reports whether a step of a lower rate has no such share of refusals, of enough attempts that sporadic
// throttling would have shown.
func (l *Ladder) isCleanBelow(step Step) bool {
	share := step.refusedShare()
	return slices.ContainsFunc(l.Steps, func(other Step) bool {
		return other.Phase.Rate < step.Phase.Rate && float64(other.counts(nil).Attempts)*share >= minExpected && other.refusedShare()*minFitRatio < share
	})
}

// RefusesEveryRate reports whether the ladder has several rates, and the target refuses a share of each.
func (l *Ladder) RefusesEveryRate() bool {
	return len(l.Steps) > 1 && !slices.ContainsFunc(l.Steps, func(step Step) bool { return step.refusedShare() <= results.MaxFirstThrottledShare })
}

// minExpected is the minimum number of expected refusals whose absence is significant.
const minExpected = 15

// refusedShare returns the share of the attempts of a step that the target refused.
func (s Step) refusedShare() float64 {
	sum := s.counts(nil)
	return ShareOf(refusals(sum.Throttled, sum.Causes), sum.Attempts)
}

// limitMargin is the distance from a limit, as a share of it, within which a rate is at the limit.
const limitMargin = 0.02

// hasLimit reports whether Rate is a limit.
func (l *Ladder) hasLimit() bool {
	return l != nil && (l.Throttling == Limited || l.Throttling == Queued)
}

// offered returns the entities per second due in a step, of the kinds that the limit is of.
func (l *Ladder) offered(step Step) float64 {
	sum := step.counts(l.isLimitedKind)
	settled, seconds := step.settledCohort(&sum)
	return float64(settled.Offered) / max(seconds, math.SmallestNonzeroFloat64)
}

// limitedKinds returns the kinds of operation that are refused most in the highest step, and those that are refused
// several times less. Both are nil if no kind is refused.
func (l *Ladder) limitedKinds() (limited, free []string) {
	const minAttempts = 50
	top, any := Highest(l.Steps)
	if !any {
		return nil, nil
	}
	shares, highest := make(map[string]float64), 0.0
	for k := range min(len(top.kinds), len(top.Phase.Kinds)) {
		if one := &top.Phase.Kinds[k]; one.Attempts >= minAttempts {
			share := ShareOf(refusals(one.Throttled, one.Causes), one.Attempts)
			shares[top.kinds[k].Name] = share
			highest = max(highest, share)
		}
	}
	for _, kind := range top.kinds {
		switch share, known := shares[kind.Name]; {
		case !known || highest < minShare:
		case share >= highest/2:
			limited = append(limited, kind.Name)
		case share <= highest/minFitRatio:
			free = append(free, kind.Name)
		}
	}
	return limited, free
}

// isLimitedKind reports whether the limit is of a kind of operation.
func (l *Ladder) isLimitedKind(kind results.Kind) bool {
	return len(l.Kinds) == 0 || slices.Contains(l.Kinds, kind.Name)
}

// ofKinds returns the seconds with the counts of the limited kinds alone. Seconds do not record due operations by
// kind, which are estimated by the step.
func (l *Ladder) ofKinds(all []second) []second {
	steps, list := slices.Concat(l.Steps, l.holds), make([]second, len(all))
	for i, s := range all {
		row := &results.Interval{Second: s.Second, Sum: s.Sum}
		for _, kind := range s.Kinds {
			if slices.Contains(l.Kinds, kind.Name) {
				row.Counts.Add(&kind.Counts)
			}
		}
		row.Scheduled, row.Sent, row.Late = s.Scheduled, s.Sent, s.Late
		part, whole := steps[s.step].counts(l.isLimitedKind), steps[s.step].counts(nil)
		row.Offered = int64(float64(s.Offered) * ShareOf(part.Offered, whole.Offered))
		list[i] = secondOf(row, s.step)
	}
	return list
}

// Trouble returns how long after its start a step stopped refusing, failing and dropping
// operations, and whether it then sustained its rate for at least a quarter of its length and
// 3 s.
func (f *Figures) Trouble(step Step) (until time.Duration, recovered bool) {
	grows, last := f.Grows(step), int64(-1)
	for _, s := range f.run {
		if step.Contains(s.Second) && (s.isEvidence() || s.Failed > 0 || s.Dropped > 0) {
			last = s.End()
		}
	}
	until = time.Duration(last)*time.Second - step.Phase.Begin
	length := step.End() - step.Phase.Begin
	return until, until > 0 && !grows && length-until >= max(length/4, MinSeconds*time.Second)
}

// savedAllowance returns how many entities above a rate were served before the first refusals,
// and whether a bucket that fills at that rate explains all that was served after them.
func savedAllowance(run []second, rate float64) (saved float64, explains bool) {
	const tolerance = 0.2
	excess, tokens, refused := 0.0, 0.0, false
	for _, s := range run {
		switch more := float64(s.Served) - rate; {
		case s.isEvidence():
			tokens, refused = 0, true
		case refused:
			if tokens -= more; tokens < -tolerance*rate {
				return 0, false
			}
		default:
			excess = max(0, excess+more)
			saved = max(saved, excess)
		}
	}
	return saved, refused
}
