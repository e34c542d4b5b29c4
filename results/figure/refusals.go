package figure

import (
	"math"
	"slices"
	"time"

	"loadgen/results"
)

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

// isRefused reports whether a step does not sustain its rate because of refusals, and why if
// that cannot be told. Refusals that are scattered by chance do not fail a rate as long as
// operations succeed as fast as they become due.
func (f *Figures) isRefused(step Step, sum *results.KindStats, l *Ladder, list []second) (refused bool, why string) {
	serverErrors := refusals(sum.Causes.Injected(results.Throttled), sum.Causes)
	share := max(ShareOf(sum.FirstThrottled, sum.Sent), ShareOf(sum.LastHalf.FirstThrottled, sum.LastHalf.Sent), ShareOf(serverErrors, sum.Attempts))
	if share <= results.MostFirstThrottled {
		return false, ""
	}
	const (
		maxShort, deviations, edges         = 0.02, 3, 2
		minShare                            = 0.25
		minSeconds, maxScatter, minExpected = 5, 0.25, 3
	)
	r := refusingOf(list)
	keepsPace := r.seconds > 0 && r.short <= max(maxShort*r.due, deviations*math.Sqrt(r.expected), edges)
	// At one rate the seconds into which the refusals fall must refuse a quarter of their attempts;
	// a varying rate may concentrate fewer.
	concentrated := (step.Phase.Varying || r.peakShare >= minShare) && r.scatter > 2+5*math.Sqrt(2/float64(max(1, r.seconds-1)))
	// A limit refuses nearly the same number each second at one rate.
	regular := r.seconds >= minSeconds && r.scatter < maxScatter && r.expected >= minExpected
	switch {
	case l == nil, concentrated, !keepsPace && !l.isSporadic(step):
		return true, ""
	case l.Throttling == Limited && l.offered(step) > l.Rate*(1-limitMargin), regular && !l.isSporadic(step):
		return l.Throttling == Limited && l.offered(step) > l.Rate*(1+limitMargin), atItsLimit
	}
	return false, ""
}

// isSporadic reports whether another step, at a rate that differs by a quarter or more, has
// about the same share of refusals: the share does not grow with the rate. Operations that then
// wait long before a retry are only late.
func (l *Ladder) isSporadic(step Step) bool {
	const apart, maxGrowth, maxDrop = 1.25, 1.5, 3
	share := step.refusedShare()
	for _, other := range l.Steps {
		low, high := share, other.refusedShare()
		if other.Phase.Rate < step.Phase.Rate {
			low, high = high, low
		}
		ratio := other.Phase.Rate / step.Phase.Rate
		if max(ratio, 1/ratio) >= apart && min(low, high) > results.MostFirstThrottled && high <= maxGrowth*low && low <= maxDrop*high {
			return true
		}
	}
	return false
}

// refusedShare returns the share of the attempts of a step that the target refused.
func (s Step) refusedShare() float64 {
	sum := s.counts(nil)
	return ShareOf(refusals(sum.Throttled, sum.Causes), sum.Attempts)
}

// limitMargin is the distance from a limit, as a share of it, within which a rate is at the
// limit.
const limitMargin = 0.02

// hasLimit reports whether Rate is a limit.
func (l *Ladder) hasLimit() bool {
	return l != nil && (l.Throttling == Limited || l.Throttling == Queued)
}

// offered returns the entities per second due in a step, of the kinds that the limit is of.
func (l *Ladder) offered(step Step) float64 {
	sum := step.counts(l.isLimitedKind)
	settled, seconds := step.settled(&sum)
	return float64(settled.Offered) / max(seconds, math.SmallestNonzeroFloat64)
}

// limitedKinds returns the kinds of operation that are refused most in the highest step, and
// those that are refused several times less. Both are nil if no kind is refused.
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
		case !known || highest < enough:
		case share >= highest/2:
			limited = append(limited, kind.Name)
		case share <= highest/apart:
			free = append(free, kind.Name)
		}
	}
	return limited, free
}

// isLimitedKind reports whether the limit is of a kind of operation.
func (l *Ladder) isLimitedKind(kind results.Kind) bool {
	return len(l.Kinds) == 0 || slices.Contains(l.Kinds, kind.Name)
}

// ofKinds returns the seconds with the counts of the limited kinds alone. Seconds do not record
// what was due by kind: its share is that of the step.
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
		if step.Within(s.Second) && (s.evidence() || s.Failed > 0 || s.Dropped > 0) {
			last = s.End()
		}
	}
	until = time.Duration(last)*time.Second - step.Phase.Begin
	length := step.End() - step.Phase.Begin
	return until, until > 0 && !grows && length-until >= max(length/4, FewestSeconds*time.Second)
}

// savedAllowance returns how many entities beyond a rate were served before the first refusals,
// and whether a bucket that fills at that rate explains all that was served after them.
func savedAllowance(run []second, rate float64) (saved float64, explains bool) {
	const tolerance = 0.2
	excess, tokens, refused := 0.0, 0.0, false
	for _, s := range run {
		switch more := float64(s.Served) - rate; {
		case s.evidence():
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
