package verdict

import (
	"fmt"
	"math"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// balanced returns the verdict on a load that load balancing had to deal with:
// what became of it, and what that says of the keys.
func (s *story) balanced() []string {
	bins := s.figures.Bins(figure.BalanceBin)
	if len(bins) == 0 {
		return []string{"Nothing can be said: no second of load was reported."}
	}
	b, end := s.summary.Balance, figure.Merged(bins[max(0, len(bins)-12):])
	switch b.Outcome {
	case results.LoadHeld:
		// What a warm-up met is no part of the measured load, and no secret.
		since := " from the start"
		apart := s.record.Counts(func(p *results.Phase, kind results.Kind) bool { return !p.Reported && kind.Group != "" })
		if apart.Throttled > 0 {
			since = fmt.Sprintf(" while it was measured (of %s attempts of other phases, such as a warm-up, %s were throttled)",
				document.Count(apart.Attempts), document.Count(apart.Throttled))
		}
		return []string{fmt.Sprintf("%s is borne%s: %s entities/s are served of %s operations/s, and %s of the attempts are throttled.",
			s.offered(bins), since, document.Rate(servedRate(end)), document.Rate(offeredRate(end)),
			document.Share(s.figures.Share("throttled").Value)), s.done(b)}
	case results.LoadRelieved:
		after := document.Minutes(*b.Relieved)
		return []string{s.throttling(bins, b),
			fmt.Sprintf("load balancing relieves it after %s, by %s, into %s: from then on %s entities/s are served of %s operations/s.", after,
				s.actions(b)+elsewhere(b), counted(b.Ranges, "range"), document.Rate(servedRate(end)), document.Rate(offeredRate(end))),
			fmt.Sprintf("so these PartitionKeys bear the load once the table has been split, and not in the first %s of a new one: "+
				"raise a load like this over that time, or retry with long waits.", after)}
	default:
		done := s.done(b)
		// Where load balancing made it more than at first, a few tails bear a target each.
		const more = 1.2
		if s.record.Manifest.Start == "cold" && servedRate(end) >= more*servedRate(firstBusy(bins)) {
			done += fmt.Sprintf(" In the end %s entities/s are served.", document.Rate(servedRate(end)))
		}
		return append([]string{s.throttling(bins, b), done}, s.stuck(end)...)
	}
}

func servedRate(b *figure.Bin) float64  { return b.PerSecond(b.Served) }
func offeredRate(b *figure.Bin) float64 { return b.PerSecond(b.Scheduled) }

func (s *story) offered(bins []figure.Bin) string {
	spread := s.record.Manifest.Spread
	switch {
	case spread == nil && !s.accountBinds() && !s.aimed():
		return s.subject()
	case spread == nil:
		return "the load on " + s.subject()
	case spread.Clients > 0:
		return fmt.Sprintf("the load of %s clients on %s", document.Count(int64(spread.Clients)), partitions(spread.Partitions))
	default:
		on := partitions(spread.Partitions)
		if spread.Partitions != 1 {
			on = "each of " + on
		}
		return fmt.Sprintf("a load of %s operations/s on %s", document.Rate(spread.Rate), on)
	}
}

func partitions(n int) string {
	if n == 1 {
		return "one partition"
	}
	return document.Count(int64(n)) + " partitions"
}

// firstBusy returns the first of the bins that is busy, else the last.
func firstBusy(bins []figure.Bin) *figure.Bin {
	first := 0
	for first < len(bins)-1 && !bins[first].Busy() {
		first++
	}
	return &bins[first]
}

func (s *story) throttling(bins []figure.Bin, b *results.Balance) string {
	worst := firstBusy(bins)
	since := "from the start"
	if *b.Throttled > 0 {
		since = "after " + document.Minutes(*b.Throttled)
	}
	return fmt.Sprintf("%s is throttled %s: of %s operations/s %s entities/s are served at first, and %s of the attempts throttled.",
		s.offered(bins), since, document.Rate(offeredRate(worst)), document.Rate(servedRate(worst)),
		document.Share(figure.ShareOf(worst.Throttled, worst.Attempts)))
}

func (s *story) actions(b *results.Balance) string {
	return fmt.Sprintf("%s, %s and %s", counted(b.Splits, "split"), counted(b.Moves, "move"), counted(b.Merges, "merge"))
}

// elsewhere tells of what load balancing did while nothing was measured.
func elsewhere(b *results.Balance) string {
	if b.Elsewhere == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %s more outside of the measured load)", document.Count(int64(b.Elsewhere)))
}

func counted(n int, thing string) string {
	if n == 0 {
		return "no " + thing
	}
	return document.Counted(n, thing)
}

// done says what load balancing did, where the outcome does not.
func (s *story) done(b *results.Balance) string {
	if s.record.Manifest.Start != "cold" {
		return ""
	}
	if b.Splits+b.Moves+b.Merges == 0 {
		return "load balancing changed nothing."
	}
	return fmt.Sprintf("load balancing made %s%s.", s.actions(b), elsewhere(b))
}

// stuck says what is throttled to the end, and why.
func (s *story) stuck(end *figure.Bin) []string {
	text := fmt.Sprintf("to the end it is throttled: of %s operations/s %s entities/s are served", document.Rate(offeredRate(end)), document.Rate(servedRate(end)))
	keys := s.figures.StillThrottled()
	const most = 3
	var names []string
	for _, key := range keys[:min(most, len(keys))] {
		names = append(names, fmt.Sprintf("%q (%s of its attempts)", shortened(key.Key), document.Share(figure.ShareOf(key.Throttled, key.Attempts))))
	}
	if more := len(keys) - most; more > 0 {
		names = append(names, counted(more, "more key"))
	}
	if len(names) > 0 {
		text += "; still throttled are " + strings.Join(names, ", ")
	}
	told := []string{text + "."}
	target, spread := s.record.Manifest.Targets.Partition, s.record.Manifest.Spread
	// Each attempt is taken for one entity: retries are part of what is asked.
	overTarget := target > 0 && spread != nil && (spread.Clients != 0 || spread.Rate > float64(target))
	switch {
	case overTarget && len(keys) > 0:
		also := ""
		if len(keys) > 1 {
			also = fmt.Sprintf(", like %s more beside it", document.Count(int64(len(keys)-1)))
		}
		told = append(told, fmt.Sprintf("a PartitionKey is never divided, however long its overload lasts: "+
			"%q alone is asked for more than the %s/s that one partition has%s, and needs more keys.",
			shortened(keys[0].Key), document.Count(target), also))
	case s.lastKept() != "":
		told = append(told, fmt.Sprintf("load balancing left it so: %s.", s.lastKept()))
	case s.accountsFull(end) != "":
		told = append(told, s.accountsFull(end))
	default:
		told = append(told, "the load did not last long enough for load balancing to finish.")
	}
	return told
}

// lastKept returns why load balancing last left a range as it was, if it did.
func (s *story) lastKept() string {
	why := ""
	for i := range s.record.Events {
		if e := &s.record.Events[i]; e.What == results.RangeKept && e.Decision != nil {
			why = e.Decision.Reason
		}
	}
	return printable(shortened(why))
}

// rival says whether the verdict survives another profile of the model.
func (s *story) rival() string {
	r := s.record.Rival
	if r == nil {
		return ""
	}
	name := printable(shortened(r.Profile))
	b := s.summary.Balance
	switch {
	case b != nil && b.Outcome != r.Outcome:
		return fmt.Sprintf("this verdict flips with the model: under profile %s the same load %s.", name, rivalWords(r))
	case b != nil:
		return fmt.Sprintf("this verdict survives: under profile %s the same load %s, too.", name, rivalWords(r))
	case (s.summary.Saturation == nil) != (r.Saturation == nil):
		return fmt.Sprintf("this verdict flips with the model: under profile %s the same load %s.", name, saturationWords(r))
	case r.Saturation == nil:
		return fmt.Sprintf("this verdict survives: under profile %s the same load is not saturated either.", name)
	case math.Abs(*r.Saturation-*s.summary.Saturation) > .1**s.summary.Saturation:
		return fmt.Sprintf("this verdict flips with the model: under profile %s the same load %s.", name, saturationWords(r))
	default:
		return fmt.Sprintf("this verdict survives: under profile %s the same load %s.", name, saturationWords(r))
	}
}

func rivalWords(r *results.Rival) string {
	switch {
	case r.Outcome == results.LoadHeld:
		return "is borne from the start"
	case r.Outcome == results.LoadRelieved && r.Relieved != nil:
		return "is throttled, and relieved after " + document.Minutes(*r.Relieved)
	default:
		return "is throttled to the end"
	}
}

func saturationWords(r *results.Rival) string {
	if r.Saturation == nil {
		return "is not saturated"
	}
	return fmt.Sprintf("saturates at %s entities/s", document.Rate(*r.Saturation))
}

// RivalOf returns what a record is held against where it is another profile's.
func RivalOf(record *results.Record) *results.Rival {
	summary := Judge(record)
	rival := &results.Rival{Profile: record.Manifest.Profile, Saturation: summary.Saturation}
	if b := summary.Balance; b != nil {
		rival.Outcome, rival.Throttled, rival.Relieved = b.Outcome, b.Throttled, b.Relieved
	}
	return rival
}
