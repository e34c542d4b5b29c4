package verdict

import (
	"loadgen/results"
	"loadgen/results/expectation"
)

// facts are the figures of a record that claims rest on.
type facts struct {
	record  *results.Record
	summary *results.Summary
}

var _ expectation.Facts = (*facts)(nil)

// Look implements [expectation.Facts].
func (f *facts) Look(figure expectation.Figure, in expectation.Unit) (float64, bool) {
	switch figure.Name {
	case "tally":
		return f.counted(figure)
	case "faults":
		return f.faults()
	}
	of, found := f.scope(figure)
	if !found {
		return 0, false
	}
	if which, quantile, some := expectation.Statistic(figure.Name); some {
		return timed(f.histogram(which, of), quantile)
	}
	switch figure.Name {
	case "lost", "doubled", "unknown", "overwritten", "conflicts":
		return f.audited(figure.Name)
	case "splits", "moves", "merges", "offline", "throttled", "relieved":
		return f.balanced(figure, of)
	case "offered", "served", "partitions":
		if figure.Part != expectation.Whole || figure.Name == "partitions" {
			return f.part(figure, of)
		}
		return of.rate(figure.Name)
	case "share_lost":
		return of.lost()
	case "attempts":
		sum := of.sum()
		return ratio(sum.Attempts, sum.Operations)
	case "length":
		return of.seconds() * nanosecondsEach, len(of.steps) > 0
	case "saturation":
		if f.summary.Saturation == nil {
			return 0, false
		}
		return *f.summary.Saturation, true
	default:
		return f.count(figure.Name, of, in)
	}
}

// nanosecondsEach is how many there are to a second.
const nanosecondsEach = 1e9

// histogram returns the times that a statistic is of.
func (f *facts) histogram(which string, of scope) *results.Histogram {
	switch which {
	case "wait":
		return f.record.RetryWaits
	case "lag":
		return f.record.Lag
	case "service":
		return of.sum().Service[results.Ok]
	default:
		return of.sum().Response
	}
}

// timed returns a quantile in nanoseconds, 1 being the longest and −1 the mean.
func timed(h *results.Histogram, quantile float64) (float64, bool) {
	const each = 1000
	switch {
	case h.Count() == 0:
		return 0, false
	case quantile < 0:
		return h.Mean() * each, true
	case quantile >= 1:
		return float64(h.Max()) * each, true
	default:
		micros, told := h.Quantile(quantile)
		return float64(micros) * each, told
	}
}

// count returns a figure that is counted, its share of what it is a part of, or its
// number per second.
func (f *facts) count(name string, of scope, in expectation.Unit) (float64, bool) {
	sum := of.sum()
	if name == "retries" && !f.record.KnowsRetries() {
		return 0, false
	}
	part, whole := countOf(name, &sum)
	switch in {
	case expectation.Share:
		return ratio(part, whole)
	case expectation.PerSecond:
		seconds := of.seconds()
		return float64(part) / seconds, seconds > 0
	default:
		return float64(part), len(of.steps) > 0
	}
}

// countOf returns a count of a sum, and what it is a part of, 0 where that is nothing.
func countOf(name string, sum *results.KindStats) (part, whole int64) {
	switch name {
	case "scheduled":
		return sum.Scheduled, 0
	case "sent":
		return sum.Sent, 0
	case "dropped":
		return sum.Dropped, sum.Scheduled
	case "late":
		return sum.Late, sum.Sent
	case "operations":
		return sum.Operations, 0
	case "succeeded":
		return sum.Succeeded, sum.Operations
	case "requests":
		return sum.Attempts, 0
	case "ok":
		return sum.Ok, sum.Attempts
	case "handled":
		return sum.Handled, sum.Attempts
	case "refused":
		return sum.Refused, sum.Attempts
	case "failed":
		return sum.Failed, sum.Attempts
	case "retries":
		return sum.Retries, sum.Attempts
	case "counted":
		return sum.Counted, 0
	default:
		return sum.Returned, sum.Counted
	}
}

// ratio returns a ratio of counts, and false where there is none.
func ratio(part, whole int64) (float64, bool) {
	if whole <= 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

func (f *facts) audited(name string) (float64, bool) {
	audit := f.record.Audit
	if audit == nil {
		return 0, false
	}
	switch name {
	case "lost":
		return float64(audit.Lost), true
	case "doubled":
		return float64(audit.Doubled), true
	case "unknown":
		return float64(audit.Unknown), true
	case "overwritten":
		return float64(audit.Overwritten), true
	default:
		return float64(audit.ForeignConflicts), true
	}
}

func (f *facts) counted(figure expectation.Figure) (float64, bool) {
	for _, t := range f.record.Counters {
		if t.Operation == figure.Operation && t.Name == figure.Counter {
			return float64(t.Count), true
		}
	}
	return 0, false
}

// faults returns in how many things something does not hold that must.
func (f *facts) faults() (float64, bool) {
	sum := int64(0)
	for i := range f.record.Invariants {
		sum += f.record.Invariants[i].Faults
	}
	return float64(sum), len(f.record.Invariants) > 0
}

// FigureOf returns a figure of a judged record in a unit, times in nanoseconds, and false
// where the record cannot tell it: it rests on too little, or on what the record does
// not hold. The record's summary has to be that of [Judge], so that the figure is this
// build's, whichever build wrote the record.
func FigureOf(record *results.Record, figure expectation.Figure, in expectation.Unit) (value float64, told bool) {
	return (&facts{record: record, summary: record.Summary}).Look(figure, in)
}
