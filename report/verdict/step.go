package verdict

import (
	"slices"
	"time"

	"loadgen/results"
)

// Step is a reported phase as far as the run came: an interrupted run may have
// ended within it. It shares the record's memory.
type Step struct {
	Phase *results.Phase
	kinds []results.Kind
	// end is the phase's, or the run's where that came first.
	end time.Duration
}

// Steps returns the reported phases with an offered rate that the run came to,
// in the order of the record.
func Steps(record *results.Record) []Step {
	return slices.DeleteFunc(reported(record), Step.Closed)
}

// Shown returns the steps and the closed loops among them, in the order of the
// record. Of a run about load balancing, and of traffic that a server saw, there is
// another account.
func Shown(record *results.Record) []Step {
	if record.Capture != nil || spreads(record) {
		return Steps(record)
	}
	return reported(record)
}

// Closed reports whether the step is a closed loop, whose clients offer no more than
// is answered.
func (s Step) Closed() bool { return s.Phase.Rate <= 0 }

// reported returns every reported phase of some length, closed loops included.
func reported(record *results.Record) []Step {
	var steps []Step
	for p := range record.Phases {
		if step, some := stepOf(record, &record.Phases[p]); some && step.Phase.Reported {
			steps = append(steps, step)
		}
	}
	return steps
}

// stepOf returns a phase as far as the run came, and false where that is of no length.
func stepOf(record *results.Record, phase *results.Phase) (Step, bool) {
	step := Step{phase, record.Manifest.Operations, phase.End}
	if record.Duration > 0 {
		step.end = min(step.end, record.Duration)
	}
	return step, step.end > phase.Begin && step.end-phase.Begin > 0
}

// Settled reports whether the run came to what the rates of the step are of: to its last
// half, or to a closed loop at all. Where it did not, rates of nothing are not rates of 0.
func (s Step) Settled() bool { return s.Closed() || s.lastHalf() > 0 }

// seconds is how long the step lasted.
func (s Step) seconds() float64 { return (s.end - s.Phase.Begin).Seconds() }

// lastHalf is how much of the last half of the planned step the run came to, in
// seconds.
func (s Step) lastHalf() float64 {
	middle := s.Phase.Begin + (s.Phase.End-s.Phase.Begin)/2
	return max(0, (s.end - middle).Seconds())
}

// Sum returns the sum of the kinds of operation that want chooses; nil chooses
// all.
func (s Step) Sum(want func(results.Kind) bool) results.KindStats {
	var sum results.KindStats
	for k := range s.Phase.Kinds {
		if want == nil || want(s.kinds[k]) {
			sum.Add(&s.Phase.Kinds[k])
		}
	}
	return sum
}

// Figures returns what the chosen kinds of operation came to together; nil
// chooses all. Of a step with a rate, offered, served and the share lost are of
// the operations due in its last half, when the buckets have settled; of a
// closed loop they are of all.
func (s Step) Figures(want func(results.Kind) bool) results.PhaseOperationSummary {
	sum := s.Sum(want)
	load, over := s.load(&sum)
	figures := results.PhaseOperationSummary{
		RefusedPerSecond: float64(sum.Refused) / s.seconds(),
		ShareLost:        lost(load),
		Response:         results.QuantilesOf(sum.Response),
		Service:          results.QuantilesOf(sum.Service[results.Ok]),
	}
	if over > 0 {
		figures.Offered, figures.Served = float64(load.Offered)/over, float64(load.Served)/over
	}
	if sum.Operations > 0 {
		figures.AttemptsPerOperation = new(float64(sum.Attempts) / float64(sum.Operations))
	}
	return figures
}

// load returns the part of a sum of the step that its rates are of, and the seconds
// that it took.
func (s Step) load(sum *results.KindStats) (results.Share, float64) {
	if s.Phase.Rate <= 0 {
		return results.Share{Offered: sum.Offered, Served: sum.Served}, s.seconds()
	}
	return sum.LastHalf, s.lastHalf()
}

// lost returns the share of the offered entities that were not served, nil
// where none was offered. A query may be served more than it was sure to need,
// which is no loss.
func lost(load results.Share) *float64 {
	if load.Offered <= 0 {
		return nil
	}
	return new(max(0, float64(load.Offered-load.Served)/float64(load.Offered)))
}

// refusing reports whether enough of a step's attempts were refused to call it overloaded.
func (s Step) refusing() bool {
	share, _ := s.refusedShare()
	return share >= refusedEnough
}

// refusedShare returns the share of a step's attempts that were refused, and
// false where it had none.
func (s Step) refusedShare() (float64, bool) {
	var attempts, refused int64
	for k := range s.Phase.Kinds {
		attempts += s.Phase.Kinds[k].Attempts
		refused += s.Phase.Kinds[k].Refused
	}
	if attempts <= 0 {
		return 0, false
	}
	return float64(refused) / float64(attempts), true
}

// highest returns the step with the greatest rate, the last of equal ones, and
// false where there is none that came to its last half.
func highest(steps []Step) (Step, bool) {
	var top Step
	for _, step := range steps {
		if step.lastHalf() > 0 && (top.Phase == nil || step.Phase.Rate >= top.Phase.Rate) {
			top = step
		}
	}
	return top, top.Phase != nil
}
