package drive

import "fmt"

// Share is what one of several processes sends of a stage that they carry out together: the
// operations k with k mod Of = Index, and in a closed loop the lanes c with c mod Of = Index.
// An operation is the same whoever sends it, since all chance goes by its number. The zero
// value is all of a stage, and so is that of one process.
type Share struct {
	// Of is how many processes there are, Index which of them this is, from 0.
	Index, Of int
}

// Validate returns what is wrong with the share.
func (s Share) Validate() []error {
	if s == (Share{}) || s.Of >= 1 && s.Index >= 0 && s.Index < s.Of {
		return nil
	}
	return []error{fmt.Errorf("drive: share %d of %d; expected one from 0 to below the number of shares", s.Index, s.Of)}
}

// Whole reports whether it is all of a stage.
func (s Share) Whole() bool { return s.Of <= 1 }

// Count returns how many of so many operations, or lanes, belong to the share.
func (s Share) Count(all uint64) uint64 { return s.left(uint64(s.Index), all) }

// step is how far the numbers of the share's operations lie apart.
func (s Share) step() uint64 { return uint64(max(1, s.Of)) }

// left returns how many numbers of the share there are from one of them on, below a bound.
func (s Share) left(from, below uint64) uint64 {
	if from >= below {
		return 0
	}
	return (below-from-1)/s.step() + 1
}

// rate returns what of a rate belongs to the share.
func (s Share) rate(all float64) float64 { return all / float64(s.step()) }
