package filter_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
)

func key(pk, rk string) entity.Key { return entity.Key{Partition: pk, Row: rk} }

// universe is a small table's worth of keys, awkward characters included.
func universe() []entity.Key {
	parts := []string{
		"", "a", "ab", "a b", "a'", "b", "b\uD7FF", "b\uE000", "b\uFFFF", "b\uFFFFz", "b\U00010000", "b\U0001F3C3", "b\U0010FFFF", "c",
		"\uFFFF", "\uFFFF\uFFFF",
	}
	var keys []entity.Key
	for _, pk := range parts {
		for _, rk := range parts {
			keys = append(keys, key(pk, rk))
		}
	}
	return keys
}

// before is the order of the index taken literally: UTF-16, unit by unit.
func before(a, b string) bool {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) < 0
}

func TestRangesHoldWhatTheySay(t *testing.T) {
	type holds func(entity.Key) bool
	// within holds what lies from one text on and before another, or begins with the last prefix.
	within := func(text, from, to, last string) bool {
		return !before(text, from) && (to == "" || before(text, to) || last != "" && strings.HasPrefix(text, last))
	}
	partitions := func(from, to, last string) holds {
		return func(k entity.Key) bool { return within(k.Partition, from, to, last) }
	}
	rows := func(partition, from, to, last string) holds {
		return func(k entity.Key) bool { return k.Partition == partition && within(k.Row, from, to, last) }
	}
	point := func(partition, row string) holds { return func(k entity.Key) bool { return k == key(partition, row) } }
	const table, span, partition, some = filter.ClassTableScan, filter.ClassPartitionRangeScan, filter.ClassPartitionScan, filter.ClassRowRange
	for _, row := range []struct {
		name  string
		r     filter.Range
		holds holds
		class filter.Class
		one   string
	}{
		{"all holds every key", filter.WholeTable(), partitions("", "", ""), table, "-"},
		{"a partition range is half open", filter.PartitionRange("ab", "c"), partitions("ab", "c", ""), span, "-"},
		{"it may begin with the empty key", filter.PartitionRange("", "a"), rows("", "", "", ""), span, "-"},
		{"up to the next key it is one partition", filter.PartitionRange("a", "a\x00"), rows("a", "", "", ""), partition, "a"},
		{"prefixes of partitions, the last with all that begin so", filter.PartitionPrefixes("a ", "b\U00010000"),
			partitions("a ", "b\U00010000", "b\U00010000"), span, "-"},
		{"those up to the greatest have no end", filter.PartitionPrefixes("c", "\uFFFF"), partitions("c", "", ""), span, "-"},
		{"prefixes of rows, the last with all that begin so", filter.RowPrefixes("a", "ab", "b"), rows("a", "ab", "b", "b"), some, "a"},
		{"those up to the greatest end with the partition", filter.RowPrefixes("a", "c", "\uFFFF"), rows("a", "c", "", ""), some, "a"},
		{"one partition", filter.OnePartition("b"), rows("b", "", "", ""), partition, "b"},
		{"the partition with the empty key", filter.OnePartition(""), rows("", "", "", ""), partition, ""},
		{"rows are half open", filter.Rows("b", "a b", "b\uE000"), rows("b", "a b", "b\uE000", ""), some, "b"},
		{"rows from one on run to the partition's end", filter.RowsFrom("b", "ab"), rows("b", "ab", "", ""), some, "b"},
		{"a point holds one key", filter.Point("b", "a'"), point("b", "a'"), filter.ClassPoint, "b"},
		{"a point may be the empty key", filter.Point("", ""), point("", ""), filter.ClassPoint, ""},
		{"rows up to a key are no partition scan", filter.Rows("a", "", "b"), rows("a", "", "b", ""), some, "a"},
		{"a table from a key on is no table scan", filter.WholeTable().StartingAt(key("b", "")), partitions("b", "", ""), span, "-"},
	} {
		i := slices.IndexFunc(universe(), func(k entity.Key) bool { return row.r.Contains(k) != row.holds(k) })
		assert.Negativef(t, i, "%s: Contains is wrong of key %d of the universe", row.name, i)
		assert.Falsef(t, row.r.Empty(), "%s: Empty() = true; want false", row.name)
		assert.Equalf(t, row.class, row.r.Class(), "%s: Class()", row.name)
		pk, one := row.r.Partition()
		assert.Truef(t, one == (row.one != "-") && (!one || pk == row.one), "%s: Partition() = %q, %v", row.name, pk, one)
	}
}

func TestRowPrefixIsHasPrefix(t *testing.T) {
	prefixes := []string{"", "\U0010FFFF\uFFFF", "\uFFFF\uFFFF\uFFFF"}
	for _, k := range universe() {
		prefixes = append(prefixes, k.Row)
	}
	for _, prefix := range prefixes {
		r := filter.RowPrefix("b", prefix)
		assert.Truef(t, utf8.ValidString(r.To.Row), "RowPrefix(b, %+q).To.Row = %+q; want valid UTF-8", prefix, r.To.Row)
		i := slices.IndexFunc(universe(), func(k entity.Key) bool {
			return r.Contains(k) != (k.Partition == "b" && strings.HasPrefix(k.Row, prefix))
		})
		assert.Negativef(t, i, "RowPrefix(b, %+q).Contains is wrong of key %d of the universe", prefix, i)
	}
}

func TestResumptionCutsARangeInTwo(t *testing.T) {
	keys := universe()
	rng := rand.New(rand.NewPCG(9, 10))
	pick := func() entity.Key { return keys[rng.IntN(len(keys))] }
	for range 400 {
		a, b, cut := pick(), pick(), pick()
		ranges := []filter.Range{
			filter.WholeTable(), filter.PartitionRange(a.Partition, b.Partition), filter.OnePartition(a.Partition),
			filter.Rows(a.Partition, a.Row, b.Row), filter.RowPrefix(a.Partition, b.Row), filter.Point(a.Partition, a.Row),
			{From: a, To: b, Bounded: true}, {From: a},
		}
		for _, r := range ranges {
			at, after := r.StartingAt(cut), r.StartingAfter(cut)
			i := slices.IndexFunc(keys, func(k entity.Key) bool {
				in, c := r.Contains(k), k.Compare(cut)
				return at.Contains(k) != (in && c >= 0) || after.Contains(k) != (in && c > 0)
			})
			require.Negativef(t, i, "%+v cut at %+q is wrong of key %d of the universe", r, cut, i)
		}
	}
}
