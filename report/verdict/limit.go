package verdict

import (
	"fmt"
	"math"
	"time"

	"loadgen/report/document"
	"loadgen/results"
)

// sporadicSearch returns a sentence about the sporadic share of a search.
func sporadicSearch(l *results.Limit) string {
	return document.Share(l.Sporadic) + " of the first attempts were refused at every rate: this is sporadic, and no rate fails by it."
}

// interval tells the ends of the interval, and why the upper one did not hold. A
// run whose generator was its limit has a lower end only.
func (s *story) interval(l *results.Limit) string {
	lower := l.Step(l.Held)
	switch {
	case len(l.Steps) == 0:
		return "no rate was tried to the end of its step"
	case l.Held == nil && l.ClientLimited():
		return fmt.Sprintf("%s was not tried by any rate that the generator could send", s.searched(l))
	case l.Held == nil && l.NotHeld == nil:
		return "no rate was judged"
	case l.Held == nil:
		return fmt.Sprintf("%s does not hold even %s operations/s: %s", s.searched(l), document.Rate(*l.NotHeld), reason(l, l.Step(l.NotHeld)))
	case l.ClientLimited():
		return fmt.Sprintf("%s holds at least %s, client-limited: at %s operations/s the generator was the limit, and not the target",
			s.searched(l), asRate(*l.Held, lower), document.Rate(*l.NotHeld))
	case l.NotHeld == nil:
		return fmt.Sprintf("%s holds at least %s, the highest rate that was tried; %s",
			s.searched(l), asRate(*l.Held, lower), s.searchedTarget(l))
	default:
		return fmt.Sprintf("the limit of %s lies between %s, which held, and %s/s, where %s; %s",
			s.searched(l), asRate(*l.Held, lower), document.Rate(*l.NotHeld), reason(l, l.Step(l.NotHeld)), s.searchedTarget(l))
	}
}

// unfinished adds what kept the interval from becoming as narrow as it should.
func (s *story) unfinished(l *results.Limit) string {
	switch {
	case l.Finished || l.Held == nil && l.NotHeld == nil:
		return ""
	case s.record.Validity == results.Partial:
		return "; the search did not come to its end"
	default:
		return "; the steps contradicted one another until the search gave up"
	}
}

func (s *story) searched(l *results.Limit) string {
	switch {
	case l.Of == results.LimitAccount:
		return fmt.Sprintf("the account with its load on %s partitions", document.Count(int64(l.Partitions)))
	case s.aimed():
		return fmt.Sprintf("the partition %q", shortened(s.record.Manifest.PartitionKey))
	default:
		return "the partition"
	}
}

// searchedTarget names the target of what was searched, to follow the interval.
func (s *story) searchedTarget(l *results.Limit) string {
	limit, documented := s.record.Manifest.Targets.Partition, int64(documentedPartition)
	if l.Of == results.LimitAccount {
		limit, documented = s.record.Manifest.Targets.Account, documentedAccount
	}
	switch {
	case limit == 0:
		return noTarget("", &s.record.Manifest)
	case limit == documented:
		return fmt.Sprintf("Azure's documented target is %s entities/s", document.Count(limit))
	default:
		return fmt.Sprintf("%s target is %s entities/s, not Azure's documented %s", limitOf(&s.record.Manifest), document.Count(limit), document.Count(documented))
	}
}

// asRate tells a rate, in entities too where its operations are of several.
func asRate(rate float64, step *results.LimitStep) string {
	text := document.Rate(rate) + " operations/s"
	if step != nil && math.Abs(step.Offered-rate) > .005*rate {
		text += fmt.Sprintf(" (%s entities/s)", document.Rate(step.Offered))
	}
	return text
}

// reason tells why a step did not hold.
func reason(l *results.Limit, step *results.LimitStep) string {
	if step == nil {
		return "a step that is not in the record did not hold"
	}
	switch step.Outcome {
	case results.LimitThrottled:
		return fmt.Sprintf("%s of the first attempts were throttled and at most %s may be", document.CutShare(step.ThrottledShare), document.CutShare(l.MaxThrottled))
	case results.LimitFailed:
		return fmt.Sprintf("%s of the first attempts failed for other reasons than load", document.CutShare(step.FailedShare))
	case results.LimitQueued:
		return fmt.Sprintf("the target queues: %s more operations waited at the end of the step than at its begin", document.Count(step.QueueGrowth))
	case results.LimitP99:
		if step.P99 == nil || l.MaxP99 == nil {
			return "too few operations succeeded to tell their p99"
		}
		return fmt.Sprintf("the response p99 was %s and may be %s", document.Micros(*step.P99), document.Micros(*l.MaxP99))
	case results.LimitClient:
		return "the generator was the limit"
	default:
		return "the step is called " + shortened(step.Outcome)
	}
}

// seconds returns a length of time as a person reads it.
func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}

// limitReasons returns how the generator fell short where that bounds the answer
// of a search. What it could not send beyond an answer takes nothing from it, and
// a refusal is the target's own word; a response time may be the generator's.
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
