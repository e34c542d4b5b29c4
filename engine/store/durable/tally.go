package durable

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"loadgen/engine/entity"
)

// tally is what is known of a table as a whole. It is written as what changes, and added
// up when it is read, so that writers of different partitions need not know of each
// other.
type tally struct {
	// entities is how many there are.
	entities int64
	// floor is the greatest version of any that was deleted: what takes its place gets a
	// later one, so that the tag of what was deleted never fits.
	floor entity.Ticks
}

const tallySize = 16

func (t tally) bytes() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(make([]byte, 0, tallySize), uint64(t.entities)), uint64(t.floor))
}

func parseTally(value []byte) (tally, error) {
	if len(value) != tallySize {
		return tally{}, fmt.Errorf("%w: a tally of %d bytes", ErrDamaged, len(value))
	}
	return tally{int64(binary.BigEndian.Uint64(value)), entity.Ticks(binary.BigEndian.Uint64(value[8:]))}, nil
}

// merger adds tallies up. Its name stands in the folder.
var merger = &pebble.Merger{Name: "loadgen.tally", Merge: func(_, value []byte) (pebble.ValueMerger, error) {
	first, err := parseTally(value)
	return &sum{first}, err
}}

// sum is a tally in the making. The order of what is added does not matter.
type sum struct{ tally }

var _ pebble.ValueMerger = (*sum)(nil)

// MergeNewer implements [pebble.ValueMerger].
func (s *sum) MergeNewer(value []byte) error {
	other, err := parseTally(value)
	s.entities += other.entities
	s.floor = max(s.floor, other.floor)
	return err
}

// MergeOlder implements [pebble.ValueMerger].
func (s *sum) MergeOlder(value []byte) error { return s.MergeNewer(value) }

// Finish implements [pebble.ValueMerger].
func (s *sum) Finish(bool) ([]byte, io.Closer, error) { return s.bytes(), nil, nil }
