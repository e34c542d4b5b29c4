package verdict

import (
	"cmp"
	"slices"
	"strings"

	"loadgen/results"
	"loadgen/results/figure"
)

// HoldMillis is the lateness from which an operation counts as held back.
func (e *evidence) HoldMillis() int64 { return results.HeldBackAfter.Milliseconds() }

// validity returns the validity of a run and its reasons: whether it reached its end, its counters reconcile, and any
// operation succeeded. Lateness of the generator affects only checks that depend on it. The validity in the record
// stays unless it is better than that.
func (e *evidence) validity() (string, []string) {
	worth, given := e.Validity, append([]string{}, e.Reasons...)
	for _, reason := range narrative().Phrases(e, reasons, books) {
		// A record that was judged before has its reasons.
		if !slices.Contains(given, reason) {
			given = append(given, reason)
		}
	}
	switch {
	case !slices.Contains([]string{results.Valid, results.Partial, results.Invalid}, worth), e.Futile() != nil, len(e.Faults()) > 0:
		worth = results.Invalid
	case e.Cut && worth != results.Invalid:
		worth = results.Partial
	}
	return worth, given
}

// cutOff is the cause of an attempt that the end of the run cancelled.
const cutOff = "Cancelled"

// Futile returns the counts of the reported phases if operations were due and none succeeded, else nil. A run that ended
// early must have an attempt or operation that ended by itself: cancelled ones could have succeeded.
func (e *evidence) Futile() *results.Counts {
	sum := e.Counts(results.Reported)
	if e.Record.Killed() != nil {
		sum = inSeconds(e.Record)
	}
	var cut int64
	for _, one := range sum.Causes {
		if one.Status == 0 && one.Code == cutOff {
			cut += one.Attempts
		}
	}
	ended := sum.Ok == 0 && sum.Attempts > cut || sum.Operations > sum.Cut+cut
	if e.Capture != nil || sum.Succeeded > 0 || sum.Scheduled == 0 || !ended && !e.Finished() {
		return nil
	}
	sum.Causes = sum.Causes.Frequent()
	return &sum.Counts
}

// unsent is the load that the generator did not send as due: operations that it dropped, and the share of those that it sent
// late if that is too much.
type unsent struct {
	Dropped int64
	Late    float64
}

// Unsent returns nil for a search, whose steps say it. Operations that waited for a silent target did not wait for the
// generator. How late they were is unknown, so all late ones of such a second are subtracted.
func (e *evidence) Unsent() *unsent {
	if e.Limit != nil {
		return nil
	}
	sent, held := e.Counts(results.Reported).Sent, e.Lag.CountAbove(results.HeldBackAfter)
	u := &unsent{Dropped: e.All().Dropped}
	for i := range e.Intervals {
		row := &e.Intervals[i]
		if e.waited(row.Second) == "" {
			continue
		}
		u.Dropped -= row.Dropped
		if longest := cmp.Or(row.Lag.P99, row.Lag.Max); longest != nil && *longest > results.HeldBackAfter.Microseconds() {
			held -= row.Late
		}
	}
	if sent > 0 && float64(held) > results.MaxHeldBackShare*float64(sent) {
		u.Late = figure.ShareOf(held, sent)
	}
	return u
}

// lineBound is the number of seconds of All in which the modelled line of the clients was the limit.
type lineBound struct {
	Seconds, All int64
	Parameters   string
}

// LineBound returns nil if there are few such seconds.
func (e *evidence) LineBound() *lineBound {
	b, steps := &lineBound{}, figure.Reported(e.Record)
	for i := range e.Intervals {
		if row := &e.Intervals[i]; isInSteps(steps, row.Second) {
			of := row.SecondsSum()
			b.Seconds, b.All = b.Seconds+of.LineBound, b.All+of.Length
		}
	}
	if float64(b.Seconds) <= maxStrained*float64(b.All) {
		return nil
	}
	var of []string
	for _, p := range e.Manifest.Model {
		if p.Name == "client_bandwidth" || p.Name == "client_machines" {
			of = append(of, p.Name+" "+p.Value)
		}
	}
	b.Parameters = strings.Join(of, ", ")
	return b
}

// ShortStep returns the step of a search that the generator could not send, if that bounds the answer. One above the answer
// does not, nor does a refusal, which is the target's; a response time may be the generator's.
func (e *evidence) ShortStep() *results.LimitStep {
	if e.Limit == nil || !e.Limit.ClientLimited() {
		return nil
	}
	return e.Limit.Step(e.Limit.NotHeld)
}
