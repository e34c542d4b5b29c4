package verdict

import "loadgen/results"

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
