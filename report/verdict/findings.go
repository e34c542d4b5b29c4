package verdict

import (
	"fmt"
	"slices"
	"time"

	"loadgen/results"
)

// Findings returns what stands out beside the verdict, one sentence each.
func Findings(record *results.Record) []string {
	if record.Capture != nil {
		return trafficFindings(record)
	}
	steps := Steps(record)
	found := balanceFindings(record)
	if found != nil {
		steps = nil
	}
	found = append(found, spoken(knee(record, steps), beyondSending(record), amplification(record, steps), waiting(record, steps),
		ended(record), late(record), busiest(record), busiestAccount(record), clipped(record))...)
	return append(append(found, auditFindings(record.Audit)...), invariantFindings(record.Invariants)...)
}

// spoken returns the sentences that say anything.
func spoken(sentences ...string) []string {
	return slices.DeleteFunc(sentences, func(sentence string) bool { return sentence == "" })
}

// knee tells between which steps refusals begin to count; the steps of a search
// come in no order.
func knee(record *results.Record, steps []Step) string {
	if record.Limit != nil {
		return ""
	}
	below := ""
	for _, step := range steps {
		share, told := step.refusedShare()
		switch {
		case !told:
		case share >= refusedEnough && len(steps) == 1:
			return fmt.Sprintf("At %s operations/s %s of the attempts are refused.", Rate(step.Phase.Rate), Share(share))
		case share >= refusedEnough && below == "":
			return fmt.Sprintf("Already the first step, %s operations/s, has %s of its attempts refused.",
				Rate(step.Phase.Rate), Share(share))
		case share >= refusedEnough:
			return fmt.Sprintf("Refusals set in between %s and %s operations/s, where %s of the attempts are refused.",
				below, Rate(step.Phase.Rate), Share(share))
		default:
			below = Rate(step.Phase.Rate)
		}
	}
	return ""
}

func amplification(record *results.Record, steps []Step) string {
	most, at := 0.0, 0.0
	for _, step := range steps {
		if each := retriesEach(record, step.Sum(nil)); each > most {
			most, at = each, step.Phase.Rate
		}
	}
	if most < someRetries {
		return ""
	}
	return fmt.Sprintf("Retries add up to %s attempts to each operation (at %s operations/s): the target meets more than is offered.",
		factor(most), Rate(at))
}

// someRetries is how many retries to an operation are worth a word.
const someRetries = 0.01

// retriesEach returns how many retries there were to an operation: a further page
// of a query, or the write after a read, is none. In a record that does not tell
// them apart every attempt but the first counts as one.
func retriesEach(record *results.Record, sum results.KindStats) float64 {
	retries := sum.Retries
	if !record.KnowsRetries() {
		retries = max(0, sum.Attempts-sum.Operations)
	}
	return float64(retries) / float64(max(1, sum.Operations))
}

// waiting tells how much of the response time at the highest step is not the
// target's. Operations of several requests are left out: what comes on top of one
// of them is not all waiting.
func waiting(record *results.Record, steps []Step) string {
	top, any := highest(steps)
	if !any {
		return ""
	}
	single := make(map[string]bool)
	whose := ""
	for k, kind := range top.kinds {
		sum := top.Phase.Kinds[k]
		requests := float64(sum.Attempts)/float64(max(1, sum.Operations)) - retriesEach(record, sum)
		if single[kind.Name] = requests < 1+someRetries; !single[kind.Name] {
			whose = " of the operations of one request"
		}
	}
	one := func(kind results.Kind) bool { return single[kind.Name] }
	figures := top.Figures(one)
	response, service := figures.Response.P50, figures.Service.P50
	if response == nil || service == nil || *response < 2**service || retriesEach(record, top.Sum(one)) < someRetries {
		return ""
	}
	return fmt.Sprintf("At %s operations/s half of the successes%s take over %s, of which an ok attempt takes %s: the rest is waiting.",
		Rate(top.Phase.Rate), whose, duration(*response), duration(*service))
}

// duration returns microseconds as a person reads them, to three figures.
func duration(micros int64) string {
	d := time.Duration(micros) * time.Microsecond
	for unit := time.Microsecond; unit <= time.Second; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Second).String()
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
	text := fmt.Sprintf("Of %s reported operations %s %s", Count(sum.Operations), Count(max(0, given)), how)
	if half, told := sum.Lost.Quantile(.5); told && sum.Cut == 0 {
		text += fmt.Sprintf(", half of them after more than %s", duration(half))
	}
	if sum.Cut > 0 {
		text += fmt.Sprintf(", and %s still waited to retry when the run ended", Count(sum.Cut))
	}
	return text + "."
}

// fewLate is the share of operations that may be late unmentioned.
const fewLate = 0.01

// late tells how much of the load was not sent when it should have been.
func late(record *results.Record) string {
	sum := record.Total(results.Reported)
	share := float64(sum.Late) / float64(max(1, sum.Sent))
	if share <= fewLate {
		return ""
	}
	return fmt.Sprintf("The generator sent %s of the operations more than %d ms late: that wait is part of their response times.",
		Share(share), results.LateAfter.Milliseconds())
}

// busiest names the hottest partition, and how much fell to those that were too
// many to be told apart.
func busiest(record *results.Record) string {
	hot := hottest(reported(record))
	if hot == nil {
		return ""
	}
	text := fmt.Sprintf("The busiest partition was %q with %s entities/s over its step",
		shortened(hot.Key), Rate(hot.EntitiesPerSecond))
	over := int64(0)
	for p := range record.Phases {
		over += record.Phases[p].PartitionsOver
	}
	if over > 0 {
		text += fmt.Sprintf(", beside %s entities in partitions too many to be told apart", Count(over))
	}
	return text + "."
}

// clipped tells of durations beyond what the histograms span.
func clipped(record *results.Record) string {
	sum := record.Total(results.Everything)
	over := sum.Response.Over() + sum.Lost.Over()
	if over == 0 {
		return ""
	}
	return fmt.Sprintf("%s operations took longer than an hour and count as an hour.", Count(over))
}
