package doctor

import (
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

type stretch struct {
	results.Phase
	attempts []attempt
}

// calibrated has the attempts of a run by phase.
type calibrated struct {
	stretches []stretch
}

// named returns the phases with a prefix.
func (m *calibrated) named(prefix string) []*stretch {
	var list []*stretch
	for i := range m.stretches {
		if strings.HasPrefix(m.stretches[i].Name, prefix) {
			list = append(list, &m.stretches[i])
		}
	}
	return list
}

// phase returns one, an empty one if the run did not reach it.
func (m *calibrated) phase(name string) *stretch {
	for _, s := range m.named(name) {
		return s
	}
	return new(stretch)
}

// times returns the latencies of a class in seconds.
func (s *stretch) times(class results.Class) []float64 {
	var list []float64
	for i := range s.attempts {
		if s.attempts[i].class == class {
			list = append(list, (s.attempts[i].done - s.attempts[i].sent).Seconds())
		}
	}
	return list
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

// share returns the share of a class, 0 without attempts.
func (s *stretch) share(class results.Class) float64 {
	if len(s.attempts) == 0 {
		return 0
	}
	n := 0
	for i := range s.attempts {
		if s.attempts[i].class == class {
			n++
		}
	}
	return float64(n) / float64(len(s.attempts))
}

// slow reports whether generator or service lagged: attempts are missing or late.
func (s *stretch) slow() bool {
	const some, late = 0.95, 200 * time.Millisecond
	due := s.Rate * (s.End - s.Begin).Seconds()
	tardy := 0
	for i := range s.attempts {
		if s.attempts[i].sent-s.attempts[i].intended > late {
			tardy++
		}
	}
	return float64(len(s.attempts)-tardy) < some*due
}
