package verdict

import (
	"fmt"
	"slices"
	"strconv"

	"loadgen/results"
)

// What a peak must keep below to be held.
const (
	mostRefused = 0.01
	mostLost    = 0.001
)

// notMeasured is what is observed of a step that the run did not come to.
const notMeasured = "not measured"

// Holds returns whether everything that was asked of a run came true; nothing
// asked is held.
func Holds(summary *results.Summary) bool { return allPass(summary.Expectations) }

func allPass(list []results.Expectation) bool {
	return !slices.ContainsFunc(list, func(e results.Expectation) bool { return !e.Pass })
}

// expectations judges everything that was asked: of the peak first, then what the
// scenario claims.
func expectations(record *results.Record, summary *results.Summary, steps []Step) []results.Expectation {
	list := []results.Expectation{}
	list = append(list, ofPeak(record, summary, steps)...)
	return append(list, claims(record, summary)...)
}

// ofPeak judges the peak that was asked for on the step of its rate, in a
// run that is worth a judgement. Where it is known at which rate the partition
// saturates, the peak must not lie beyond the best second of that: a step is
// short, and what an idle partition has saved up can carry it.
func ofPeak(record *results.Record, summary *results.Summary, steps []Step) []results.Expectation {
	asked := record.Manifest.PeakAsked
	if asked <= 0 {
		return nil
	}
	rate := strconv.FormatFloat(asked, 'f', -1, 64)
	refused := results.Expectation{Expr: fmt.Sprintf("refused(peak %s) < 1%%", rate), Observed: notMeasured}
	lost := results.Expectation{Expr: fmt.Sprintf("share_lost(peak %s) < 0.1%%", rate), Observed: notMeasured}
	within := results.Expectation{Expr: fmt.Sprintf("offered(peak %s) <= saturation", rate), Observed: notMeasured}
	if step, found := atPeak(asked, steps); found && summary.Validity == results.Valid {
		if share, told := step.refusedShare(); told {
			refused.Observed, refused.Pass = cutPercent(share), share < mostRefused
		}
		if share := step.Figures(nil).ShareLost; share != nil {
			lost.Observed, lost.Pass = cutPercent(*share), *share < mostLost
		}
		within.Observed, within.Pass = "not saturated", true
		if summary.Saturation != nil {
			offered := step.Figures(nil).Offered
			within.Observed = fmt.Sprintf("%s of %s", Rate(offered), Rate(*summary.Saturation))
			within.Pass = offered <= summary.SaturationInterval[1]
		}
	}
	return []results.Expectation{refused, lost, within}
}

// atPeak returns the step of the rate that was asked for, the last of equal
// ones.
func atPeak(asked float64, steps []Step) (Step, bool) {
	var peak Step
	for _, step := range steps {
		if step.Phase.Rate == asked {
			peak = step
		}
	}
	return peak, peak.Phase != nil
}
