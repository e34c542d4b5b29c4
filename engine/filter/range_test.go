package filter_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

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
	for _, row := range []struct {
		name  string
		r     filter.Range
		holds func(entity.Key) bool
		class filter.Class
		one   string
	}{
		{"all holds every key", filter.All(), func(entity.Key) bool { return true }, filter.ClassTableScan, "-"},
		{"a partition range is half open", filter.PartitionRange("ab", "c"), func(k entity.Key) bool {
			return !before(k.Partition, "ab") && before(k.Partition, "c")
		}, filter.ClassPartitionRangeScan, "-"},
		{"a partition range may begin with the empty key", filter.PartitionRange("", "a"), func(k entity.Key) bool {
			return k.Partition == ""
		}, filter.ClassPartitionRangeScan, "-"},
		{"a partition range up to the next key is one partition", filter.PartitionRange("a", "a\x00"), func(k entity.Key) bool {
			return k.Partition == "a"
		}, filter.ClassPartitionScan, "a"},
		{"prefixes of partitions, the last with all that begin so", filter.PartitionPrefixes("a ", "b\U00010000"), func(k entity.Key) bool {
			return !before(k.Partition, "a ") && (before(k.Partition, "b\U00010000") || strings.HasPrefix(k.Partition, "b\U00010000"))
		}, filter.ClassPartitionRangeScan, "-"},
		{"prefixes of partitions up to the greatest have no end", filter.PartitionPrefixes("c", "\uFFFF"), func(k entity.Key) bool {
			return !before(k.Partition, "c")
		}, filter.ClassPartitionRangeScan, "-"},
		{"prefixes of rows, the last with all that begin so", filter.RowPrefixes("a", "ab", "b"), func(k entity.Key) bool {
			return k.Partition == "a" && !before(k.Row, "ab") && (before(k.Row, "b") || strings.HasPrefix(k.Row, "b"))
		}, filter.ClassRowRange, "a"},
		{"prefixes of rows up to the greatest end with the partition", filter.RowPrefixes("a", "c", "\uFFFF"), func(k entity.Key) bool {
			return k.Partition == "a" && !before(k.Row, "c")
		}, filter.ClassRowRange, "a"},
		{"one partition", filter.OnePartition("b"), func(k entity.Key) bool {
			return k.Partition == "b"
		}, filter.ClassPartitionScan, "b"},
		{"the partition with the empty key", filter.OnePartition(""), func(k entity.Key) bool {
			return k.Partition == ""
		}, filter.ClassPartitionScan, ""},
		{"rows are half open", filter.Rows("b", "a b", "b\uE000"), func(k entity.Key) bool {
			return k.Partition == "b" && !before(k.Row, "a b") && before(k.Row, "b\uE000")
		}, filter.ClassRowRange, "b"},
		{"rows from one on run to the partition's end", filter.RowsFrom("b", "ab"), func(k entity.Key) bool {
			return k.Partition == "b" && !before(k.Row, "ab")
		}, filter.ClassRowRange, "b"},
		{"a point holds one key", filter.Point("b", "a'"), func(k entity.Key) bool {
			return k == key("b", "a'")
		}, filter.ClassPoint, "b"},
		{"a point may be the empty key", filter.Point("", ""), func(k entity.Key) bool {
			return k == key("", "")
		}, filter.ClassPoint, ""},
		{"rows up to a key are no partition scan", filter.Rows("a", "", "b"), func(k entity.Key) bool {
			return k.Partition == "a" && before(k.Row, "b")
		}, filter.ClassRowRange, "a"},
		{"a table from a key on is no table scan", filter.All().StartingAt(key("b", "")), func(k entity.Key) bool {
			return !before(k.Partition, "b")
		}, filter.ClassPartitionRangeScan, "-"},
	} {
		for _, k := range universe() {
			if got, want := row.r.Contains(k), row.holds(k); got != want {
				t.Errorf("%s: Contains(%+q) = %v; want %v", row.name, k, got, want)
			}
		}
		assert.Falsef(t, row.r.Empty(), "%s: Empty() = true; want false", row.name)
		assert.Equalf(t, row.class, row.r.Class(), "%s: Class()", row.name)
		if pk, one := row.r.Partition(); one != (row.one != "-") || one && pk != row.one {
			t.Errorf("%s: Partition() = %q, %v; want %q", row.name, pk, one, row.one)
		}
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
		for _, k := range universe() {
			want := k.Partition == "b" && strings.HasPrefix(k.Row, prefix)
			if got := r.Contains(k); got != want {
				t.Errorf("RowPrefix(b, %+q).Contains(%+q) = %v; want %v", prefix, k, got, want)
			}
		}
	}
}

func TestEmptyRanges(t *testing.T) {
	for _, row := range []struct {
		name string
		r    filter.Range
		want bool
	}{
		{"rows from a key to itself are none", filter.Rows("a", "x", "x"), true},
		{"rows that end before they begin are none", filter.Rows("a", "y", "x"), true},
		{"partitions that end before they begin are none", filter.PartitionRange("b", "a"), true},
		{"a bounded range with two empty keys is none", filter.PartitionRange("", ""), true},
		{"a point is one", filter.Point("a", ""), false},
		{"what follows a point's key is none", filter.Point("a", "x").After(key("a", "x")), true},
		{"what follows another partition is none", filter.OnePartition("a").StartingAt(key("b", "")), true},
		{"the whole table is never none", filter.All().After(key("\uFFFF", "\uFFFF")), false},
	} {
		assert.Equalf(t, row.want, row.r.Empty(), "%s: %+v.Empty()", row.name, row.r)
		if !row.want {
			continue
		}
		for _, k := range universe() {
			assert.Falsef(t, row.r.Contains(k), "%s: %+v.Contains(%+q) = true of an empty range", row.name, row.r, k)
		}
	}
}

func TestResumptionCutsARangeInTwo(t *testing.T) {
	keys := universe()
	rng := rand.New(rand.NewPCG(9, 10))
	pick := func() entity.Key { return keys[rng.IntN(len(keys))] }
	for range 400 {
		a, b, cut := pick(), pick(), pick()
		ranges := []filter.Range{
			filter.All(), filter.PartitionRange(a.Partition, b.Partition), filter.OnePartition(a.Partition),
			filter.Rows(a.Partition, a.Row, b.Row), filter.RowPrefix(a.Partition, b.Row), filter.Point(a.Partition, a.Row),
			{From: a, To: b, Bounded: true}, {From: a},
		}
		for _, r := range ranges {
			at, after := r.StartingAt(cut), r.After(cut)
			for _, k := range keys {
				c := k.Compare(cut)
				if got, want := at.Contains(k), r.Contains(k) && c >= 0; got != want {
					t.Fatalf("%+v.StartingAt(%+q).Contains(%+q) = %v; want %v", r, cut, k, got, want)
				}
				if got, want := after.Contains(k), r.Contains(k) && c > 0; got != want {
					t.Fatalf("%+v.After(%+q).Contains(%+q) = %v; want %v", r, cut, k, got, want)
				}
			}
		}
	}
}
