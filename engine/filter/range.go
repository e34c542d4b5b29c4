package filter

import (
	"strings"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// Range is a half-open stretch of the index, in the order of (PartitionKey,
// RowKey): From is its first possible key, To the first key after it. The zero
// value, with Bounded false, is the whole table.
type Range struct {
	From entity.Key
	To   entity.Key
	// Bounded says that To counts; otherwise the range runs to the end.
	Bounded bool
}

// nul makes the immediate successor of a string in the index: no key holds a
// NUL, so that nothing comes between s and s+nul.
const nul = "\x00"

// WholeTable returns the whole table.
func WholeTable() Range { return Range{} }

// PartitionRange returns the partitions from fromPK on and before toPK.
func PartitionRange(fromPK, toPK string) Range {
	return between(entity.Key{Partition: fromPK}, entity.Key{Partition: toPK})
}

// OnePartition returns one whole partition.
func OnePartition(pk string) Range { return RowsFrom(pk, "") }

// Rows returns the rows of one partition from fromRK on and before toRK.
func Rows(pk, fromRK, toRK string) Range {
	return between(entity.Key{Partition: pk, Row: fromRK}, entity.Key{Partition: pk, Row: toRK})
}

// RowsFrom returns the rows of one partition from fromRK on.
func RowsFrom(pk, fromRK string) Range {
	return between(entity.Key{Partition: pk, Row: fromRK}, entity.Key{Partition: pk + nul})
}

// RowPrefix returns the rows of one partition whose RowKey begins with prefix.
func RowPrefix(pk, prefix string) Range { return RowPrefixes(pk, prefix, prefix) }

// RowPrefixes returns the rows of one partition from one prefix on up to another:
// the last are those whose RowKey begins with that.
func RowPrefixes(pk, from, upTo string) Range {
	if after, bounded := afterPrefix(upTo); bounded {
		return Rows(pk, from, after)
	}
	return RowsFrom(pk, from)
}

// PartitionPrefixes returns the partitions from one prefix on up to another: the
// last are those whose PartitionKey begins with that.
func PartitionPrefixes(from, upTo string) Range {
	if after, bounded := afterPrefix(upTo); bounded {
		return PartitionRange(from, after)
	}
	return Range{From: entity.Key{Partition: from}}
}

// Point returns the range of a single key.
func Point(pk, rk string) Range { return Rows(pk, rk, rk+nul) }

func between(from, to entity.Key) Range { return Range{From: from, To: to, Bounded: true} }

// Partition returns the one partition that the range lies in, and false where
// it spans several.
func (r Range) Partition() (string, bool) {
	pk := r.From.Partition
	if r.Bounded && (r.To.Partition == pk || r.endsWith(pk)) {
		return pk, true
	}
	return "", false
}

// endsWith reports whether the range ends just after the last row of pk.
func (r Range) endsWith(pk string) bool {
	before, found := strings.CutSuffix(r.To.Partition, nul)
	return r.Bounded && r.To.Row == "" && found && before == pk
}

// Contains reports whether a key lies in the range.
func (r Range) Contains(k entity.Key) bool {
	return r.From.Compare(k) <= 0 && (!r.Bounded || k.Compare(r.To) < 0)
}

// Empty reports whether no key can lie in the range.
func (r Range) Empty() bool { return r.Bounded && r.From.Compare(r.To) >= 0 }

// StartingAt returns the part of the range from k on, k included: what a
// query resumed at k has yet to read. A k before the range leaves it whole.
func (r Range) StartingAt(k entity.Key) Range {
	if r.From.Compare(k) < 0 {
		r.From = k
	}
	return r
}

// StartingAfter returns the part of the range after k, k excluded.
func (r Range) StartingAfter(k entity.Key) Range {
	k.Row += nul
	return r.StartingAt(k)
}

// afterPrefix returns the first string in the order of the index that comes
// after every string that begins with prefix, and false where none does: the
// prefix without its last character, followed by the character next to that.
// A prefix is a string of whole characters.
func afterPrefix(prefix string) (string, bool) {
	for prefix != "" {
		last, width := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-width]
		// By UTF-16 code unit the surrogates stand between U+D7FF and U+E000, and with them,
		// as pairs, all supplementary characters.
		switch last {
		case 0xD7FF:
			return prefix + "\U00010000", true
		case utf8.MaxRune:
			return prefix + "\uE000", true
		case 0xFFFF:
			// It is the last of all.
		default:
			return prefix + string(last+1), true
		}
	}
	return "", false
}
