package verdict

import (
	"loadgen/results"
	"loadgen/results/expectation"
)

// FigureOf returns a figure of a judged record in a unit, times in nanoseconds, and false
// where the record cannot tell it: it rests on too little, or on what the record does
// not hold. The record's summary has to be that of [Judge], so that the figure is this
// build's, whichever build wrote the record.
func FigureOf(record *results.Record, figure expectation.Figure, in expectation.Unit) (value float64, told bool) {
	return (&facts{record: record, summary: record.Summary}).Look(figure, in)
}
