package figure

import "loadgen/results"

// Shown returns the steps and the closed loops among them, in the order of the record. Of
// a run about load balancing, and of traffic that a server saw, there is another account.
func Shown(record *results.Record) []Step {
	if record.Capture != nil || Spreads(record) {
		return Steps(record)
	}
	return Reported(record)
}

// Step returns what the chosen kinds of operation came to in a step; nil chooses all.
func (f *Figures) Step(step Step, want func(results.Kind) bool) results.PhaseOperationSummary {
	return f.summary([]Step{step}, want)
}

// Whole returns what the chosen kinds of operation came to in all reported phases
// together; nil chooses all.
func (f *Figures) Whole(want func(results.Kind) bool) results.PhaseOperationSummary {
	return f.summary(f.reported, want)
}

func (f *Figures) summary(steps []Step, want func(results.Kind) bool) results.PhaseOperationSummary {
	take := func(name string) Value { return f.over(name, steps, own(name), want) }
	return results.PhaseOperationSummary{
		Offered: take("offered").Value, Served: take("served").Value, ThrottledPerSecond: take("throttled_per_second").Value,
		ShareLost: take("share_lost").Pointer(), ShareLostSettled: take("share_lost_settled").Pointer(),
		AttemptsPerOperation: take("tries").Pointer(),
		Response:             results.QuantilesOf((&Selection{of: f, steps: steps, want: want}).sum().Response),
		Service:              results.QuantilesOf((&Selection{of: f, steps: steps, want: want}).sum().Service[results.Ok]),
	}
}

// ThrottledShare returns the share of a step's attempts that were throttled, and false
// where it had none.
func (s Step) ThrottledShare() (float64, bool) {
	sum := s.counts(nil)
	v := ratio(sum.Throttled, sum.Attempts, "")
	return v.Value, v.Told
}

// What a rate has to keep within to be held.
const (
	// MostFirstThrottled is the share of first attempts that may be throttled in the last
	// half of a step.
	MostFirstThrottled = 0.005
	// mostLateSeconds is the share of the seconds of a step in which the generator may send
	// what is due so much later that the target met another load.
	mostLateSeconds = results.MostSecondsHeldBack
	// leastOver is by which part a rate has to lie beyond a target to be beyond it.
	leastOver = 0.002
)

// notSent is why a load that was not offered tells nothing.
const notSent = "the generator did not send the load in time"

// Holding is whether a step holds its rate.
type Holding struct {
	// Holds says that no more than 0.5 % of the first attempts of its last half were
	// throttled and that nothing of it was lost.
	Holds bool
	// Why says why it cannot be told, empty where it can.
	Why string
}

// Holds says whether a step holds its rate. What a generator sent too late, or not at all,
// is no load that was held; nor is one beyond the target of a model, which what an idle
// partition had saved up carried through a short step.
func (f *Figures) Holds(step Step) Holding {
	sum := step.counts(nil)
	settled, seconds := step.settled(&sum)
	throttled := settled.FirstThrottled
	switch {
	case seconds <= 0 || settled.Due == 0:
		return Holding{Why: "the run ended before the last half of the step"}
	case float64(throttled) > MostFirstThrottled*float64(settled.Sent), settled.Sent > settled.Succeeded:
		return Holding{}
	case sum.Dropped > 0 || f.heldBack(step):
		return Holding{Why: notSent}
	case f.borrowed(step, &settled, seconds):
		return Holding{Why: "it is at its limit, and what the partition had saved up while idle carried it"}
	}
	return Holding{Holds: true}
}

// NotSent reports whether that is why nothing can be told.
func (h Holding) NotSent() bool { return h.Why == notSent }

// heldBack reports whether the generator sent so late that the target met another load.
func (f *Figures) heldBack(step Step) bool {
	late, all := 0, 0
	for i := range f.record.Intervals {
		row := &f.record.Intervals[i]
		if !step.Within(row.Second) {
			continue
		}
		all++
		lag := row.Lag.P99
		if lag == nil {
			lag = row.Lag.Max
		}
		if lag != nil && *lag > results.HeldBackAfter.Microseconds() {
			late++
		}
	}
	return float64(late) > mostLateSeconds*float64(all)
}

// borrowed reports whether a step on a single partition was offered more than that may
// serve for ever.
func (f *Figures) borrowed(step Step, settled *results.Cohort, seconds float64) bool {
	m := &f.record.Manifest
	if m.PartitionKey == "" || m.Targets.Partition <= 0 || m.Genuine || m.Profile != "documented" && m.Modelled() {
		return false
	}
	offered := float64(settled.Offered) / seconds
	if !step.Phase.Varying {
		// What chance adds to a rate is none of it.
		offered = step.Phase.Rate * float64(settled.Offered) / float64(settled.Due)
	}
	return offered > (1+leastOver)*float64(m.Targets.Partition)
}

// OnTime reports whether the generator sent a step's load when it was due: no more than
// 1 % of it over 5 ms late, and all of it.
func (s Step) OnTime() bool {
	sum := s.counts(nil)
	return sum.Dropped == 0 && float64(sum.Late) <= results.MostLate*float64(sum.Sent)
}

// Late returns why the generator's lateness spoils a figure, empty where it does not. What
// was counted, and what the target turned away, is so whoever was late; response times,
// and what was offered and served a second, are those of a load that was offered in time.
// Late says of a step whether that was the generator's doing.
func (f *Figures) Late(ref Reference, late func(Step) bool) string {
	d, _ := Find(ref.Name)
	switch {
	case d.Times == "response", ref.Name == "offered", ref.Name == "served":
	default:
		return ""
	}
	s, why := f.selection(ref, d.Unit)
	if why != "" {
		return ""
	}
	for _, step := range s.steps {
		if late(step) {
			return "the generator was late in " + step.Phase.Name
		}
	}
	return ""
}
