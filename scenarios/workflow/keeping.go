package workflow

import (
	"sync"
	"time"
)

// Keeping is something that a client fetches once and then uses until it is over, such as
// a signature.
type Keeping struct {
	// Of tells it from what else clients keep: two operations of a phase whose keepings
	// are called the same share one, whoever fetched it.
	Of string
	// For is how long it is good, from when the operation that fetches it becomes due.
	For time.Duration
}

// MostKept is how many keepings an operation needs at most.
const MostKept = 8

// Lacking is the set of the keepings that the client of an operation has to fetch first.
type Lacking uint8

// Has reports whether the keeping at a position is lacking.
func (l Lacking) Has(at int) bool { return l&(1<<at) != 0 }

// Keeper says of each operation of a phase what its client lacks. An operation lacks a
// keeping where none before it, in the order of the numbers, fetched it, or where it is
// over when the operation becomes due; and where a keeping that the operation names before
// it has been fetched since, for it is good with that one only.
//
// It goes by when operations are due, never by what has become of them: a client that is
// still waiting for what it fetches fetches it once, and what was given up is taken for
// fetched. So it is a pure function of the number, in real time as in virtual, whichever
// operations are asked for first. It is safe for concurrent use.
type Keeper struct {
	needs func(k uint64) (due time.Duration, needs []Keeping)

	mu      sync.Mutex
	fetched map[string]fetched
	// lacking are those of the operations so far, a byte each.
	lacking []Lacking
}

// fetched is the last fetch of a keeping.
type fetched struct {
	by    uint64
	until time.Duration
}

// NewKeeper returns the keeper of a phase of which nobody has anything when it begins.
// needs says when an operation is due, not before the one ahead of it, and what it needs,
// [MostKept] at most: a pure function.
func NewKeeper(needs func(k uint64) (due time.Duration, needs []Keeping)) *Keeper {
	return &Keeper{needs: needs, fetched: make(map[string]fetched)}
}

// Lacks returns what operation k lacks. The first time it takes a look at each operation
// up to k.
func (r *Keeper) Lacks(k uint64) Lacking {
	r.mu.Lock()
	defer r.mu.Unlock()
	for next := uint64(len(r.lacking)); next <= k; next++ {
		due, needs := r.needs(next)
		lacks := Lacking(0)
		newest := uint64(0) // the latest fetch of those before, plus one
		for i, one := range needs {
			last, there := r.fetched[one.Of]
			if !there || due >= last.until || last.by+1 < newest {
				last = fetched{by: next, until: due + one.For}
				r.fetched[one.Of] = last
				lacks |= 1 << i
			}
			newest = max(newest, last.by+1)
		}
		r.lacking = append(r.lacking, lacks)
	}
	return r.lacking[k]
}
