package doctor

import (
	"strings"
	"time"

	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
)

// attempt is what is kept of one request.
type attempt struct {
	phase                int
	intended, sent, done time.Duration
	class                results.Class
	entities             int64
}

// gatherer keeps the attempts of one run, in the order of their ends. It is told by one
// goroutine. How many there are the budget bounds.
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

// stretch is the attempts of one phase.
type stretch struct {
	results.Phase
	attempts []attempt
}

// calibrated is what a run came to: the stretches of its phases, in their order.
type calibrated struct {
	stretches []stretch
}

// named returns the stretches whose names begin so.
func (m *calibrated) named(prefix string) []*stretch {
	var list []*stretch
	for i := range m.stretches {
		if strings.HasPrefix(m.stretches[i].Name, prefix) {
			list = append(list, &m.stretches[i])
		}
	}
	return list
}

// one returns the stretch of that name, an empty one where the run did not come to it.
func (m *calibrated) one(name string) *stretch {
	for _, s := range m.named(name) {
		return s
	}
	return new(stretch)
}

// times returns the latencies of attempts of a class, in seconds.
func (s *stretch) times(class results.Class) []float64 {
	var list []float64
	for i := range s.attempts {
		if s.attempts[i].class == class {
			list = append(list, (s.attempts[i].done - s.attempts[i].sent).Seconds())
		}
	}
	return list
}

// after returns the attempts that were due from some time into the stretch on.
func (s *stretch) after(from time.Duration) *stretch {
	part := &stretch{Phase: s.Phase}
	part.Begin += from
	for _, a := range s.attempts {
		if a.intended >= part.Begin {
			part.attempts = append(part.attempts, a)
		}
	}
	return part
}

// share returns which part of the attempts is of a class, 0 where there are none.
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

// slow reports whether the generator, or the service, fell behind: fewer were sent than were
// due, or they were sent late.
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
