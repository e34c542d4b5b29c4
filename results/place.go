package results

import (
	"cmp"
	"math/bits"
	"strings"
)

// place is a partition: what the name of its table adds to that of the test table, and
// its PartitionKey. One key in two tables is two partitions.
type place struct{ table, key string }

// compare orders places by table, then by key.
func (p place) compare(other place) int {
	return cmp.Or(strings.Compare(p.table, other.table), strings.Compare(p.key, other.key))
}

// directory finds what is followed by its place: a hash table with open addressing, half
// full at most. Where partitions never come again one is let go of and another followed
// at every attempt; a map of the language's would hash three texts for that, and this
// hashes one. The hash decides nothing but how long it takes.
type directory struct{ slots []slot }

// slot holds what is followed under a hash; nil is none.
type slot struct {
	hash uint64
	of   *followed
}

// slotsEach is how many slots there are to each partition that is followed. Both are
// powers of two.
const slotsEach = 2

// Ending returns a number that two partitions seldom share: of what a PartitionKey ends with,
// and how long its texts are. Whoever is told of the same few again and again finds them by it
// in a fraction of the time that a hash takes.
func Ending(table, key string) uint {
	ending := uint(len(table) + len(key))
	if last := len(key) - 1; last >= 0 {
		ending += uint(key[last]) + 11*uint(key[max(0, last-1)]) + 5*uint(key[last/2])
	}
	return ending
}

// mixed takes a text into a hash, eight bytes at a time: each is multiplied by an odd
// number without a pattern, and both halves of the product count.
func mixed(hash uint64, text string) uint64 {
	const factor = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio
	hash += uint64(len(text)) + factor
	for ; len(text) >= 8; text = text[8:] {
		word := uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
			uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
		high, low := bits.Mul64(hash^word, factor)
		hash = high ^ low
	}
	word := uint64(0)
	for i := range len(text) {
		word = word<<8 | uint64(text[i])
	}
	high, low := bits.Mul64(hash^word, factor)
	return high ^ low
}

// next returns the slot behind another.
func (d *directory) next(i int) int { return (i + 1) & (len(d.slots) - 1) }

// home returns the slot at which the search for a hash begins.
func (d *directory) home(hash uint64) int { return int(hash) & (len(d.slots) - 1) }

// find returns what is followed at a place, nil for nothing, and makes room before the
// first.
func (d *directory) find(hash uint64, at place) *followed {
	if d.slots == nil {
		d.slots = make([]slot, slotsEach*mostFollowed)
	}
	for i := d.home(hash); d.slots[i].of != nil; i = d.next(i) {
		if d.slots[i].hash == hash && d.slots[i].of.place == at {
			return d.slots[i].of
		}
	}
	return nil
}

// put adds what is not there yet.
func (d *directory) put(one *followed) {
	i := d.home(one.hash)
	for d.slots[i].of != nil {
		i = d.next(i)
	}
	d.slots[i] = slot{one.hash, one}
}

// drop removes what is there. Those behind it move up as far as they may, so that no
// search ends at the gap.
func (d *directory) drop(one *followed) {
	gap := d.home(one.hash)
	for d.slots[gap].of != one {
		gap = d.next(gap)
	}
	mask := len(d.slots) - 1
	for i := d.next(gap); d.slots[i].of != nil; i = d.next(i) {
		// It may move where the gap lies between its home and where it is.
		if (i-d.home(d.slots[i].hash))&mask >= (i-gap)&mask {
			d.slots[gap] = d.slots[i]
			gap = i
		}
	}
	d.slots[gap] = slot{}
}

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
		entities := a.Entities
		for i := range a.Beyond {
			entities -= a.Beyond[i].Entities
			r.offerAccount(a.Phase, a.Beyond[i].Account, a.Beyond[i].Entities)
		}
		r.offerAccount(a.Phase, a.Account, entities)
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
