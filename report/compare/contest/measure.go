package contest

import (
	"slices"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// Measure takes from a run's record what designs are ranked by: of its reported phases,
// as the application counts. It changes neither record nor summary, which may be nil
// where nobody judged the record.
func Measure(record *results.Record, summary *results.Summary, needs figure.Needs) Trial {
	trial := Trial{Seed: record.Manifest.Seed, Validity: record.Validity}
	if summary != nil {
		trial.Validity = summary.Validity
		trial.Expected = slices.Clone(summary.Checks)
	}
	figures := figure.Of(record)
	// What is sustained is served: one step that is late spoils it, and the times with it.
	trial.Late = figures.Late(figure.Reference{Name: "served"}, verdict.LateIn(record)) != ""
	for _, kind := range record.Manifest.Operations {
		this := func(other results.Kind) bool { return other.Name == kind.Name }
		if figures.OfKinds("scheduled", this).Value+figures.OfKinds("requests", this).Value == 0 {
			continue
		}
		trial.Operations = append(trial.Operations, OperationTrial{kind.Name, micros(figures.OfKinds("p50", this)), micros(figures.OfKinds("p99", this))})
	}
	value := func(name string) float64 { return figures.Named(name).Value }
	trial.Sustained, trial.Lost = figures.Sustained(needs).Value, value("share_lost")
	trial.Met = figures.Met(needs).Pointer()
	trial.Events, trial.Served = int64(value("sent")), int64(value("succeeded"))
	trial.Counted, trial.Billed = value("counted_per_success"), value("billed_per_success")
	trial.ThrottledRequests, trial.Stored = value("throttled_per_success"), value("stored_per_success")
	trial.Fairness, trial.ColdServed = figures.Named("fairness").Pointer(), figures.Named("share_served_cold").Pointer()
	trial.moved(record)
	return trial
}

// micros returns a time in whole microseconds, nil where it cannot be told.
func micros(v figure.Value) *int64 {
	if !v.Told {
		return nil
	}
	return new(int64(v.Value / float64(time.Microsecond)))
}

const (
	// quietShare is the share of throttled attempts that is none to speak of, quietFor for
	// how many seconds it has to last so that the load is served as before.
	quietShare = 0.01
	quietFor   = 3
)

// moved tells how long after load balancing moved something the load was served as it had
// been before the overload that it answered.
func (t *Trial) moved(record *results.Record) {
	from, to := measuredSpan(record)
	seconds := fates(record.Intervals)
	for i := range record.Events {
		e := &record.Events[i]
		at := time.Duration(e.At)
		if !e.Balanced() || at < from || at >= to {
			continue
		}
		t.Moves++
		begun := int64((at - max(0, e.Decision.Overloaded)) / time.Second)
		var throttled, attempts int64
		for k := range seconds {
			if one := &seconds[k]; one.Second >= begun-quietFor && one.Second < begun {
				throttled += one.Throttled
				attempts += one.Attempts
			}
		}
		usual := max(quietShare, figure.ShareOf(throttled, attempts))
		first := int64(at / time.Second)
		after, found := seconds.quiet(first, int64(to/time.Second), usual)
		if !found {
			t.Unrecovered++
			continue
		}
		lasted := max(0, (time.Duration(after)*time.Second - at).Seconds())
		if t.Recovery == nil || lasted > *t.Recovery {
			t.Recovery = &lasted
		}
	}
}

// measuredSpan is from the begin of the first reported phase to the end of the last.
func measuredSpan(record *results.Record) (from, to time.Duration) {
	found := false
	for p := range record.Phases {
		phase := &record.Phases[p]
		if !phase.Reported {
			continue
		}
		if !found || phase.Begin < from {
			from = phase.Begin
		}
		to, found = max(to, phase.End), true
	}
	return from, min(to, record.Duration)
}

// fates are the whole seconds of a run, in their order.
type fates []results.Interval

// quiet returns the first second, from one on, with which as many begin as have to be
// quiet, all before an end. A second in which operations were due and nothing ended is not.
func (f fates) quiet(from, end int64, usual float64) (int64, bool) {
	run := int64(0)
	for i := range f {
		one := &f[i]
		if one.Second < from || one.Second >= end {
			continue
		}
		if i > 0 && one.Second != f[i-1].End() {
			run = 0
		}
		silent := one.Attempts == 0 && one.Scheduled > 0
		if silent || float64(one.Throttled) > usual*float64(one.Attempts) {
			run = 0
			continue
		}
		if run += one.Seconds(); run >= quietFor {
			return one.End() - run, true
		}
	}
	return 0, false
}
