package verdict

import (
	"fmt"
	"slices"

	"loadgen/results"
)

// mostHeld is the share of the reported operations that may be sent more than
// longestHold after their intended instants.
const (
	mostHeld    = results.MostHeldBack
	longestHold = results.HeldBackAfter
)

// validity returns what a run is worth, and why. What the record says of itself
// stands unless it is worse than that.
func validity(record *results.Record) (string, []string) {
	worth, reasons := record.Validity, slices.Clone(record.Reasons)
	add := func(found ...string) {
		for _, reason := range found {
			// A record that was judged before holds its reasons.
			if !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	if reasons == nil {
		reasons = []string{}
	}
	if !slices.Contains([]string{results.Valid, results.Partial, results.ClientLimited, results.Invalid}, worth) {
		add(fmt.Sprintf("the record calls itself %q, which says nothing", shortened(worth)))
		worth = results.Invalid
	}
	if record.Cut {
		add("the record is cut off within a line")
		if worth != results.Invalid {
			worth = results.Partial
		}
	}
	if limits := clientLimits(record); len(limits) > 0 {
		add(limits...)
		if worth == results.Valid {
			worth = results.ClientLimited
		}
	}
	if faults := Books(record); len(faults) > 0 {
		add(faults...)
		worth = results.Invalid
	} else if record.Misplaced > 0 {
		add(fmt.Sprintf("%s counts came too late for their second and stand in a later one",
			Count(record.Misplaced)))
	}
	return worth, reasons
}

// clientLimits returns how the generator fell short of what was asked of it.
func clientLimits(record *results.Record) []string {
	if record.Limit != nil {
		return limitReasons(record)
	}
	var limits []string
	all, reported := record.Total(results.Everything), record.Total(results.Reported)
	if all.Dropped > 0 {
		limits = append(limits, fmt.Sprintf("the generator dropped %s of %s operations",
			Count(all.Dropped), Count(all.Scheduled)))
	}
	if held := heldBack(record.Lag); reported.Sent > 0 && float64(held) > mostHeld*float64(reported.Sent) {
		limits = append(limits, fmt.Sprintf("the generator sent %s of the operations more than %d ms late",
			Share(float64(held)/float64(reported.Sent)), longestHold.Milliseconds()))
	}
	return append(limits, doubts(record)...)
}

// heldBack counts the operations of a lag histogram beyond longestHold.
func heldBack(lag *results.Histogram) int64 {
	if lag == nil {
		return 0
	}
	var held int64
	for _, bar := range lag.Bars() {
		if bar.From > longestHold.Microseconds() {
			held += bar.Count
		}
	}
	return held
}
