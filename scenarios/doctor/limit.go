package doctor

import (
	"cmp"
	"math"
	"slices"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// inOrder returns the attempts in the order in which they were sent.
func (s *stretch) inOrder() []attempt {
	list := slices.Clone(s.attempts)
	slices.SortStableFunc(list, func(a, b attempt) int { return cmp.Compare(a.sent, b.sent) })
	return list
}

// plateau is what is served of an overload, in entities per second: what was admitted between
// the first and the last attempt that was throttled. A bucket that throttles is empty to less
// than one request, so that the two bounds differ by no more than one, and each may be off by
// what the instants of sending and of arriving differ by.
func (s *stretch) plateau() (estimate, bool) {
	list := s.inOrder()
	throttled := func(a attempt) bool { return a.class == results.Throttled }
	first := slices.IndexFunc(list, throttled)
	last := len(list) - 1
	for last > first && !throttled(list[last]) {
		last--
	}
	if first < 0 || last-first < least {
		return estimate{}, false
	}
	from, to := list[first].sent, list[last].sent
	lasts := (to - from).Seconds()
	var served, largest int64
	for _, a := range list[first:last] {
		if a.class == results.Ok {
			served, largest = served+a.entities, max(largest, a.entities)
		}
	}
	if lasts < 1 || served == 0 {
		return estimate{}, false
	}
	rate := float64(served) / lasts
	room := (float64(largest) + 1) / lasts
	// What is served by second, of whole seconds.
	counts := make([]float64, int(lasts))
	for _, a := range list {
		if at := int((a.sent - from).Seconds()); a.sent >= from && a.class == results.Ok && at < len(counts) {
			counts[at] += float64(a.entities)
		}
	}
	const alpha = 0.05
	if _, low, high, told := statistics.MeanInterval(counts, alpha); told {
		room = max(room, (high-low)/2)
	}
	return estimate{rate, rate - room, rate + room, int(served)}, true
}

// allowance returns the entities served above a limit between a burst's first attempt and its
// throttled ones: the saved-up allowance of an idle partition. It averages the throttled attempts
// until twice the time of the first one; later ones amplify an error of the limit.
func (s *stretch) allowance(limit float64) (float64, bool) {
	list := s.inOrder()
	if len(list) == 0 {
		return 0, false
	}
	begin := list[0].sent
	var until time.Duration
	var sum, served float64
	n := 0
	for _, a := range list {
		at := a.sent - begin
		switch {
		case n > 0 && at > until:
			return sum / float64(n), true
		case a.class == results.Ok:
			served += float64(a.entities)
		case a.class == results.Throttled:
			if n == 0 {
				until = 2*at + 20*time.Millisecond
			}
			sum, n = sum+served-limit*at.Seconds()+0.5, n+1
		}
	}
	return sum / max(1, float64(n)), n > 0
}

// settles reports whether the served rate settled: the last quarter is within 2% of the one before,
// or within the noise of throttling by share.
func (s *stretch) settles() bool {
	quarter := (s.End - s.Begin) / 4
	count := func(from, to time.Duration) float64 {
		n := 0.0
		for i := range s.attempts {
			if a := &s.attempts[i]; a.class == results.Ok && a.sent >= from && a.sent < to {
				n += float64(a.entities)
			}
		}
		return n
	}
	before, last := count(s.End-2*quarter, s.End-quarter), count(s.End-quarter, s.End)
	const some, deviations = 0.02, 3
	return math.Abs(before-last) <= max(some*last, deviations*math.Sqrt(2*last*s.share(results.Throttled)))
}

// A pause is a time without success despite attempts.
const (
	pauseLeast = time.Second
	pauseAsked = 10
)

// pauses returns the pauses of a phase and its failed attempts: the signs of a partition that
// moves.
func (s *stretch) pauses() (list []time.Duration, failed int) {
	asked, since := 0, s.Begin
	for _, a := range s.inOrder() {
		switch {
		case a.class == results.Ok:
			if lasted := a.sent - since; lasted >= pauseLeast && asked >= pauseAsked {
				list = append(list, lasted)
			}
			asked, since = 0, a.sent
			continue
		case a.class == results.Failed:
			failed++
		}
		asked++
	}
	return list, failed
}
