package verdict

import (
	"math"
	"slices"
	"time"

	"loadgen/results"
	"loadgen/results/figure"
)

// balancing is a load that load balancing had to deal with.
type balancing struct {
	*evidence
	*results.Balance
	// First is the first stretch with enough throttling, End the last minute; Warmup are the attempts of phases that are
	// not reported.
	First, End *figure.Bin
	Warmup     results.KindStats
}

func (e *evidence) Balancing() *balancing {
	bins := e.figures.Bins(figure.BalanceBin)
	if e.Summary.Balance == nil || e.Summary.Killed != nil || e.Summary.Validity != results.Valid || e.Limit != nil || len(bins) == 0 {
		return nil
	}
	b := e.Summary.Balance
	if b.Outcome != results.LoadHeld && b.Throttled == nil || b.Outcome == results.LoadRelieved && b.Relieved == nil {
		return nil
	}
	busy := slices.IndexFunc(bins, func(b figure.Bin) bool { return b.Busy() })
	if busy < 0 {
		busy = len(bins) - 1
	}
	const endBins = 12
	return &balancing{e, e.Summary.Balance, &bins[busy], figure.Merged(bins[max(0, len(bins)-endBins):]),
		e.Counts(func(p *results.Phase, kind results.Kind) bool { return !p.Reported && kind.Group != "" })}
}

// Balanced returns the evidence of balancing of a load with one of the outcomes.
func (e *evidence) Balanced(outcomes ...string) *balancing {
	if b := e.Balancing(); b != nil && slices.Contains(outcomes, b.Outcome) {
		return b
	}
	return nil
}

// LaterThrottled reports whether the load was not throttled at first.
func (b *balancing) LaterThrottled() bool { return *b.Balance.Throttled > 0 }

// AllThrottled is the share of all attempts.
func (b *balancing) AllThrottled() float64 { return b.figures.Share("throttled").Value }

// stuck is a load that is throttled to its end, and what keeps it so.
type stuck struct {
	*balancing
	Keys []results.KeyTail
	// Over is the key that alone exceeds the target of a partition, empty if unknown; Kept is why load balancing last left
	// a range as it was; Full reports that the accounts are at their limit.
	Over, Kept string
	Full       bool
}

func (e *evidence) Stuck() *stuck {
	b := e.Balanced(results.LoadThrottled)
	if b == nil {
		return nil
	}
	s := &stuck{balancing: b, Keys: e.figures.StillThrottled()}
	target, spread := e.Manifest.Targets.Partition, e.Manifest.Spread
	full := float64(e.Manifest.Targets.Account * int64(max(1, e.Manifest.Accounts)))
	// Each attempt is taken for one entity: retries are part of the demand.
	if target > 0 && spread != nil && (spread.Clients != 0 || spread.Rate > float64(target)) && len(s.Keys) > 0 {
		s.Over = s.Keys[0].Key
	}
	for i := range e.Events {
		if event := &e.Events[i]; event.What == results.RangeKept && event.Decision != nil {
			s.Kept = event.Decision.Reason
		}
	}
	s.Full = full > 0 && b.End.PerSecond(b.End.Served) >= almostAll*full
	return s
}

// Survives reports whether the verdict is the same under the other profile of the model.
func (e *evidence) Survives() bool {
	own, other := e.Summary.Saturation, e.Rival.Saturation
	switch b := e.Summary.Balance; {
	case b != nil:
		return b.Outcome == e.Rival.Outcome
	case own == nil || other == nil:
		return own == other
	default:
		return math.Abs(*other-*own) <= .1**own
	}
}

// RivalOf returns the outcome of a record, to compare it with that of another profile.
func RivalOf(record *results.Record) *results.Rival {
	summary := Judge(record)
	rival := &results.Rival{Profile: record.Manifest.Profile, Saturation: summary.Saturation}
	if b := summary.Balance; b != nil {
		rival.Outcome, rival.Throttled, rival.Relieved = b.Outcome, b.Throttled, b.Relieved
	}
	return rival
}

// maxNamed is the maximum number of findings of one kind.
const maxNamed = 3

// actions are numbers of actions of load balancing.
type actions struct{ Splits, Moves, Merges int }

// count adds a decision that was carried out, and reports whether it was.
func (a *actions) count(event *results.Event) bool {
	switch {
	case !event.Balanced():
		return false
	case event.What == results.RangeMoved:
		a.Moves++
	case event.What == results.RangesMerged:
		a.Merges++
	default:
		a.Splits++
	}
	return true
}

// course is what load balancing did under captured traffic: the shares of attempts that were throttled before its
// first action and after its last, nil without attempts.
type course struct {
	actions
	Before, After *float64
}

func (e *evidence) Course() *course {
	c, first, back := &course{}, time.Duration(-1), time.Duration(0)
	for i := range e.Events {
		if one := &e.Events[i]; c.count(one) {
			if first < 0 {
				first = time.Duration(one.At)
			}
			back = max(back, time.Duration(one.At), one.Decision.Until)
		}
	}
	if first >= 0 {
		c.Before = throttledBetween(e.Record, 0, first)
		c.After = throttledBetween(e.Record, back+time.Second, e.Duration+time.Second)
	}
	return c
}

// throttledBetween returns the throttled share of the attempts in the seconds that begin and end between two instants,
// nil without attempts.
func throttledBetween(record *results.Record, from, to time.Duration) *float64 {
	var attempts, throttled int64
	for i := range record.Intervals {
		one := &record.Intervals[i]
		if begin := time.Duration(one.Second) * time.Second; begin >= from && time.Duration(one.End())*time.Second <= to {
			attempts, throttled = attempts+one.Attempts, throttled+one.Throttled
		}
	}
	if attempts == 0 {
		return nil
	}
	return new(figure.ShareOf(throttled, attempts))
}

// Minute is one stretch of a load: operations due, entities served and attempts throttled per second, and the actions
// of load balancing. Ranges is their number after the last decision of the stretch, 0 without one.
type Minute struct {
	From                       time.Duration
	Offered, Served, Throttled float64
	actions
	Ranges int
}

// Minutes returns a load in equal stretches of whole minutes, up to a maximum number, if the run is about load
// balancing; else nil.
func Minutes(record *results.Record, limit int) []Minute {
	figures := figure.NewFigures(record)
	begin, end, some := figures.Span()
	if !some || !figure.Spreads(record) {
		return nil
	}
	length := int64(60)
	for (end-begin+length-1)/length > int64(limit) {
		length += 60
	}
	bins := figures.Bins(length)
	list := make([]Minute, len(bins))
	for i := range bins {
		b := &bins[i]
		list[i] = Minute{From: time.Duration(b.From-begin) * time.Second, Offered: b.PerSecond(b.Scheduled),
			Served: b.PerSecond(b.Served), Throttled: b.PerSecond(b.Throttled)}
	}
	for i := range record.Events {
		e := &record.Events[i]
		at := (int64(time.Duration(e.At)/time.Second) - begin) / length
		if e.Decision == nil || at < 0 || at >= int64(len(list)) {
			continue
		}
		list[at].count(e)
		list[at].Ranges = e.Decision.Ranges
	}
	return list
}
