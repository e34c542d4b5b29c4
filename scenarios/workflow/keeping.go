package workflow

import (
	"sync"
	"time"
)

// Keeping is a cache entry: a client fetches it once and uses it until it expires, such as a
// signature.
type Keeping struct {
	// Of identifies the entry: operations of a phase with the same name share one entry.
	Of string
	// For is its lifetime, from the due time of the operation that fetches it.
	For time.Duration
}

// MaxKept is the maximum number of cache entries that an operation needs.
const MaxKept = 8

// Lacking is the set of cache entries that the client of an operation must fetch first.
type Lacking uint8

// Has reports whether the entry at a position is lacking.
func (l Lacking) Has(at int) bool { return l&(1<<at) != 0 }

// Keeper returns what the client of each operation of a phase has to fetch. An operation fetches an
// entry if no earlier one did, if the entry expired before the operation is due, or if an entry
// that it depends on was fetched since.
//
// It depends on due times only, never on outcomes: a client that waits for an entry fetches it
// once, and a failed fetch counts as fetched. So it is a pure function of the number, in real and
// in virtual time, in any order of calls. It is safe for concurrent use.
type Keeper struct {
	needs func(k uint64) (due time.Duration, needs []Keeping)

	mu      sync.Mutex
	fetched map[string]fetched
	// lacking are those of the operations so far, a byte each.
	lacking []Lacking
}

// fetched is the last fetch of an entry.
type fetched struct {
	by    uint64
	until time.Duration
}

// NewKeeper returns the keeper of a phase with an empty cache. needs returns when an operation is
// due, in increasing order, and what it needs, at most [MaxKept] entries: a pure function.
func NewKeeper(needs func(k uint64) (due time.Duration, needs []Keeping)) *Keeper {
	return &Keeper{needs: needs, fetched: make(map[string]fetched)}
}

// Lacks returns the entries that operation k lacks. The first call examines all operations up to k.
func (r *Keeper) Lacks(k uint64) Lacking {
	r.mu.Lock()
	defer r.mu.Unlock()
	for next := uint64(len(r.lacking)); next <= k; next++ {
		due, needs := r.needs(next)
		lacks := Lacking(0)
		newest := uint64(0) // the latest fetch of those before, plus one
		for i, one := range needs {
			last, known := r.fetched[one.Of]
			if !known || due >= last.until || last.by+1 < newest {
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
