package verdict

import (
	"time"

	"loadgen/results"
)

// balanceBin is the time over which refusals are looked at: long enough for a
// share of them to mean something, short against the minutes that load balancing
// takes. settled is how long before the end of the load the last refusals must lie
// for it to be called relieved.
const (
	balanceBin = 10
	settled    = 30
)

// loadBin is what became of the reported load in a few seconds.
type loadBin struct {
	// from and to are in whole seconds of the run.
	from, to                             int64
	scheduled, attempts, refused, served int64
}

// throttled says whether enough of the bin's attempts were refused.
func (b *loadBin) throttled() bool {
	return b.refused > 0 && float64(b.refused) >= refusedEnough*float64(b.attempts)
}

// perSecond is a sum of the bin as a rate.
func (b *loadBin) perSecond(sum int64) float64 { return float64(sum) / float64(max(1, b.to-b.from)) }

// loadBins returns the reported load in bins of so many seconds, the last of which
// may be shorter.
func loadBins(record *results.Record, seconds int64) []loadBin {
	begin, end, some := loadSpan(record)
	if !some {
		return nil
	}
	var bins []loadBin
	for i := range record.Intervals {
		one := &record.Intervals[i]
		if one.Second < begin || one.Second >= end {
			continue
		}
		at := int((one.Second - begin) / seconds)
		for len(bins) <= at {
			from := begin + int64(len(bins))*seconds
			bins = append(bins, loadBin{from: from, to: min(from+seconds, end)})
		}
		bins[at].scheduled += one.Scheduled
		bins[at].attempts += one.Attempts
		bins[at].refused += one.Refused
		bins[at].served += one.Served
	}
	return bins
}

// loadSpan returns the whole seconds of the reported load, as far as the run came.
func loadSpan(record *results.Record) (begin, end int64, some bool) {
	for _, step := range reported(record) {
		from, to := int64(step.Phase.Begin/time.Second), int64(step.end/time.Second)
		if !some {
			begin, end, some = from, to, true
		}
		begin, end = min(begin, from), max(end, to)
	}
	return begin, end, some && end > begin
}

// spreads says that the run is judged by how load balancing dealt with it: load on
// several partitions, or on a table that began cold.
func spreads(record *results.Record) bool {
	return record.Manifest.Spread != nil || record.Manifest.Start == "cold" && record.Manifest.Time == "virtual"
}

// balance sums up what load balancing came to, nil where the run is not about it.
func balance(record *results.Record) *results.Balance {
	if !spreads(record) {
		return nil
	}
	b := &results.Balance{Outcome: results.Held, StillRefused: []string{}}
	for i := range record.Events {
		event := &record.Events[i]
		switch event.What {
		case results.RangeSplit, results.SizeSplit:
			b.Splits++
		case results.RangeMoved:
			b.Moves++
		case results.RangesMerged:
			b.Merges++
		}
		if event.Decision != nil {
			b.Ranges = event.Decision.Ranges
		}
	}
	bins := loadBins(record, balanceBin)
	for i := range bins {
		if !bins[i].throttled() {
			continue
		}
		since, until := float64(bins[i].from-bins[0].from), float64(bins[i].to-bins[0].from)
		if b.Throttled == nil {
			b.Throttled = &since
		}
		b.Relieved = &until
	}
	switch {
	case b.Throttled == nil:
	case *b.Relieved > float64(bins[len(bins)-1].to-bins[0].from-settled):
		b.Outcome, b.Relieved = results.Throttled, nil
		for _, key := range stillRefused(record) {
			b.StillRefused = append(b.StillRefused, key.Key)
		}
	default:
		b.Outcome = results.Relieved
	}
	if record.Rival != nil {
		b.Survives = new(b.Outcome == record.Rival.Outcome)
	}
	return b
}

// stillRefused returns the keys of which enough attempts were refused in the last
// part of the load.
func stillRefused(record *results.Record) []results.KeyTail {
	var list []results.KeyTail
	for _, key := range record.Tail {
		if key.Refused > 0 && float64(key.Refused) >= refusedEnough*float64(key.Attempts) {
			list = append(list, key)
		}
	}
	return list
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
