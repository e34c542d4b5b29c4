package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// maxHeld is the share of the reported operations that may be sent more than maxHold after their intended instants.
const (
	maxHeld = results.MostHeldBack
	maxHold = results.HeldBackAfter
)

// validity returns the validity of a run and its reasons: whether it reached its end, its counters reconcile, and any
// operation succeeded. Lateness of the generator affects only checks that depend on it. The validity in the record
// stays unless it is better than that.
func validity(record *results.Record) (string, []string) {
	worth, reasons := record.Validity, slices.Clone(record.Reasons)
	add := func(found ...string) {
		for _, reason := range found {
			// A record that was judged before has its reasons.
			if !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	if reasons == nil {
		reasons = []string{}
	}
	if !slices.Contains([]string{results.Valid, results.Partial, results.Invalid}, worth) {
		add(fmt.Sprintf("the record calls itself %q, which says nothing", shortened(worth)))
		worth = results.Invalid
	}
	if record.Cut {
		add("the record is cut off within a line")
		if worth != results.Invalid {
			worth = results.Partial
		}
	}
	if due, causes := futile(record); due > 0 {
		text := fmt.Sprintf("of %s operations due none succeeded", document.Count(due))
		const named = 2
		var names []string
		for _, one := range causes.Told()[:min(named, len(causes.Told()))] {
			names = append(names, document.Printable(shortened(one.String())))
		}
		if len(names) > 0 {
			text += " (" + strings.Join(names, ", ") + ")"
		}
		add(text)
		worth = results.Invalid
	}
	if faults := Books(record); len(faults) > 0 {
		add(faults...)
		worth = results.Invalid
	} else if record.Misplaced > 0 {
		add(fmt.Sprintf("%s counts came too late for their second and stand in a later one",
			document.Count(record.Misplaced)))
	}
	return worth, reasons
}

// cutOff is the cause of an attempt that the end of the run cancelled.
const cutOff = "Cancelled"

// futile returns the number of operations due in the reported phases if none succeeded, and their causes; 0 if some
// did. A run that ended early must have an attempt or operation that ended by itself: cancelled ones could have
// succeeded.
func futile(record *results.Record) (due int64, causes results.Causes) {
	sum := record.Counts(results.Reported)
	if record.Killed() != nil {
		sum = inSeconds(record)
	}
	var cut int64
	for _, one := range sum.Causes {
		if one.Status == 0 && one.Code == cutOff {
			cut += one.Attempts
		}
	}
	ended := sum.Ok == 0 && sum.Attempts > cut || sum.Operations > sum.Cut+cut
	if record.Capture != nil || sum.Succeeded > 0 || !ended && !finished(record) {
		return 0, nil
	}
	return sum.Scheduled, sum.Causes
}

// clientLimits returns how the generator did not send the load as due.
func clientLimits(record *results.Record) []string {
	if record.Limit != nil {
		return limitReasons(record)
	}
	var limits []string
	all, reported := record.Counts(results.Everything), record.Counts(results.Reported)
	dropped, held := all.Dropped, int64(0)
	for _, bar := range record.Lag.Bars() {
		if bar.From > maxHold.Microseconds() {
			held += bar.Count
		}
	}
	for waited, i := waitedIn(record), 0; i < len(record.Intervals); i++ {
		// Operations that waited for a silent target did not wait for the generator. How late they were is unknown, so
		// all late ones of such a second are subtracted.
		row := &record.Intervals[i]
		if waited(row.Second) == "" {
			continue
		}
		dropped -= row.Dropped
		if longest := cmp.Or(row.Lag.P99, row.Lag.Max); longest != nil && *longest > maxHold.Microseconds() {
			held -= row.Late
		}
	}
	if dropped > 0 {
		limits = append(limits, fmt.Sprintf("the generator dropped %s of %s operations", document.Count(dropped), document.Count(all.Scheduled)))
	}
	if reported.Sent > 0 && float64(held) > maxHeld*float64(reported.Sent) {
		limits = append(limits, fmt.Sprintf("the generator sent %s of the operations more than %d ms late",
			document.Share(figure.ShareOf(held, reported.Sent)), maxHold.Milliseconds()))
	}
	if line := lineLimit(record); line != "" {
		limits = append(limits, line)
	}
	return append(limits, clientSaturations(record)...)
}

// lineLimit names the number of seconds in which the modelled line of the clients was the limit; empty if there are
// few.
func lineLimit(record *results.Record) string {
	bound, all, steps := int64(0), int64(0), figure.Reported(record)
	for i := range record.Intervals {
		row := &record.Intervals[i]
		if !within(steps, row.Second) {
			continue
		}
		of := row.Of()
		bound, all = bound+of.LineBound, all+of.Length
	}
	if float64(bound) <= maxStrained*float64(all) {
		return ""
	}
	var of []string
	for _, p := range record.Manifest.Model {
		if p.Name == "client_bandwidth" || p.Name == "client_machines" {
			of = append(of, p.Name+" "+p.Value)
		}
	}
	return fmt.Sprintf("in %s of %s most attempts waited for the client's line, not for the service (%s)",
		document.Count(bound), document.Counted(int(all), "second"), strings.Join(of, ", "))
}

// limitReasons returns how the generator fell short if that bounds the answer of a search. A step that it could not send
// above the answer does not, nor does a refusal, which is the target's; a response time may be the generator's.
func limitReasons(record *results.Record) []string {
	l := record.Limit
	step := l.Step(l.NotHeld)
	switch {
	case step != nil && l.By == results.LimitP99:
		return clientSaturations(record)
	case !l.ClientLimited() || step == nil:
		return nil
	}
	short := fmt.Sprintf("at %s operations/s the generator sent %s of the operations more than %d ms late",
		document.Rate(step.Rate), document.Share(float64(step.HeldBack)/float64(max(1, step.Scheduled))), results.HeldBackAfter.Milliseconds())
	if step.Dropped > 0 {
		short = fmt.Sprintf("at %s operations/s the generator dropped %s of %s operations",
			document.Rate(step.Rate), document.Count(step.Dropped), document.Count(step.Scheduled))
	}
	if line := lineLimit(record); line != "" {
		return []string{line}
	}
	return append([]string{short}, clientSaturations(record)...)
}
