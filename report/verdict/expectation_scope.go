package verdict

import (
	"loadgen/results"
	"loadgen/results/expectation"
)

// scope is what of a record a figure is of: some kinds of operation in some phases.
type scope struct {
	steps []Step
	// want chooses the kinds, nil all.
	want func(results.Kind) bool
	// everything says that no phase was named.
	everything bool
}

// scope returns what a figure is of, and false where the record has no such
// operation or phase. A name alone is an operation's before it is a phase's.
func (f *facts) scope(figure expectation.Figure) (scope, bool) {
	operation, phase := figure.Operation, figure.Phase
	if figure.Of != "" {
		operation = figure.Of
		if !f.operation(operation) {
			operation, phase = "", figure.Of
		}
	}
	of := scope{steps: reported(f.record), everything: phase == ""}
	if operation != "" {
		if !f.operation(operation) {
			return of, false
		}
		of.want = func(kind results.Kind) bool { return kind.Name == operation }
	}
	if phase != "" {
		of.steps = f.named(phase)
	}
	return of, of.everything || len(of.steps) > 0
}

// operation reports whether the load has a kind of operation of that name.
// Preparations, which are in no group, go by the phases that they make up.
func (f *facts) operation(name string) bool {
	for _, kind := range f.record.Manifest.Operations {
		if kind.Name == name && kind.Group != "" {
			return true
		}
	}
	return false
}

// named returns the phases of a name: those that are so called, or else the parts of
// the stretch of load that is, of which the reported ones where any are.
func (f *facts) named(name string) []Step {
	var called, parts, shown []Step
	for p := range f.record.Phases {
		step, some := stepOf(f.record, &f.record.Phases[p])
		switch {
		case !some:
		case step.Phase.Name == name:
			called = append(called, step)
		case step.Phase.Stage == name && step.Phase.Reported:
			shown = append(shown, step)
		case step.Phase.Stage == name:
			parts = append(parts, step)
		}
	}
	for _, list := range [][]Step{called, shown} {
		if len(list) > 0 {
			return list
		}
	}
	return parts
}

// sum returns the sum of what the scope holds.
func (s scope) sum() results.KindStats {
	var sum results.KindStats
	for _, step := range s.steps {
		one := step.Sum(s.want)
		sum.Add(&one)
	}
	return sum
}

// seconds is how long the phases of the scope lasted together.
func (s scope) seconds() float64 {
	seconds := 0.0
	for _, step := range s.steps {
		seconds += step.seconds()
	}
	return seconds
}

// load returns the load that rates are of, and the seconds that it took.
func (s scope) load() (results.Share, float64) {
	var all results.Share
	seconds := 0.0
	for _, step := range s.steps {
		sum := step.Sum(s.want)
		share, over := step.load(&sum)
		all.Offered += share.Offered
		all.Served += share.Served
		seconds += over
	}
	return all, seconds
}

// rate returns the entities offered or served per second.
func (s scope) rate(name string) (float64, bool) {
	load, seconds := s.load()
	if seconds <= 0 {
		return 0, false
	}
	if name == "offered" {
		return float64(load.Offered) / seconds, true
	}
	return float64(load.Served) / seconds, true
}

// lost returns the share of the load that was not served.
func (s scope) lost() (float64, bool) {
	load, _ := s.load()
	if share := lost(load); share != nil {
		return *share, true
	}
	return 0, false
}

// Reported returns every reported phase that the run came to, closed loops included, in
// the order of the record: those of the summary.
func Reported(record *results.Record) []Step { return reported(record) }

// Whole returns what the chosen kinds of operation came to in all reported phases
// together; nil chooses all. As in [Step.Figures], offered, served and the share lost of
// steps with a rate are of their last halves.
func Whole(record *results.Record, want func(results.Kind) bool) (results.PhaseOperationSummary, results.KindStats) {
	all := scope{steps: reported(record), want: want}
	sum := all.sum()
	load, over := all.load()
	figures := results.PhaseOperationSummary{ShareLost: lost(load),
		Response: results.QuantilesOf(sum.Response), Service: results.QuantilesOf(sum.Service[results.Ok])}
	if seconds := all.seconds(); seconds > 0 {
		figures.RefusedPerSecond = float64(sum.Refused) / seconds
	}
	if over > 0 {
		figures.Offered, figures.Served = float64(load.Offered)/over, float64(load.Served)/over
	}
	if each, told := ratio(sum.Attempts, sum.Operations); told {
		figures.AttemptsPerOperation = &each
	}
	return figures, sum
}
