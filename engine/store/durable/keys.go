package durable

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"loadgen/engine/entity"
)

// The kinds of what is stored: the first byte of each key. All numbers are big-endian,
// so that the order of the bytes is theirs.
//
//	a                                     the note of the account
//	d NAME                                until when the name of a deleted table is kept back
//	n NAME                                the note of a table
//	r NUMBER PARTITIONKEY 0x00 0x01 ROWKEY an entity, as entity.Packed has it
//	t NAME                                the number of a table and its name as it was created
//	y NUMBER                              the tally of a table
//
// NAME is in lower case. The keys of an entity are in the form of entity.SortKey, the
// first with each 0x00 written as 0x00 0xFF: a key comes before all that it begins.
const (
	kindAccount  = 'a'
	kindDeleted  = 'd'
	kindNote     = 'n'
	kindRow      = 'r'
	kindTable    = 't'
	kindTally    = 'y'
	numberSize   = 8
	rowKeyStart  = 1 + numberSize
	escapeByte   = 0x00
	escapedZero  = 0xFF
	partitionEnd = 0x01
)

func named(kind byte, folded string) []byte { return append([]byte{kind}, folded...) }

// numbered returns the key that begins all of a kind of one table.
func numbered(dst []byte, kind byte, table uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, kind), table)
}

// appendPartition appends what all entities of a partition begin with.
func appendPartition(dst []byte, table uint64, partitionKey string) []byte {
	dst = numbered(dst, kindRow, table)
	sorted := entity.SortKey(partitionKey)
	for i := range len(sorted) {
		if dst = append(dst, sorted[i]); sorted[i] == escapeByte {
			dst = append(dst, escapedZero)
		}
	}
	return append(dst, escapeByte, partitionEnd)
}

// appendRow appends the key of an entity.
func appendRow(dst []byte, table uint64, k entity.Key) []byte {
	return append(appendPartition(dst, table, k.Partition), entity.SortKey(k.Row)...)
}

// partitionLength returns how much of an entity's key is that of its partition, 0 where
// it is no such key.
func partitionLength(key []byte) int {
	for i := rowKeyStart; i+1 < len(key); i++ {
		if key[i] != escapeByte {
			continue
		}
		if i++; key[i] == partitionEnd {
			return i + 1
		}
	}
	return 0
}

// tally is what is known of a table as a whole. It is written as what changes, and added
// up when it is read, so that writers of different partitions need not know of each
// other.
type tally struct {
	// entities is how many there are.
	entities int64
	// floor is the greatest version of any that was deleted: what takes its place gets a
	// later one, so that the ETag of a deleted entity never matches.
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

// merger sums tallies. Its name is stored in the folder.
var merger = &pebble.Merger{Name: "loadgen.tally", Merge: func(_, value []byte) (pebble.ValueMerger, error) {
	first, err := parseTally(value)
	return &sum{first}, err
}}

// sum is an incomplete tally. The order of addition does not matter.
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
