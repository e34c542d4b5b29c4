package results

import (
	"cmp"
	"slices"
	"time"
)

// mostPartitions bounds how many partitions a phase tells apart.
const mostPartitions = 10_000

// KeptPartitions is how many partitions of a phase the record names for their busiest
// second, and how many others at most for their mean: a burst must not hide the one that
// had most over the whole of the phase.
const KeptPartitions = 10

// partitionLoad is the load of a partition in a phase, in entities. Hit says that
// an operation of the phase began there.
type partitionLoad struct {
	served, offered load
	hit             bool
}

// load is a number of entities, and how many fell into the busiest second.
type load struct {
	entities int64
	busiest  int64
	atLeast  bool
	// open are the seconds that more may still come to, in their order; from is the
	// first that is open.
	open []loadSecond
	from int64
}

type loadSecond struct{ second, entities int64 }

// openSeconds is for how many seconds of a partition more may come: a request is given
// up after 30 s, and what ends is told at once.
const openSeconds = 64

// add counts entities in a second of the phase.
func (l *load) add(second, entities int64) {
	l.entities += entities
	if second < l.from {
		l.atLeast = true
		return
	}
	at := len(l.open)
	for at > 0 && l.open[at-1].second > second {
		at--
	}
	if at == 0 || l.open[at-1].second != second {
		l.open = slices.Insert(l.open, at, loadSecond{second, 0})
		at++
	}
	one := &l.open[at-1]
	one.entities += entities
	l.busiest = max(l.busiest, one.entities)
	if l.open[0].second <= second-openSeconds {
		l.from = second - openSeconds + 1
		l.open = slices.DeleteFunc(l.open, func(s loadSecond) bool { return s.second < l.from })
	}
}

// partition adds an attempt to the load of its partition: what it served in the
// phase in which it ended, whichever its operation belongs to, since what retries
// bring to a later phase is that one's heat; and with the first attempt of an
// operation what that was due to touch, in the operation's own phase.
func (r *Recorder) partition(a *Attempt) {
	ended, within := 0, false
	if a.Class == Ok {
		ended, within = r.phaseAt(a.Done)
	}
	var load *partitionLoad
	at := place{a.Table, a.PartitionKey}
	if a.Try == 0 {
		for i := range a.Beyond {
			r.offer(a, place{a.Beyond[i].Table, a.Beyond[i].PartitionKey}, a.Beyond[i].Entities)
		}
		if a.HasPartition {
			load = r.offer(a, at, a.own())
		}
	}
	if !within || !a.HasPartition {
		return
	}
	if load == nil || ended != a.Phase {
		load = r.loadOf(ended, at)
	}
	if load != nil {
		load.served.add(r.secondOf(ended, a.Done), a.Counted)
	} else {
		r.record.Phases[ended].PartitionsOver += a.Counted
	}
}

// secondOf returns the second of a phase, counted from its begin, in which an instant
// lies.
func (r *Recorder) secondOf(phase int, at time.Duration) int64 {
	return int64(max(0, at-r.record.Phases[phase].Begin) / time.Second)
}

// offer adds what the operation of a first attempt is due to touch to the load of a
// partition, and returns that, nil where it is one too many.
func (r *Recorder) offer(a *Attempt, at place, entities int64) *partitionLoad {
	load := r.loadOf(a.Phase, at)
	if load == nil {
		r.record.Phases[a.Phase].OfferedOver += entities
		return nil
	}
	load.offered.add(r.secondOf(a.Phase, a.Intended), entities)
	load.hit = true
	return load
}

// loadOf returns the load of a partition in a phase, nil where it is one too many.
func (r *Recorder) loadOf(phase int, at place) *partitionLoad {
	loads := r.partitions[phase]
	load := loads[at]
	if load == nil && len(loads) < mostPartitions {
		load = new(partitionLoad)
		loads[at] = load
	}
	return load
}

// closePartitions writes the busiest partitions of a phase into the record, and how
// evenly all of them were served.
func (r *Recorder) closePartitions(phase int) {
	p := &r.record.Phases[phase]
	var served []PartitionStats
	offered := []PartitionStats{}
	for at, load := range r.partitions[phase] {
		if load.hit {
			offered = append(offered, load.offered.stats(at))
		}
		if load.served.entities > 0 {
			served = append(served, load.served.stats(at))
		}
	}
	p.Partitions, p.Offered = NamedPartitions(served), NamedPartitions(offered)
	p.PartitionsHit = int64(len(offered))
	p.Shares = SharesOf(p.Seconds(), offered, func(of *PartitionStats) int64 {
		return r.partitions[phase][place{of.Table, of.Key}].served.entities
	})
}

func (l *load) stats(at place) PartitionStats {
	return PartitionStats{at.table, at.key, l.entities, l.busiest, l.atLeast}
}

// NamedPartitions sorts partitions by their busiest second, then by their entities, most first,
// ties by key and table, and returns those that a record names: the first of them, and of
// the others those with the most entities, in the same order.
func NamedPartitions(all []PartitionStats) []PartitionStats {
	slices.SortFunc(all, byBusiest)
	if len(all) <= KeptPartitions {
		return slices.Clone(all)
	}
	others := slices.Clone(all[KeptPartitions:])
	slices.SortStableFunc(others, func(a, b PartitionStats) int { return cmp.Compare(b.Entities, a.Entities) })
	others = others[:min(len(others), KeptPartitions)]
	slices.SortFunc(others, byBusiest)
	return slices.Concat(all[:KeptPartitions], others)
}

func byBusiest(a, b PartitionStats) int {
	return cmp.Or(cmp.Compare(b.Busiest, a.Busiest), cmp.Compare(b.Entities, a.Entities), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Table, b.Table))
}

// place is a partition: what the name of its table adds to that of the test table, and
// its PartitionKey. One key in two tables is two partitions.
type place struct{ table, key string }

// AccountStats is the load of one account in a phase of a run over several.
type AccountStats struct {
	// Offered is what the operations due in the phase meant to touch in the account, in
	// entities: what they do beside their own partition where that lies, such as copies,
	// and all else where their first request went. What was never sent went to none.
	Offered int64 `json:"offered_entities"`
	// Served are the entities counted for successes, and Throttled the attempts
	// throttled, that ended while the phase lasted: as in [Phase.Partitions], no account
	// seems to have served more per second than it did.
	Served    int64 `json:"served_entities"`
	Throttled int64 `json:"throttled"`
}

func (r *Recorder) account(a *Attempt) {
	if a.Try == 0 {
		for i := range a.Beyond {
			r.offerAccount(a.Phase, a.Beyond[i].Account, a.Beyond[i].Entities)
		}
		r.offerAccount(a.Phase, a.Account, a.own())
	}
	phase, found := r.phaseAt(a.Done)
	if !found || a.Account >= len(r.record.Phases[phase].Accounts) {
		return
	}
	one := &r.record.Phases[phase].Accounts[a.Account]
	switch a.Class {
	case Ok:
		one.Served += a.Counted
	case Throttled:
		one.Throttled++
	}
}

func (r *Recorder) offerAccount(phase, account int, entities int64) {
	if of := r.record.Phases[phase].Accounts; account < len(of) {
		of[account].Offered += entities
	}
}

// Busiest returns the position of the account that was offered most in the phase,
// the first of equals, and false where the run was not over several.
func (p *Phase) Busiest() (int, bool) {
	most := 0
	for i := range p.Accounts {
		if p.Accounts[i].Offered > p.Accounts[most].Offered {
			most = i
		}
	}
	return most, len(p.Accounts) > 0
}
