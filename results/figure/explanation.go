package figure

import (
	"math"
	"slices"
)

// explain holds two explanations against each other: a limit, of which every second
// serves the same, and sporadic throttling, of which every second serves the same share
// of what it was asked. Where seconds ask for as much as one another both say the same;
// then what is served varies as chance would have it where each attempt is throttled by
// chance, and less where a limit hands out what it has. All of the evidence has to show
// that what is served rises; that it stays is for the seconds at the limit.
func (l *Ladder) explain(whole, evidence, core []second) {
	used := near(heavier(onTimeOf(core)))
	_, l.Low, l.High = rangeOf(used)
	l.Rate = medianServed(used)
	l.Used, l.OnTime = len(used), !slices.ContainsFunc(used, func(s second) bool { return s.late() })
	at := fitOf(used)
	if at.each > coarse*l.Rate {
		// Of so few requests a second the median is one of few numbers.
		l.Rate = meanServed(used)
	}
	spread := at.spread(len(used), l.Rate)
	wide := near(onTimeOf(core))
	across := fitOf(wide)
	varies := steady
	if !l.OnTime {
		varies = steadyLate
	}
	switch {
	case spread <= varies && at.flat*apart <= at.rising && at.tells(at.rising, len(used)):
		// Throttling by chance may come on top of a limit.
		l.Throttling = Limited
	case rises(near(onTimeOf(evidence))), rises(near(evidence)):
		// A late second is asked less, and has the same share of that turned away.
		l.Throttling = Sporadic
	case spread <= varies && (at.steadier(len(used)) ||
		2*at.flat <= at.chance && l.Rate > 0 && clean(whole, l.Rate, at.share)):
		l.Throttling = Limited
	case l.hasSeveralRates(wide) && across.spread(len(wide), meanServed(wide)) <= maxVariation && across.flat*apart <= across.rising && across.tells(across.rising, len(wide)):
		// The limit varies between seconds, and has the same mean at several rates.
		l.Throttling, l.Used = Limited, len(wide)
		l.Rate, l.Low, l.High = rangeOf(wide)
	case at.flat > apart*at.chance && at.rising > apart*at.chance:
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
	low = math.Inf(1)
	for _, s := range list {
		low, high = min(low, float64(s.Served)), max(high, float64(s.Served))
	}
	return meanServed(list), low, high
}

// hasSeveralRates reports whether there are enough seconds, the generator was on time in all of
// them, and their rates differ by a tenth or more.
func (l *Ladder) hasSeveralRates(list []second) bool {
	const wide = 1.1
	low, high := math.Inf(1), 0.0
	for _, s := range list {
		if s.late() {
			return false
		}
		if s.step < len(l.Steps) {
			rate := l.Steps[s.step].Phase.Rate
			low, high = min(low, rate), max(high, rate)
		}
	}
	return len(list) >= 2*FewestSeconds && high >= wide*low
}

// rises reports whether what seconds serve goes along with what they are asked.
func rises(list []second) bool {
	f := fitOf(list)
	return f.rising*apart <= f.flat && f.flat > f.chance
}

// clean reports whether seconds of less load had no such share of their attempts throttled,
// of enough attempts that sporadic throttling would have shown.
func clean(all []second, rate, share float64) bool {
	const below, some = 0.97, 15
	seconds, dirty, expected := 0, 0, 0.0
	for _, s := range all {
		if s.asked >= below*rate {
			continue
		}
		seconds++
		expected += s.judged * share
		if s.share >= share/apart {
			dirty++
		}
	}
	return expected >= some && apart*dirty <= seconds
}

// fit is how far seconds lie from each explanation, as sums of squares, and how far chance
// alone would have them lie from that of sporadic throttling.
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

// near returns the seconds without those that lie far from all others, such as one of an
// outage. Several that serve as large a part of what they are asked as the others do are
// none: they speak against a limit.
func near(used []second) []second {
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
	// As many deviations as leave out no more than chance does in a normal distribution.
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
	if len(alike) >= FewestSeconds {
		kept = append(kept, alike...)
	}
	if 10*len(kept) < 7*len(used) || len(kept) < FewestSeconds {
		return used
	}
	return kept
}

// tells reports whether so many seconds lie further from an explanation than a request or
// two each.
func (f *fit) tells(from float64, seconds int) bool {
	const some = 1.5
	return from > float64(seconds)*square(some*f.each)
}

// steadier reports whether seconds vary less than chance would have it in about one of a
// thousand runs: by the sum of their squares, below which the χ² of so many degrees of
// freedom k lies with a probability of at most (x/2)^(k/2) / Γ(k/2+1); or, where single
// requests count much, by their running sum, which a limit holds within a request or two
// and chance has wander by the root of their number. It does not where what is served goes along
// with what is asked by more than a request or two: a server that turns every tenth request away
// is steady, too.
func (f *fit) steadier(seconds int) bool {
	if 2*f.rising < f.flat && f.tells(f.flat, seconds) {
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
