package report

import (
	"cmp"
	"math"
	"strings"

	"loadgen/report/document"
)

// untold stands where a quantile rests on too few durations, or where there is
// nothing to divide by.
const untold = document.Untold

func wordsCell(text string) document.Cell {
	return document.Cell{Text: cmp.Or(text, untold)}
}

// sourced is a number as it is shown, and where run.json has it: times scale, 0 being 1.
// What is untold has no source.
func sourced(text, source string, scale float64) document.Cell {
	if text == untold || math.IsInf(scale, 0) || math.IsNaN(scale) {
		source = ""
	}
	if source == "" || scale == 1 {
		scale = 0
	}
	return document.Cell{Text: text, Source: source, Scale: scale}
}

// countCell is a whole number in full, amountCell one that is in millions from there on.
func countCell(n int64, source string) document.Cell { return sourced(document.Count(n), source, 0) }

func amountCell(n int64, source string) document.Cell { return sourced(amount(n), source, 0) }

// rateCell is a number per second that run.json has unscaled, perSecondCell one of which
// it has the sum over so many seconds.
func rateCell(perSecond float64, source string) document.Cell {
	return sourced(document.Rate(perSecond), source, 0)
}

func perSecondCell(sum int64, seconds float64, source string) document.Cell {
	return sourced(document.Rate(float64(sum)/seconds), source, 1/seconds)
}

// shareCell is a share of one as a percentage; nil is untold.
func shareCell(share *float64, source string) document.Cell {
	if share == nil {
		return sourced(untold, "", 0)
	}
	return sourced(document.Share(*share), source, 100)
}

// ofCell is what a number comes to of another, as a percentage to a tenth. The source is
// the number's, times scale.
func ofCell(number, of float64, source string, scale float64) document.Cell {
	if of <= 0 {
		return sourced(untold, "", 0)
	}
	return sourced(document.PartOf(number, of), source, 100*scale/of)
}

// percentCell is a share to hundredths of a per cent, in which bounds are given.
func percentCell(share float64, source string) document.Cell {
	return sourced(document.FineShare(share), source, 100)
}

// eachCell is how many of a thing there are to another; nil is untold.
func eachCell(each *float64, source string) document.Cell {
	if each == nil {
		return sourced(untold, "", 0)
	}
	if text := document.Tries(*each); strings.HasPrefix(text, ">") {
		// What is not the number has no source.
		return document.Cell{Text: text}
	}
	return sourced(document.Tries(*each), source, 0)
}

// millisCell is a duration in milliseconds, or in seconds where that is said.
func millisCell(micros *int64, source string) document.Cell {
	if micros != nil && document.InSeconds(*micros) {
		return sourced(document.Millis(*micros), source, 1e-6)
	}
	return sourced(document.Told(micros, document.Millis), source, 1e-3)
}
