package contest

import (
	"cmp"
	"math"
	"strings"

	"loadgen/report/compare/statistics"
)

// standing is where a design stands, by its own runs alone: whatever other designs there
// are, two of them come in the same order.
//
// By checks first: who holds more, then who fails fewer. Then by each figure in steps, so
// that what differs by chance leaves the word to the next; and at last by the figures
// themselves.
type standing struct {
	held, failed int
	// serves says that nothing that was asked is left unserved but a trace: it cannot
	// sustain more, and who does by chance is no better.
	serves bool
	steps  []float64
	exact  []float64
	name   string
}

// stand returns where a design stands by some trials.
func stand(name string, trials []Trial, figures []criterion) standing {
	s := standing{name: name, serves: len(trials) > 0}
	s.held, s.failed = counted(expected(trials))
	for i := range trials {
		met := trials[i].Met
		s.serves = s.serves && met != nil && *met >= servesAll
	}
	for f := range figures {
		// The middle over the runs, turned so that less is better: the logarithm of the geometric
		// mean, which is what is tested, the mean of a share. A figure that is not told is worst.
		one := &figures[f]
		values := figureOfAll(trials, one.of)
		centre, step := math.Inf(1), math.Log1p(one.coarse)
		switch {
		case len(values) == 0:
		case one.absolute:
			centre, step = statistics.Mean(values), one.coarse
		case positive(values):
			centre = statistics.Mean(logarithms(values))
		default:
			centre = math.Log(statistics.Mean(values))
		}
		if one.higher && len(values) > 0 {
			centre = -centre
		}
		// A common value, such as one entity for an event, or nothing lost, lies in the middle of a step.
		s.exact, s.steps = append(s.exact, centre), append(s.steps, math.Round(centre/step))
	}
	if s.serves {
		s.steps[bySustained] = math.Inf(-1)
	}
	return s
}

// servesAll is the share of each operation from which on a design serves what is asked.
const servesAll = 0.99

// compareChecks is negative where a comes first by its checks.
func compareChecks(a, b *standing) int {
	return cmp.Or(cmp.Compare(b.held, a.held), cmp.Compare(a.failed, b.failed))
}

// compare is negative where a comes first.
func compare(a, b *standing) int {
	if by := compareChecks(a, b); by != 0 {
		return by
	}
	for f := range a.steps {
		if by := cmp.Compare(a.steps[f], b.steps[f]); by != 0 {
			return by
		}
	}
	for f := range a.exact {
		if by := cmp.Compare(a.exact[f], b.exact[f]); by != 0 {
			return by
		}
	}
	return strings.Compare(a.name, b.name)
}
