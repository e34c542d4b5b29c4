package doctor

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// attempt is one request.
type attempt struct {
	phase                int
	intended, sent, done time.Duration
	class                results.Class
	entities             int64
}

// attemptOf returns what experiments use of an attempt.
func attemptOf(a *results.Attempt) attempt {
	return attempt{a.Phase, a.Intended, a.Sent, a.Done, a.Class, max(cmp.Or(a.Due, a.Entities), a.Counted)}
}

// byPhase returns attempts by the phases of their record, in the order in which they were sent.
func byPhase(record *results.Record, attempts []attempt) stretches {
	slices.SortStableFunc(attempts, func(a, b attempt) int { return cmp.Compare(a.sent, b.sent) })
	m := make(stretches, len(record.Phases))
	for i, phase := range record.Phases {
		m[i].Phase = phase
	}
	for _, a := range attempts {
		if a.phase < len(m) {
			m[a.phase].attempts = append(m[a.phase].attempts, a)
		}
	}
	return m
}

// stretch has the attempts of a phase.
type stretch struct {
	results.Phase
	attempts []attempt
}

// stretches are the phases of a run.
type stretches []stretch

// named returns the phases with a prefix.
func (m stretches) named(prefix string) []*stretch {
	var list []*stretch
	for i := range m {
		if strings.HasPrefix(m[i].Name, prefix) {
			list = append(list, &m[i])
		}
	}
	return list
}

// phase returns one, an empty one if the run did not reach it.
func (m stretches) phase(name string) *stretch {
	for _, s := range m.named(name) {
		return s
	}
	return new(stretch)
}

// ofClass yields the attempts of a class.
func (s *stretch) ofClass(class results.Class) iter.Seq[*attempt] {
	return func(yield func(*attempt) bool) {
		for i := range s.attempts {
			if s.attempts[i].class == class && !yield(&s.attempts[i]) {
				return
			}
		}
	}
}

// times returns the latencies of a class in seconds.
func (s *stretch) times(class results.Class) []float64 {
	var list []float64
	for a := range s.ofClass(class) {
		list = append(list, (a.done - a.sent).Seconds())
	}
	return list
}

// share returns the share of a class, 0 without attempts.
func (s *stretch) share(class results.Class) float64 {
	return float64(len(s.times(class))) / max(1, float64(len(s.attempts)))
}

// dueAfter returns the attempts due after a time in the phase.
func (s *stretch) dueAfter(from time.Duration) *stretch {
	part := &stretch{Phase: s.Phase}
	part.Begin += from
	for _, a := range s.attempts {
		if a.intended >= part.Begin {
			part.attempts = append(part.attempts, a)
		}
	}
	return part
}

// slow reports whether generator or service lagged: attempts are missing or late.
func (s *stretch) slow() bool {
	const punctual, late = 0.95, 200 * time.Millisecond
	due, sent := s.Rate*(s.End-s.Begin).Seconds(), 0
	for i := range s.attempts {
		if s.attempts[i].sent-s.attempts[i].intended <= late {
			sent++
		}
	}
	return float64(sent) < punctual*due
}

// plateau returns the served rate of an overload, in entities per second, between the first and the last throttled attempt. A bucket
// that throttles holds less than one request, so the count is exact to one request, and to the attempts under way at both ends.
func (s *stretch) plateau() (estimate, bool) {
	list := s.attempts
	throttled := func(a attempt) bool { return a.class == results.Throttled }
	first := slices.IndexFunc(list, throttled)
	last := len(list) - 1
	for last > first && !throttled(list[last]) {
		last--
	}
	if first < 0 || last-first < minSamples {
		return estimate{}, false
	}
	from, to := list[first].sent, list[last].sent
	lasts := (to - from).Seconds()
	if lasts < 1 {
		return estimate{}, false
	}
	var served, largest int64
	// The entities served in each whole second.
	counts := make([]float64, int(lasts))
	for _, a := range list[first:last] {
		if a.class != results.Ok {
			continue
		}
		served, largest = served+a.entities, max(largest, a.entities)
		if second := int((a.sent - from).Seconds()); second < len(counts) {
			counts[second] += float64(a.entities)
		}
	}
	if served == 0 {
		return estimate{}, false
	}
	rate := float64(served) / lasts
	room := (float64(largest) + 1) / lasts
	const alpha = 0.05
	if _, low, high, known := statistics.MeanInterval(counts, alpha); known {
		room = max(room, (high-low)/2)
	}
	return estimate{rate, rate - room, rate + room, int(served)}, true
}

// allowance returns the entities served above a limit between a burst's first attempt and its
// throttled ones: the saved-up allowance of an idle partition. It averages the throttled attempts
// until twice the time of the first one; later ones amplify an error of the limit.
func (s *stretch) allowance(limit float64) (float64, bool) {
	var begin, until time.Duration
	var sum, served float64
	n := 0
	for i, a := range s.attempts {
		if i == 0 {
			begin = a.sent
		}
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
	var before, last float64
	for a := range s.ofClass(results.Ok) {
		switch left := s.End - a.sent; {
		case left > 2*quarter || left <= 0:
		case left > quarter:
			before += float64(a.entities)
		default:
			last += float64(a.entities)
		}
	}
	const tolerance, deviations = 0.02, 3
	return math.Abs(before-last) <= max(tolerance*last, deviations*math.Sqrt(2*last*s.share(results.Throttled)))
}

// A pause is a time without success despite attempts.
const (
	minPause         = time.Second
	minPauseAttempts = 10
)

// pauses returns the pauses of a phase: the sign of a partition that moves.
func (s *stretch) pauses() (list []time.Duration) {
	attempts, since := 0, s.Begin
	for _, a := range s.attempts {
		if a.class != results.Ok {
			attempts++
			continue
		}
		if lasted := a.sent - since; lasted >= minPause && attempts >= minPauseAttempts {
			list = append(list, lasted)
		}
		attempts, since = 0, a.sent
	}
	return list
}
