package advise

import (
	"math"

	"loadgen/scenarios/campaign"
)

// window is what neighbouring operations touch, in two halves by chance: the first
// to choose what is hottest, the second to measure it.
type window [2]half

// half is what half of the operations of a window touch.
type half struct {
	operations float64
	places     map[place]sum
	accounts   map[int]sum
	// unplaced is of queries that read several partitions.
	all, unplaced, inserted sum
}

// place is a partition of one of the tables.
type place struct{ table, key string }

// sum adds up what operations count, of which so many hit it, with the squares by
// which the sum varies.
type sum struct{ hits, entities, squares float64 }

func (s sum) plus(entities float64) sum {
	if entities == 0 {
		return s
	}
	return sum{s.hits + 1, s.entities + entities, s.squares + entities*entities}
}

// add looks at operation k, and has visit be told of each partition that it touches,
// too.
func (w *window) add(l *looker, k uint64, visit func(campaign.Touch)) (kind int, counted int64) {
	// The half is chosen by a hash, for what comes in turns could fall in step with every other one.
	h := &w[k*0x9e3779b97f4a7c15>>63]
	if h.places == nil {
		h.places, h.accounts = make(map[place]sum), make(map[int]sum)
	}
	places, accounts := make(map[place]float64), make(map[int]float64)
	touched, inserted := 0.0, 0.0
	kind, counted = l.preview.Operation(k, l.table, func(t campaign.Touch) {
		visit(t)
		entities := float64(t.Entities)
		touched += entities
		places[place{t.Table, t.Key.Partition}] += entities
		accounts[l.accounts.AccountOf(t.Key.Partition)] += entities
		if t.Inserts {
			inserted += entities
		}
	})
	all := max(touched, float64(counted))
	if rest := all - touched; rest > 0 {
		// A request of no partition goes to the first account.
		accounts[0] += rest
		h.unplaced = h.unplaced.plus(rest)
	}
	h.operations++
	h.all, h.inserted = h.all.plus(all), h.inserted.plus(inserted)
	for at, entities := range places {
		h.places[at] = h.places[at].plus(entities)
	}
	for at, entities := range accounts {
		h.accounts[at] = h.accounts[at].plus(entities)
	}
	return kind, counted
}

// rate returns what a sum of a half comes to where so many operations are due a
// second. What was hit by none of n operations can still have three of n (the rule of
// three), and so can what was hit by few.
func (h *half) rate(s sum, perSecond float64) Rate {
	mean := s.entities / h.operations
	off := 2 * math.Sqrt(max(0, s.squares/h.operations-mean*mean)/h.operations)
	each := s.entities / max(1, s.hits)
	unseen := 3 / h.operations * (1 - s.hits/h.operations) * max(1, each)
	return Rate{
		Value: perSecond * mean,
		Least: perSecond * max(0, mean-off),
		Most:  perSecond * (mean + max(off, unseen)),
	}
}

func (h *half) heat(at place, perSecond float64) Hottest {
	s := h.places[at]
	return Hottest{Rate: h.rate(s, perSecond), PartitionKey: at.key, Table: at.table,
		Share: min(1, s.entities/max(1, h.all.entities))}
}

// settle has what no partition was told of be that of the only one, if there is one.
func (w *window) settle(only *place) {
	for i := range w {
		h := &w[i]
		if only == nil || h.places == nil {
			continue
		}
		at, more := h.places[*only], h.unplaced
		h.places[*only] = sum{at.hits + more.hits, at.entities + more.entities, at.squares + more.squares}
		h.unplaced = sum{}
	}
}

// hottest returns the partition of which most is counted. Of equal ones it is the
// first.
func (h *half) hottest() place {
	hottest, most := place{}, -1.0
	for at, s := range h.places {
		first := at.table < hottest.table || at.table == hottest.table && at.key < hottest.key
		if s.entities > most || s.entities == most && first {
			hottest, most = at, s.entities
		}
	}
	return hottest
}

// busiest returns the account in which most is counted.
func (h *half) busiest() int {
	busiest, most := 0, -1.0
	for account, s := range h.accounts {
		if s.entities > most || s.entities == most && account < busiest {
			busiest, most = account, s.entities
		}
	}
	return busiest
}
