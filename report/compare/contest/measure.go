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
