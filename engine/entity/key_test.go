package entity_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

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

func TestCompareTable(t *testing.T) {
	for _, row := range []struct {
		name string
		a, b string
		want int
	}{
		{"equal strings are equal", "Half", "Half", 0},
		{"a prefix comes before what it begins", "10 k", "10 km", -1},
		{"digits compare as text, so 111 precedes 2", "111", "2", -1},
		{"upper case precedes lower case", "Z", "a", -1},
		{"a runner precedes a private-use character, though its UTF-8 bytes do not", "\U0001F3C3", "\uE000", -1},
		{"a runner follows the last character before the surrogates", "\U0001F3C3", "\uD7FF", 1},
		{"the empty string precedes all", "", "\x00", -1},
		{"bytes that are not UTF-8 are ordered too", "\xFE", "\xFF", -1},
		{"and differ from each other where their ranks might meet", "\xEE", "\xFE", 1},
	} {
		if got := entity.Compare(row.a, row.b); got != row.want {
			t.Errorf("%s: Compare(%+q, %+q) = %d; want %d", row.name, row.a, row.b, got, row.want)
		}
		if got := entity.Compare(row.b, row.a); got != -row.want {
			t.Errorf("%s: Compare(%+q, %+q) = %d; want %d", row.name, row.b, row.a, got, -row.want)
		}
	}
}

func TestKeyCompareLooksAtThePartitionFirst(t *testing.T) {
	keys := []entity.Key{{}, {Row: "z"}, {Partition: "a"}, {Partition: "a", Row: "a"}, {Partition: "b", Row: ""}}
	for i, a := range keys {
		for j, b := range keys {
			want := max(-1, min(1, i-j))
			if got := a.Compare(b); got != want {
				t.Errorf("%+v.Compare(%+v) = %d; want %d", a, b, got, want)
			}
		}
	}
}

func TestSortKeyOfCommonTextIsTheTextItself(t *testing.T) {
	for _, s := range []string{"", "2011 New York City Marathon__Full", "Zürich 한 \uE000"} {
		if allocations := testing.AllocsPerRun(10, func() {
			if entity.FromSortKey(entity.SortKey(s)) != s {
				t.Errorf("FromSortKey(SortKey(%q)) differs", s)
			}
		}); allocations != 0 {
			t.Errorf("SortKey(%q) and back allocate %v times; want 0", s, allocations)
		}
	}
	if got, want := entity.SortKey("a\U0001F3C3b"), "a\xED\xA0\xBC\xED\xBF\x83b"; got != want {
		t.Errorf("SortKey of a runner = %+q; want %+q", got, want)
	}
}

func TestFromSortKeyLeavesBrokenSurrogatesAlone(t *testing.T) {
	for _, s := range []string{"\xED", "\xED\xA0", "\xED\xA0\xBC", "\xED\xA0\xBC\xED", "\xED\xBF\x83\xED\xA0\xBC", "\xED\xA0\xBC\xED\xA0\xBC"} {
		if got := entity.FromSortKey(s); got != s {
			t.Errorf("FromSortKey(%+q) = %+q; want it unchanged", s, got)
		}
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

func TestSizesCountUTF16Units(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		runes := make([]rune, rng.IntN(40))
		for i := range runes {
			runes[i] = edges[rng.IntN(len(edges))]
		}
		s := string(runes)
		want := 2*len(utf16.Encode(runes)) + 4
		if got := entity.String(s).Size(); got != want {
			t.Fatalf("String(%+q).Size() = %d; want %d", s, got, want)
		}
	}
}
