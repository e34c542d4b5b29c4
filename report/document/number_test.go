package document_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"loadgen/report/document"
)

func TestCountSeparatesThousands(t *testing.T) {
	for _, row := range []struct {
		name string
		n    int64
		want string
	}{
		{"zero", 0, "0"},
		{"three digits", 999, "999"},
		{"four digits", 1000, "1,000"},
		{"six digits", 123456, "123,456"},
		{"seven digits", 1234567, "1,234,567"},
		{"negative", -1000, "-1,000"},
		{"negative without a separator", -999, "-999"},
		{"the greatest", math.MaxInt64, "9,223,372,036,854,775,807"},
		{"the least", math.MinInt64, "-9,223,372,036,854,775,808"},
	} {
		if got := document.Count(row.n); got != row.want {
			t.Errorf("%s: Count(%d) = %q; want %q", row.name, row.n, got, row.want)
		}
	}
	for n := int64(1); n > 0; n *= 7 {
		if back, err := strconv.ParseInt(strings.ReplaceAll(document.Count(n), ",", ""), 10, 64); err != nil || back != n {
			t.Errorf("Count(%d) = %q; want its digits", n, document.Count(n))
		}
	}
}

func TestRateIsRoundedBySize(t *testing.T) {
	for _, row := range []struct {
		name string
		rate float64
		want string
	}{
		{"nothing", 0, "0"},
		{"less than a hundredth", 0.001, "0"},
		{"hundredths below ten", 0.25, "0.25"},
		{"no zeros at the end", 2.5, "2.5"},
		{"what rounds to ten", 9.999, "10"},
		{"whole from ten on", 1998.4, "1,998"},
		{"to the nearest", 1998.5, "1,999"},
		{"up to a million", 999_999.4, "999,999"},
		{"a million", 999_999.6, "1M"},
		{"three figures of millions", 1_234_567, "1.23M"},
		{"millions", 123_456_789, "123M"},
		{"beyond reading", 1.5e20, "1.5e+20"},
		{"no number", math.NaN(), "–"},
		{"below nothing", -1, "–"},
	} {
		if got := document.Rate(row.rate); got != row.want {
			t.Errorf("%s: Rate(%v) = %q; want %q", row.name, row.rate, got, row.want)
		}
	}
}

func TestShareIsNeverRoundedToNothingOrAll(t *testing.T) {
	for _, row := range []struct {
		name  string
		share float64
		want  string
	}{
		{"nothing", 0, "0 %"},
		{"next to nothing", 1e-9, "<0.1 %"},
		{"less than a tenth, that would round to one", 0.0007, "<0.1 %"},
		{"a tenth", 0.001, "0.1 %"},
		{"half", 0.5, "50.0 %"},
		{"to the nearest tenth", 0.12345, "12.3 %"},
		{"next to all", 0.99999, ">99.9 %"},
		{"just at a tenth of all", 0.999, "99.9 %"},
		{"all", 1, "100 %"},
		{"more than all", 1.5, "100 %"},
		{"less than nothing", -0.2, "0 %"},
		{"no number", math.NaN(), "–"},
	} {
		if got := document.Share(row.share); got != row.want {
			t.Errorf("%s: Share(%v) = %q; want %q", row.name, row.share, got, row.want)
		}
	}
}

func TestFiguresAreThree(t *testing.T) {
	for _, row := range []struct {
		name string
		x    float64
		want string
	}{
		{"nothing", 0, "0"}, {"a part", .01234, "0.0123"}, {"some", 1.2345, "1.23"}, {"tens", 56.71, "56.7"},
		{"just below a hundred", 99.94, "99.9"}, {"what rounds to a hundred", 99.96, "100"},
		{"hundreds", 338.4, "338"}, {"thousands", 12_345, "12,345"},
	} {
		if got := document.Figures(row.x); got != row.want {
			t.Errorf("%s: document.Figures(%v) = %q; want %q", row.name, row.x, got, row.want)
		}
	}
}

func TestRoundTimesOfAxes(t *testing.T) {
	for micros, want := range map[float64]string{0: "0 µs", 500: "500 µs", 1e3: "1 ms", 2e5: "200 ms", 1e6: "1 s", 2.5e6: "2.5 s", 3.6e9: "3,600 s"} {
		if got := document.RoundTime(micros); got != want {
			t.Errorf("RoundTime(%v) = %q; want %q", micros, got, want)
		}
	}
}

func TestAStretchHoldsItsInstants(t *testing.T) {
	for _, row := range []struct {
		name   string
		of     document.Stretch
		second float64
		want   bool
	}{
		{"an empty one holds all", document.Stretch{}, -3, true},
		{"its begin", document.Stretch{From: 4, To: 8}, 4, true},
		{"not its end", document.Stretch{From: 4, To: 8}, 8, false},
		{"not what is before", document.Stretch{From: 4, To: 8}, 3.9, false},
	} {
		if got := row.of.Holds(row.second); got != row.want {
			t.Errorf("%s: Holds(%v) = %v; want %v", row.name, row.second, got, row.want)
		}
	}
}

func TestChangeHasItsSign(t *testing.T) {
	for _, row := range []struct {
		change float64
		want   string
	}{
		{0, "±0.0 %"}, {0.0004, "±0.0 %"}, {-0.0004, "±0.0 %"}, {0.1, "+10.0 %"}, {-0.1, "−10.0 %"},
		{98.9, "+9890.0 %"}, {99, "×100"}, {math.Inf(1), "+∞"}, {math.NaN(), "–"}, {-1, "−100.0 %"},
	} {
		if got := document.Change(row.change); got != row.want {
			t.Errorf("Change(%v) = %q; want %q", row.change, got, row.want)
		}
	}
}
