package advise

import (
	"math"

	"loadgen/scenarios/campaign"
)

// window is what neighbouring operations touch, in two random halves: the first selects the hottest
// partition, the second measures it.
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

// sum adds the entities of the operations that touch a place, with the squares for its variance.
type sum struct{ hits, entities, squares float64 }

func (s sum) plus(entities float64) sum {
	if entities == 0 {
		return s
	}
	return sum{s.hits + 1, s.entities + entities, s.squares + entities*entities}
}

// add looks at operation k and calls visit with each partition that it touches.
func (w *window) add(l *looker, k uint64, visit func(campaign.Touch)) (kind int, entities int64) {
	// A hash selects the half: operations in turns could coincide with every other one.
	h := &w[k*0x9e3779b97f4a7c15>>63]
	if h.places == nil {
		h.places, h.accounts = make(map[place]sum), make(map[int]sum)
	}
	places, accounts := make(map[place]float64), make(map[int]float64)
	touched, inserted := 0.0, 0.0
	kind, entities = l.preview.Operation(k, l.table, func(t campaign.Touch) {
		visit(t)
		entities := float64(t.Entities)
		touched += entities
		places[place{t.Table, t.Key.Partition}] += entities
		accounts[l.accounts.AccountOf(t.Key.Partition)] += entities
		if t.Inserts {
			inserted += entities
		}
	})
	all := max(touched, float64(entities))
	if rest := all - touched; rest > 0 {
		// A request without a partition goes to the first account.
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
	return kind, entities
}

// rate returns the rate of a sum at a rate of operations. A place that none of n operations touches may
// still get three of n (the rule of three), and so may a place with few.
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

// assignUnplaced adds the entities without a partition to the only one, if there is one.
func (w *window) assignUnplaced(only *place) {
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

// hottest returns the partition with most entities, the first of equal ones.
func (h *half) hottest() place {
	return largest(h.places, func(a, b place) bool { return a.table < b.table || a.table == b.table && a.key < b.key })
}

// busiest returns the account with most entities, the first of equal ones.
func (h *half) busiest() int { return largest(h.accounts, func(a, b int) bool { return a < b }) }

// largest returns the key with the largest sum, the least of equal ones; the zero value without any.
func largest[K comparable](sums map[K]sum, less func(a, b K) bool) (best K) {
	most := -1.0
	for at, s := range sums {
		if s.entities > most || s.entities == most && less(at, best) {
			best, most = at, s.entities
		}
	}
	return best
}
