package figure

import (
	"math"
	"time"
)

// refusing is what the refusals of one step are like: those of the whole step, as far as its
// whole seconds show them.
type refusing struct {
	// scatter is how far they vary from second to second, as a multiple of what chance would
	// have it; expected is how many there are in a second on the average.
	scatter, expected float64
	// most is the greatest share of the attempts of a second.
	most    float64
	seconds int
	// due became due in the last half, of which short are not answered with success there.
	due, short float64
}

func refusingOf(list []second) refusing {
	r := refusing{seconds: len(list)}
	refused, judged := 0.0, 0.0
	for i, s := range list {
		r.most = max(r.most, s.share)
		refused, judged = refused+float64(s.throttled), judged+s.judged
		if i >= len(list)/2 {
			r.due += float64(s.Scheduled)
			r.short += float64(s.Scheduled - s.Succeeded)
		}
	}
	if share := refused / max(1, judged); len(list) > 1 && share > 0 && share < 1 {
		r.expected = refused / float64(len(list))
		for _, s := range list {
			if s.judged > 0 {
				r.scatter += square(float64(s.throttled)-s.judged*share) / (s.judged * share * (1 - share)) / float64(len(list)-1)
			}
		}
	}
	return r
}

// keepsPace reports whether what becomes due is answered as fast: a share of refusals whose
// retries succeed takes nothing from what is served.
func (r *refusing) keepsPace() bool {
	const most, some = 0.02, 3
	return r.seconds > 0 && r.short <= max(most*r.due, some*math.Sqrt(r.expected), 2)
}

// concentrated reports whether the refusals are those of some seconds: under a load that rises
// and falls those of the most load.
func (r *refusing) concentrated(varying bool) bool {
	const most = 0.25
	return (varying || r.most >= most) && r.scatter > 2+5*math.Sqrt(2/float64(max(1, r.seconds-1)))
}

// regular reports whether as much is refused in each second, as a limit does at one rate.
func (r *refusing) regular() bool {
	const few, alike, least = 5, 0.25, 3
	return r.seconds >= few && r.scatter < alike && r.expected >= least
}

// alike reports whether about as large a share of first attempts is refused at another rate of
// the ladder, of two at least a quarter apart: the share does not grow with the rate. Long waits
// before retries then leave operations for later, and take nothing from what is served.
func (l *Ladder) alike(step Step) bool {
	const apart, grown = 1.25, 1.5
	share := step.refusedShare()
	for _, other := range l.Steps {
		low, high := share, other.refusedShare()
		if other.Phase.Rate < step.Phase.Rate {
			low, high = high, low
		}
		rates := other.Phase.Rate / step.Phase.Rate
		if max(rates, 1/rates) >= apart && min(low, high) > MostFirstThrottled && high <= grown*low && low <= 2*grown*high {
			return true
		}
	}
	return false
}

// refusedShare is the share of the attempts of a step that the target refused.
func (s Step) refusedShare() float64 {
	sum := s.counts(nil)
	return ShareOf(refusals(sum.Throttled, sum.Causes), sum.Attempts)
}

// Trouble returns until when a step was not sustained, from its begin on, where it is
// sustained from then on for a quarter of it and 3 s or more; false where it is not.
func (f *Figures) Trouble(step Step) (until time.Duration, clean bool) {
	last, first, grows := int64(-1), int64(step.Phase.Begin/time.Second), f.Grows(step)
	for _, s := range f.run {
		if step.Within(s.Second) && (s.evidence() || s.Failed > 0 || s.Dropped > 0) {
			last = s.Second + 1
		}
	}
	until = time.Duration(last)*time.Second - step.Phase.Begin
	whole := step.End() - step.Phase.Begin
	return until, last > first && !grows && whole-until >= max(whole/4, FewestSeconds*time.Second)
}
