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

// Findings returns what stands out beside the verdict, one sentence each.
func Findings(record *results.Record) []string {
	if record.Capture != nil {
		return trafficFindings(record)
	}
	steps := figure.Steps(record)
	found := balanceFindings(record)
	if found != nil {
		steps = nil
	}
	found = append(found, knee(record, steps))
	figures := figure.Of(record)
	most, at := 0.0, 0.0
	for _, step := range steps {
		if each := figures.OfStep("retries_per_operation", step, nil).Value; each > most {
			most, at = each, step.Phase.Rate
		}
	}
	if most >= someRetries {
		found = append(found, fmt.Sprintf("Retries add up to %s attempts to each operation (at %s operations/s): "+
			"the target meets more than is offered.",
			document.CutFactor(most), document.Rate(at)))
	}
	found = append(found, waiting(record, steps), limited(record), ended(record), late(record))
	if hot, known := figures.Hottest(); known {
		text := fmt.Sprintf("The busiest partition was %q with %s entities in its busiest second, and %s/s over its step",
			shortened(hot.Key), document.Rate(float64(hot.Busiest)), document.Rate(hot.Mean))
		over := int64(0)
		for p := range record.Phases {
			over += record.Phases[p].PartitionsOver
		}
		if over > 0 {
			text += fmt.Sprintf(", beside %s entities in partitions too many to be told apart", document.Count(over))
		}
		found = append(found, text+".")
	}
	found = append(found, busiestAccount(record), Bucket(record), clipped(record))
	found = append(spoken(found...), auditFindings(record.Audit)...)
	for i := range record.Invariants {
		switch one := &record.Invariants[i]; {
		case one.Faults > 0:
			found = append(found, fmt.Sprintf("Not so in %s of %s cases looked at: %s.",
				document.Count(one.Faults), document.Count(one.Looked), one.Name))
		case one.Looked == 0:
			found = append(found, fmt.Sprintf("The run left nothing behind to look at, so that nobody knows whether this holds: %s.", one.Name))
		}
	}
	return found
}

// spoken returns the sentences that say anything.
func spoken(sentences ...string) []string {
	return slices.DeleteFunc(sentences, func(sentence string) bool { return sentence == "" })
}

// throttledEnough is the share of throttled attempts from which on there is something to
// say of them.
const throttledEnough = 0.01

// knee tells between which steps refusals begin to count. The steps of a search come in no
// order: of them it tells which the generator could not send, where the answer does not rest on
// that.
func knee(record *results.Record, steps []figure.Step) string {
	if l := record.Limit; l != nil {
		at := slices.IndexFunc(l.Steps, func(step results.LimitStep) bool { return step.Outcome == results.LimitClient })
		if at < 0 || l.ClientLimited() {
			return ""
		}
		return fmt.Sprintf("At %s operations/s the generator was the limit; the answer does not rest on that step.",
			document.Rate(l.Steps[at].Rate))
	}
	below := ""
	for _, step := range steps {
		share, told := step.ThrottledShare()
		switch {
		case !told:
		case share >= throttledEnough && len(steps) == 1:
			return fmt.Sprintf("At %s operations/s %s of the attempts are throttled.", document.Rate(step.Phase.Rate), document.Share(share))
		case share >= throttledEnough && below == "":
			return fmt.Sprintf("Already the first step, %s operations/s, has %s of its attempts throttled.",
				document.Rate(step.Phase.Rate), document.Share(share))
		case share >= throttledEnough:
			return fmt.Sprintf("Throttling sets in between %s and %s operations/s, where %s of the attempts are throttled.",
				below, document.Rate(step.Phase.Rate), document.Share(share))
		default:
			below = document.Rate(step.Phase.Rate)
		}
	}
	return ""
}

// someRetries is how many retries to an operation are worth a word.
const someRetries = 0.01

// waiting tells how much of the response time at the highest step is not the
// target's. Operations of several requests are left out: what comes on top of one
// of them is not all waiting.
func waiting(record *results.Record, steps []figure.Step) string {
	top, any := figure.Highest(steps)
	if !any {
		return ""
	}
	single := make(map[string]bool)
	whose := ""
	figures := figure.Of(record)
	for _, kind := range record.Manifest.Operations {
		this := func(other results.Kind) bool { return other.Name == kind.Name }
		requests := figures.OfStep("tries", top, this).Value - figures.OfStep("retries_per_operation", top, this).Value
		if single[kind.Name] = requests < 1+someRetries; !single[kind.Name] {
			whose = " of the operations of one request"
		}
	}
	one := func(kind results.Kind) bool { return single[kind.Name] }
	of := figures.Step(top, one)
	response, service := of.Response.P50, of.Service.P50
	if response == nil || service == nil || *response < 2**service || figures.OfStep("retries_per_operation", top, one).Value < someRetries {
		return ""
	}
	return fmt.Sprintf("At %s operations/s half of the successes%s take over %s, of which an ok attempt takes %s: the rest is waiting.",
		document.Rate(top.Phase.Rate), whose, document.Micros(*response), document.Micros(*service))
}

// limited tells what the client's own rate limits held back.
func limited(record *results.Record) string {
	waits := record.LimitWaits
	if waits == nil || waits.Count() == 0 {
		return ""
	}
	var whose []string
	figures := figure.Of(record)
	for _, kind := range record.Manifest.Operations {
		held := figures.OfKinds("limit_held", func(other results.Kind) bool { return other.Name == kind.Name }).Value
		if held > 0 {
			whose = append(whose, fmt.Sprintf("%s of %s (%s)", document.Count(int64(held)), kind.Name, kind.Limit))
		}
	}
	text := "Rate limits of the client, not the target, held attempts back: " + strings.Join(whose, ", ")
	if longest := results.QuantilesOf(waits).Max; longest != nil {
		text += fmt.Sprintf("; for up to %s", document.Micros(*longest))
	}
	return text + ". Response times count from the intended instant, and have that wait."
}

// ended tells what became of the operations that did not succeed.
func ended(record *results.Record) string {
	sum := record.Total(results.Reported)
	given := sum.Operations - sum.Succeeded - sum.Cut
	if given <= 0 && sum.Cut <= 0 {
		return ""
	}
	how := "were given up after their last attempt"
	if record.Manifest.Retry == "none" {
		how = "did not succeed and were not tried again"
	}
	text := fmt.Sprintf("Of %s reported operations %s %s", document.Count(sum.Operations), document.Count(max(0, given)), how)
	if half, told := sum.Lost.Quantile(.5); told && sum.Cut == 0 {
		text += fmt.Sprintf(", half of them after more than %s", document.Micros(half))
	}
	if sum.Cut > 0 {
		what := "to retry"
		if sum.LimitHeld > 0 {
			what = "to retry or for a rate limit"
		}
		text += fmt.Sprintf(", and %s still waited %s when the run ended", document.Count(sum.Cut), what)
	}
	return text + "."
}

// late tells how much of the load was not sent when it should have been, and of what
// waited for the target, that it did.
func late(record *results.Record) string {
	sum, waited, silence := record.Counts(results.Reported), int64(0), ""
	for waits, i := waitedIn(record), 0; i < len(record.Intervals); i++ {
		row := &record.Intervals[i]
		if reason := waits(row.Second); row.Late > 0 && reason != "" {
			waited, silence = waited+row.Late, cmp.Or(silence, reason)
		}
	}
	share, own := figure.Of(record).Share("late").Value, figure.ShareOf(sum.Late-waited, sum.Sent)
	switch {
	case share <= results.MostLate:
		return ""
	case own > results.MostLate:
		return fmt.Sprintf("The generator sent %s of the operations more than %d ms late: that wait is part of their response times.",
			document.Share(own), results.LateAfter.Milliseconds())
	default:
		return fmt.Sprintf("%s of the operations were sent more than %d ms late, for %s: that wait is part of their response times.",
			document.Share(share), results.LateAfter.Milliseconds(), silence)
	}
}

// clipped tells of durations beyond what the histograms span.
func clipped(record *results.Record) string {
	over := int64(0)
	for i := range record.Phases {
		for k := range record.Phases[i].Kinds {
			over += record.Phases[i].Kinds[k].Response.Over() + record.Phases[i].Kinds[k].Lost.Over()
		}
	}
	if over == 0 {
		return ""
	}
	return fmt.Sprintf("%s operations took longer than an hour; their times are shown as > 1 h.", document.Count(over))
}

// someFailed is the share of failed attempts from which they are told of any run, and on
// the first screen.
const someFailed = 0.01

// ManyFailed reports whether so many attempts of a run failed that it is to be said first:
// more than 1 % of all, or of those of the reported phases. The summary is that of the
// record.
func ManyFailed(record *results.Record, summary *results.Summary) bool {
	if summary.Killed != nil {
		sum := inSeconds(record)
		return failedShare(&sum) > someFailed
	}
	for _, choice := range []func(*results.Phase, results.Kind) bool{results.Everything, results.Reported} {
		if sum := record.Counts(choice); failedShare(&sum) > someFailed {
			return true
		}
	}
	return false
}

// failedShare returns the share of attempts that failed for other reasons than load.
func failedShare(sum *results.KindStats) float64 {
	return figure.ShareOf(sum.Failed, sum.Attempts)
}

// failed says how many attempts failed, and why, where that is more than a few: of the
// reported phases, or where these have none, of all.
func (s *story) failed() string {
	sum := s.record.Counts(results.Reported)
	switch {
	case s.summary.Killed != nil:
		sum = inSeconds(s.record)
	case sum.Attempts == 0:
		sum = s.record.Counts(results.Everything)
	}
	if failedShare(&sum) <= someFailed {
		return ""
	}
	return failedOf(&sum, "attempts") + "."
}

// failedOf says what share of attempts, called so, failed, and by which cause: with their
// shares of all where there are several, of which the two commonest are named.
func failedOf(sum *results.KindStats, called string) string {
	const most = 2
	causes := sum.Causes.Only(results.Failed).Told()
	var names []string
	for i, one := range causes {
		share := document.Share(figure.ShareOf(one.Attempts, sum.Attempts))
		switch name := printable(shortened(one.String())); {
		case len(causes) == 1:
			names = append(names, name)
		case i < most:
			names = append(names, name+" "+share)
		case i == most:
			names = append(names, "and others")
		}
	}
	text := fmt.Sprintf("%s of the %s failed", document.Share(failedShare(sum)), called)
	if len(names) > 0 {
		text += " (" + strings.Join(names, ", ") + ")"
	}
	return text
}
