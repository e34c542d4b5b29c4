package contest

import (
	"slices"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// Measure reads the figures that rank designs from the reported phases of a run's record, as the
// application counts. It changes neither the record nor the summary, which may be nil.
func Measure(record *results.Record, summary *results.Summary, needs figure.Needs) Trial {
	trial := Trial{Seed: record.Manifest.Seed, Validity: record.Validity}
	if summary != nil {
		trial.Validity = summary.Validity
		trial.Expected = slices.Clone(summary.Checks)
	}
	figures := figure.NewFigures(record)
	// The sustained rate and the times depend on every step.
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
	trial.Met = figures.ServedInTime(needs).Pointer()
	trial.Events, trial.Served = int64(value("sent")), int64(value("succeeded"))
	trial.Counted, trial.Billed = value("counted_per_success"), value("billed_per_success")
	trial.ThrottledRequests, trial.Stored = value("throttled_per_success"), value("stored_per_success")
	trial.Fairness, trial.ColdServed = figures.Named("fairness").Pointer(), figures.Named("share_served_cold").Pointer()
	trial.measureMoves(record)
	return trial
}

// micros returns a time in whole microseconds, nil if it has no value.
func micros(v figure.Value) *int64 {
	if !v.Known {
		return nil
	}
	return new(int64(v.Value / float64(time.Microsecond)))
}

const (
	// quietShare is the share of throttled attempts that counts as none. A load is served as
	// before once the share stays so low for quietSeconds.
	quietShare   = 0.01
	quietSeconds = 3
)

// measureMoves counts the moves of load balancing, and measures how long after each the load was
// served as before the overload.
func (t *Trial) measureMoves(record *results.Record) {
	from, to := measuredSpan(record)
	for i := range record.Events {
		e := &record.Events[i]
		at := time.Duration(e.At)
		if !e.Balanced() || at < from || at >= to {
			continue
		}
		t.Moves++
		begun := int64((at - max(0, e.Decision.Overloaded)) / time.Second)
		var throttled, attempts int64
		for k := range record.Intervals {
			if one := &record.Intervals[k]; one.Second >= begun-quietSeconds && one.Second < begun {
				throttled += one.Throttled
				attempts += one.Attempts
			}
		}
		after, found := quietSince(record.Intervals, int64(at/time.Second), int64(to/time.Second), max(quietShare, figure.ShareOf(throttled, attempts)))
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

// measuredSpan returns the begin of the first reported phase and the end of the last.
func measuredSpan(record *results.Record) (from, to time.Duration) {
	for i, step := range figure.Reported(record) {
		if i == 0 || step.Phase.Begin < from {
			from = step.Phase.Begin
		}
		to = max(to, step.End())
	}
	return from, to
}

// quietSince returns the first second between two that begins quietSeconds with at most the usual
// share throttled. A second in which operations were due and none ended is not quiet.
func quietSince(seconds []results.Interval, from, end int64, usual float64) (int64, bool) {
	length := int64(0)
	for i := range seconds {
		one := &seconds[i]
		if one.Second < from || one.Second >= end {
			continue
		}
		if i > 0 && one.Second != seconds[i-1].End() {
			length = 0
		}
		silent := one.Attempts == 0 && one.Scheduled > 0
		if silent || float64(one.Throttled) > usual*float64(one.Attempts) {
			length = 0
			continue
		}
		if length += one.Seconds(); length >= quietSeconds {
			return one.End() - length, true
		}
	}
	return 0, false
}
