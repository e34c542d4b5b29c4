package figure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/results/figure"
)

func TestInterruptedStepIsJudgedAsFarAsItWent(t *testing.T) {
	// The last half of the step begins at 6 s; the run ends at 8 s.
	phase := results.Phase{Name: "step", Begin: 2 * time.Second, End: 10 * time.Second, Rate: 100, Reported: true,
		Kinds: []results.KindStats{{Counts: results.Counts{Offered: 600, Served: 500, Throttled: 60, Attempts: 600, Operations: 300,
			Scheduled: 300, Succeeded: 240},
			LastHalf: results.Cohort{Counts: results.Counts{Scheduled: 100, Succeeded: 90, Offered: 200, Served: 150}}}}}
	record := &results.Record{Validity: results.Partial, Duration: 8 * time.Second, Phases: []results.Phase{phase},
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "get"}}}}
	f := figure.Of(record).Step(figure.Steps(record)[0], nil)
	assert.Equal(t, [6]float64{100, 75, 10, .2, .1, 2}, [6]float64{f.Offered, f.Served, f.ThrottledPerSecond, *f.ShareLost, *f.ShareLostSettled,
		*f.AttemptsPerOperation}, "offered, served, throttled, lost, lost of the settled, attempts")
	record.Duration, record.Phases[0].Kinds[0].LastHalf = 5*time.Second, results.Cohort{}
	f = figure.Of(record).Step(figure.Steps(record)[0], nil)
	assert.Truef(t, f.Offered == 0 && f.ShareLostSettled == nil && f.ThrottledPerSecond == 20,
		"Figures before the last half = %+v; want no load of it, throttled 20", f)
	record.Duration = 2 * time.Second
	assert.Len(t, figure.Steps(record), 0, "Steps = of a run that ended before its step")
}

func TestClosedLoopIsSummarisedAsAWhole(t *testing.T) {
	record := &results.Record{Validity: results.Valid, Duration: 10 * time.Second,
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "query"}}},
		Phases: []results.Phase{{Name: "scan", End: 10 * time.Second, Reported: true, Kinds: []results.KindStats{
			{Counts: results.Counts{Scheduled: 100, Succeeded: 100, Offered: 100, Served: 5000}, LastHalf: results.Cohort{Counts: results.Counts{Scheduled: 1, Offered: 1}}}}}}}
	got := figure.Of(record).Step(figure.Reported(record)[0], nil)
	assert.Truef(t, got.Offered == 10 && got.Served == 500 && got.ShareLost != nil && *got.ShareLost == 0,
		"the step is %+v; want offered 10, served 500, nothing lost", got)
	assert.Len(t, figure.Steps(record), 0, "Steps")
}
