package report

import (
	"cmp"
	"math"
	"strconv"

	"loadgen/report/document"
)

// untold stands where a quantile rests on too few durations, or where there is
// nothing to divide by.
const untold = "–"

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
	return sourced(strconv.FormatFloat(100*number/of, 'f', 1, 64)+" %", source, 100*scale/of)
}

// percentCell is a share to hundredths of a per cent, in which bounds are given.
func percentCell(share float64, source string) document.Cell {
	return sourced(percent(share), source, 100)
}

// percent returns a share to hundredths of a per cent.
func percent(share float64) string {
	return strconv.FormatFloat(100*share, 'f', 2, 64) + " %"
}

// eachCell is how many of a thing there are to another; nil is untold.
func eachCell(each *float64, source string) document.Cell {
	if each == nil {
		return sourced(untold, "", 0)
	}
	if *each > mostEach {
		// What is not the number has no source.
		return document.Cell{Text: ">" + strconv.Itoa(mostEach)}
	}
	return sourced(strconv.FormatFloat(*each, 'f', 2, 64), source, 0)
}

// mostEach bounds what [eachCell] shows, so that it fits.
const mostEach = 999

// millisCell is a duration in milliseconds, or in seconds where that is said.
func millisCell(micros *int64, source string) document.Cell {
	if micros != nil && inSeconds(*micros) {
		return sourced(millis(micros), source, 1e-6)
	}
	return sourced(millis(micros), source, 1e-3)
}

// millis returns microseconds in milliseconds, to the figures that a histogram
// tells apart; durations of 100 s and more are in seconds and say so.
func millis(micros *int64) string {
	if micros == nil {
		return untold
	}
	if inSeconds(*micros) {
		return strconv.FormatInt((*micros+500_000)/1_000_000, 10) + " s"
	}
	for _, scale := range []struct {
		below, per int64
		decimals   int
	}{{1_000, 1, 3}, {10_000, 10, 2}, {1_000_000, 100, 1}} {
		// Rounded first, so that 999.96 is not shown as 1000.0.
		if rounded := (*micros + scale.per/2) / scale.per * scale.per; rounded < scale.below {
			return strconv.FormatFloat(float64(rounded)/1000, 'f', scale.decimals, 64)
		}
	}
	return document.Count((*micros + 500) / 1000)
}

// inSeconds says whether a duration is too long to be told in milliseconds.
func inSeconds(micros int64) bool { return (micros+500)/1000 >= 100_000 }
