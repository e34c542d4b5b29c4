package advise

import (
	"math"
	"sort"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/campaign"
)

// How much of a load is looked at: windows of neighbouring operations for what is
// hottest at a time, and single ones all over the load for how keys lie.
const (
	windows    = 12
	windowMost = 2500
	scattered  = 40_000
	// looks is how many moments are looked at for the busiest.
	looks = 3600
	// commonest is how many of the commonest partitions are listed.
	commonest = 5
	// pageEntities is how many entities a page of a query holds at most.
	pageEntities = 1000
)

func look(p *campaign.Preview, s *scenarios.Scenario, phase *scenarios.Phase, times Times) Load {
	l := &looker{preview: p, table: s.Table, count: p.Count(), accounts: s.Sharding(),
		kinds: make([]counter, len(p.Approaches())), likely: -1, likelyAll: -1}
	l.load = Load{Phase: p.Name, Operations: l.count, Events: phase.Traffic.Events(), Asked: phase.Traffic.AskedRate()}
	l.load.Seconds = p.Length.Seconds()
	if l.count > 0 {
		l.scatter()
		busiest, most := time.Duration(0), -1.0
		for at := time.Duration(0); at < l.preview.Length; at += max(time.Second, l.preview.Length/looks) {
			if rate, _, surely := l.rate(at); surely > most {
				busiest, most, l.load.PerSecond = at, surely, rate
			}
		}
		l.window(busiest)
		l.seen = 0
		for i := range uint64(windows) {
			l.window(l.preview.At(l.count * i / windows))
		}
		// What comes seldom and counts much may be in no window: where no partition was hotter
		// for a while, the one that is commonest over all the load is, and so for the account.
		if chosen, measured := &l.all[0], &l.all[1]; chosen.operations > 0 && measured.operations > 0 {
			if h := measured.heat(chosen.hottest(), l.load.PerSecond); l.likely < 0 || h.Value > l.load.Hottest.Value {
				l.load.Hottest = h
			}
			if a := measured.rate(measured.accounts[chosen.busiest()], l.load.PerSecond); a.Value > l.load.Account.Value {
				l.load.Account = a
				l.load.Scans = measured.rate(measured.unplaced, l.load.PerSecond)
			}
		}
	}
	for i, approach := range p.Approaches() {
		t := l.kinds[i]
		one := Operation{Name: approach.Spec.Name, Verb: approach.Spec.Verb.String(),
			Share: float64(t.operations) / float64(max(1, l.load.Sampled)),
			Why:   approach.Why, Narrowed: approach.Narrowed, Requests: t.requests(&approach), rank: approach.Class, spec: approach.Spec}
		if t.performed > 0 {
			one.Workflow, one.AtLeast = approach.Spec.Workflow, t.sent.Queries > 0
			one.Beside = float64(t.sent.Beside) / float64(t.performed)
		}
		if approach.Class != 0 {
			one.Class = approach.Class.String()
		}
		if t.operations > 0 {
			one.Entities = float64(t.entities) / float64(t.operations)
		}
		l.load.Approaches = append(l.load.Approaches, one)
	}
	l.load.wait(phase, times)
	return l.load
}

// looker looks at one phase.
type looker struct {
	preview  *campaign.Preview
	table    string
	count    uint64
	accounts *scenarios.Sharding
	load     Load
	kinds    []counter
	// all are the operations that were looked at all over the load.
	all window
	// seen is the first operation after the windows so far: they do not overlap, but
	// that the busiest comes first.
	seen uint64
	// only is the one partition that there is, nil where there are several.
	only *place
	// likely is how hot the hottest window seemed at least, by the half of its
	// operations that it was chosen by, and likelyAll the same of the busiest account;
	// both are negative before the first.
	likely, likelyAll float64
}

// counter is what operations of one kind came to, and how many partitions they touched.
// Of workflows, what so many of them send.
type counter struct {
	operations, entities, touched int64
	performed                     int64
	sent                          campaign.Sent
}

// scatter looks at operations all over the load.
func (l *looker) scatter() {
	seen, err := keystatistics.New(keystatistics.Options{Seed: 1})
	if err != nil {
		panic("explain: the usual survey is impossible: " + err.Error())
	}
	step := max(1, l.count/scattered)
	for k := uint64(0); k < l.count; k += step {
		at := clock.Instant(l.preview.At(k))
		touched := int64(0)
		kind, entities := l.all.add(l, k, func(t campaign.Touch) {
			touched++
			if t.Table != "" {
				return
			}
			row := keystatistics.Row{PartitionKey: t.Key.Partition, RowKey: t.Key.Row, Instant: at, HasInstant: true,
				Entities: t.Entities, Kind: keystatistics.Other}
			if t.Inserts {
				row.Kind = keystatistics.Insert
			}
			seen.Add(&row)
		})
		t := &l.kinds[kind]
		t.operations++
		t.entities += entities
		t.touched += touched
		if t.performed < performances {
			if sent, some := l.preview.Sent(k, l.table); some {
				t.performed++
				t.sent.Requests += sent.Requests
				t.sent.Queries += sent.Queries
				t.sent.Beside += sent.Beside
			}
		}
		l.load.Sampled++
	}
	report := seen.Report()
	l.load.Keys = spreadOf(&report, commonest)
	touched := make(map[place]bool)
	for i := range l.all {
		for at := range l.all[i].places {
			touched[at] = true
		}
	}
	if len(touched) == 1 {
		for at := range touched {
			l.only = &at
		}
	}
	l.all.settle(l.only)
}

// performances is how many operations of a workflow are looked at for what they send.
const performances = 400

// rate returns how many operations are due a second from a time on, for how long, and
// what that surely is. Of few operations a long while tells more; of many a short one
// shows a burst.
func (l *looker) rate(at time.Duration) (rate float64, length time.Duration, surely float64) {
	first := l.dueBefore(at)
	surely = -1
	for _, one := range []time.Duration{time.Second, 3 * time.Second, 10 * time.Second} {
		one = min(one, l.preview.Length-at)
		if one <= 0 {
			break
		}
		due := float64(l.dueBefore(at+one) - first)
		least := (due - 2*math.Sqrt(due)) / one.Seconds()
		if least > surely || length == 0 {
			rate, length, surely = due/one.Seconds(), one, least
		}
	}
	return rate, length, surely
}

// dueBefore returns how many operations are due before a time.
func (l *looker) dueBefore(at time.Duration) uint64 {
	return uint64(sort.Search(int(l.count), func(k int) bool { return l.preview.At(uint64(k)) >= at }))
}

// window looks at neighbouring operations from a time on. Which partition is hottest,
// and when, is told by half of the operations, and how hot it is by the rest: the
// greatest of many alike would seem hotter than it is by chance.
func (l *looker) window(at time.Duration) {
	rate, length, _ := l.rate(at)
	first := l.dueBefore(at)
	if first < l.seen {
		return
	}
	end := min(l.dueBefore(at+length), first+windowMost)
	l.seen = end
	var w window
	for k := first; k < end; k++ {
		w.add(l, k, func(campaign.Touch) {})
	}
	w.settle(l.only)
	chosen, measured := &w[0], &w[1]
	if chosen.operations == 0 || measured.operations == 0 {
		return
	}
	account := chosen.busiest()
	if seemed := chosen.rate(chosen.accounts[account], rate).Least; seemed > l.likelyAll {
		l.likelyAll = seemed
		l.load.Account = measured.rate(measured.accounts[account], rate)
		l.load.Scans = measured.rate(measured.unplaced, rate)
		l.load.Inserts = measured.rate(measured.inserted, rate).Value
	}
	hottest := chosen.hottest()
	if seemed := chosen.rate(chosen.places[hottest], rate).Least; seemed > l.likely {
		l.likely = seemed
		l.load.Hottest = measured.heat(hottest, rate)
	}
}

// requests returns how many an operation takes: its pages, what reads before it
// writes, and the writes of copies.
func (t *counter) requests(a *campaign.Approach) float64 {
	if t.operations == 0 {
		return 1
	}
	if t.performed > 0 {
		return float64(t.sent.Requests) / float64(t.performed)
	}
	requests := 1.0
	writes := a.Spec.Verb != entity.Query && a.Spec.Verb != entity.Get
	switch {
	case writes && (a.Spec.ReadFirst || len(a.Spec.By) > 0):
		requests = 2
	case writes:
		requests = math.Max(1, float64(t.touched)/float64(t.operations))
	}
	if a.Class <= filter.ClassPoint {
		return requests
	}
	page := float64(pageEntities)
	if a.Spec.Top > 0 && !a.Narrowed {
		page = float64(a.Spec.Top)
	}
	queries := float64(max(1, a.Queries))
	pages := math.Ceil(float64(t.entities) / float64(t.operations) / queries / page)
	return requests + queries*math.Max(1, pages) - 1
}
