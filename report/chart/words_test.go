package chart_test

import (
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"loadgen/report/chart"
)

func TestNumber(t *testing.T) {
	for _, row := range []struct {
		name string
		in   float64
		want string
	}{
		{"nothing is a plain zero", 0, "0"},
		{"a fraction keeps what is significant", 0.25, "0.25"},
		{"a whole number has no fraction", 7, "7"},
		{"three figures are whole", 123.4, "123"},
		{"thousands are separated", 2000, "2,000"},
		{"millions below ten are written out", 1234567, "1,234,567"},
		{"ten millions have a prefix", 1e7, "10 M"},
		{"the greatest count has a prefix", math.MaxInt64, "9.22 E"},
		{"what no prefix holds is a power of ten", 1e30, "1.0e+30"},
		{"a negative number keeps its sign", -1234, "-1,234"},
		{"what is small is not rounded to nothing", -0.0012, "-0.0012"},
		{"a negative zero has no sign", math.Copysign(0, -1), "0"},
		{"no number is a dash", math.NaN(), "–"},
		{"infinity is a dash", math.Inf(1), "–"},
	} {
		if got := chart.Number(row.in); got != row.want {
			t.Errorf("%s: Number(%v) = %q; want %q", row.name, row.in, got, row.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, row := range []struct {
		name   string
		micros float64
		want   string
	}{
		{"zero has the least unit", 0, "0 µs"},
		{"below a millisecond are microseconds", 999, "999 µs"},
		{"a millisecond is one", 1000, "1 ms"},
		{"three figures are kept", 12340, "12.3 ms"},
		{"a second is one", 1e6, "1 s"},
		{"an hour is in seconds", 3.6e9, "3,600 s"},
	} {
		if got := chart.Duration(row.micros); got != row.want {
			t.Errorf("%s: Duration(%v) = %q; want %q", row.name, row.micros, got, row.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, row := range []struct {
		name  string
		share float64
		want  string
	}{
		{"nothing lost", 0, "0 %"},
		{"more served than offered is nothing lost", -0.2, "0 %"},
		{"a trace is not rounded to nothing", 0.0001, "< 0.1 %"},
		{"little has a decimal", 0.0234, "2.3 %"},
		{"half", 0.5, "50 %"},
		{"nearly all is not rounded to all", 0.9999, "> 99 %"},
		{"all", 1, "100 %"},
		{"no number counts as nothing", math.NaN(), "0 %"},
	} {
		if got := chart.Percent(row.share); got != row.want {
			t.Errorf("%s: Percent(%v) = %q; want %q", row.name, row.share, got, row.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "2011 New York City Marathon__Full", "<script>", "a\x00\x1b[31m\u202eb", "\xff\xfe",
		"line\nbreak\tand\u2028more", strings.Repeat("長", 1024)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		got := chart.Clean(word, chart.LongestKey)
		if length := utf8.RuneCountInString(got); length > chart.LongestKey+1 {
			t.Errorf("Clean(%q) has %d characters; want %d and an ellipsis at most", word, length, chart.LongestKey)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
				t.Errorf("Clean(%q) = %q, with %U; want what can be printed", word, got, r)
			}
		}
		if again := chart.Clean(got, chart.LongestKey+1); again != got {
			t.Errorf("Clean(%q) = %q; want it unchanged", got, again)
		}
	})
}
