package doctor

import (
	"iter"
	"strings"
	"time"

	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
)

// attempt is one request.
type attempt struct {
	phase                int
	intended, sent, done time.Duration
	class                results.Class
	entities             int64
}

// gatherer collects the attempts of one run in order of completion, as many as the budget allows.
// It belongs to one goroutine.
type gatherer struct {
	attempts       []attempt
	sent, received int64
}

var (
	_ drive.Observer = (*gatherer)(nil)
	_ run.Progress   = (*gatherer)(nil)
)

// Attempt implements [drive.Observer].
func (g *gatherer) Attempt(a *results.Attempt) {
	entities := a.Due
	if entities == 0 {
		entities = a.Entities
	}
	g.attempts = append(g.attempts, attempt{a.Phase, a.Intended, a.Sent, a.Done, a.Class, max(entities, a.Counted)})
	g.sent, g.received = g.sent+a.BytesOut, g.received+a.BytesIn
}

// Completed implements [drive.Observer].
func (g *gatherer) Completed(*results.Completed) {}

// Begins implements [run.Progress].
func (g *gatherer) Begins(run.Begun) []drive.Observer { return []drive.Observer{g} }

// Enters implements [run.Progress].
func (g *gatherer) Enters(campaign.Progress) {}

// Ends implements [run.Progress].
func (g *gatherer) Ends(error) {}

// byPhase returns the attempts by the phases of their record.
func (g *gatherer) byPhase(record *results.Record) stretches {
	var m stretches
	for _, phase := range record.Phases {
		m = append(m, stretch{Phase: phase})
	}
	for _, a := range g.attempts {
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
