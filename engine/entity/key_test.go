package entity_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
)

// byUnits is the order of the index taken literally: both strings as UTF-16,
// compared unit by unit.
func byUnits(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// edges are the characters at which the forms of text change their length or
// their order.
var edges = []rune{
	0, ' ', '\'', 'a', 'b', 0x7F, 0x80, 0x7FF, 0x800, 0xCFFF, 0xD000, 0xD7FF,
	0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x103FF, 0x10400, 0x10FFFF,
}

func edgeStrings() []string {
	all := []string{"", "plain", "한글 키", strings.Repeat("x", 9) + "\U0001F3C3"}
	for _, a := range edges {
		all = append(all, string(a))
		for _, b := range edges {
			all = append(all, string([]rune{a, b}), "abcdefgh"+string([]rune{b, a, a}))
		}
	}
	return all
}

func TestCompareIsTheOrderOfUTF16(t *testing.T) {
	for _, a := range edgeStrings() {
		for _, b := range edgeStrings() {
			want := byUnits(a, b)
			if got := entity.Compare(a, b); got != want {
				t.Fatalf("Compare(%+q, %+q) = %d; want %d", a, b, got, want)
			}
			if got := strings.Compare(entity.SortKey(a), entity.SortKey(b)); got != want {
				t.Fatalf("bytes of SortKey(%+q) against SortKey(%+q) = %d; want %d", a, b, got, want)
			}
		}
	}
}

// Bytes that are not UTF-8 are ordered too, and differ where their ranks might meet.
func TestCompareOfBrokenText(t *testing.T) {
	for _, pair := range [][2]string{{"\xFE", "\xFF"}, {"\xFE", "\xEE"}} {
		if there, back := entity.Compare(pair[0], pair[1]), entity.Compare(pair[1], pair[0]); there != -1 || back != 1 {
			t.Errorf("Compare(%+q) = %d, and %d the other way; want -1 and 1", pair, there, back)
		}
	}
}

func TestKeyCompareLooksAtThePartitionFirst(t *testing.T) {
	keys := []entity.Key{{}, {Row: "z"}, {Partition: "a"}, {Partition: "a", Row: "a"}, {Partition: "b", Row: ""}}
	for i, a := range keys {
		for j, b := range keys {
			want := max(-1, min(1, i-j))
			assert.Equalf(t, want, a.Compare(b), "%+v.Compare(%+v)", a, b)
		}
	}
}

func TestFromSortKeyLeavesBrokenSurrogatesAlone(t *testing.T) {
	for _, s := range []string{"\xED", "\xED\xA0", "\xED\xA0\xBC", "\xED\xA0\xBC\xED", "\xED\xBF\x83\xED\xA0\xBC", "\xED\xA0\xBC\xED\xA0\xBC"} {
		assert.Equal(t, s, entity.FromSortKey(s), "FromSortKey")
	}
}

func FuzzSortKey(f *testing.F) {
	for _, s := range edgeStrings()[:60] {
		f.Add(s, "a\uE000")
	}
	f.Add("\xF0\x9F", "\xED\xA0\xBC\xED\xBF\x83")
	f.Fuzz(func(t *testing.T, a, b string) {
		sortedA, sortedB := entity.SortKey(a), entity.SortKey(b)
		c := entity.Compare(a, b)
		if c != -entity.Compare(b, a) || (c == 0) != (a == b) {
			t.Fatalf("Compare(%+q, %+q) = %d; want a total order", a, b, c)
		}
		entity.FromSortKey(a)
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		if back := entity.FromSortKey(sortedA); back != a {
			t.Fatalf("FromSortKey(SortKey(%+q)) = %+q; want the same", a, back)
		}
		if got := strings.Compare(sortedA, sortedB); got != c || got != byUnits(a, b) {
			t.Fatalf("order of %+q and %+q: sort keys %d, Compare %d, UTF-16 %d; want all equal",
				a, b, got, c, byUnits(a, b))
		}
	})
}
