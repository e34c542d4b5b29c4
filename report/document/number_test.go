package document_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/document"
)

// Thousands are separated, rates rounded by their size, shares never to nothing or all, other
// figures to three digits; durations have the unit that suits, and changes their sign.
func TestFiguresInWords(t *testing.T) {
	for _, row := range []struct{ name, got, want string }{
		{"zero", document.Count(0), "0"},
		{"three digits", document.Count(999), "999"},
		{"four digits", document.Count(1000), "1,000"},
		{"six digits", document.Count(123456), "123,456"},
		{"seven digits", document.Count(1234567), "1,234,567"},
		{"negative", document.Count(-1000), "-1,000"},
		{"negative without a separator", document.Count(-999), "-999"},
		{"the greatest", document.Count(math.MaxInt64), "9,223,372,036,854,775,807"},
		{"the least", document.Count(math.MinInt64), "-9,223,372,036,854,775,808"},
		{"a count", document.AtLeast(1000, false), "1,000"},
		{"a lower bound", document.AtLeast(1000, true), "at least 1,000"},
		{"a lower bound in a cell", document.LowerBound(1000, true), "≥1,000"},
		{"an estimate", document.About(1234.5, true), "about 1,235"},
		{"nothing", document.Rate(0), "0"},
		{"less than a hundredth", document.Rate(0.001), "0"},
		{"hundredths below ten", document.Rate(0.25), "0.25"},
		{"no zeros at the end", document.Rate(2.5), "2.5"},
		{"what rounds to ten", document.Rate(9.999), "10"},
		{"whole from ten on", document.Rate(1998.4), "1,998"},
		{"to the nearest", document.Rate(1998.5), "1,999"},
		{"up to a million", document.Rate(999_999.4), "999,999"},
		{"a million", document.Rate(999_999.6), "1M"},
		{"three figures of millions", document.Rate(1_234_567), "1.23M"},
		{"millions", document.Rate(123_456_789), "123M"},
		{"beyond reading", document.Rate(1.5e20), "1.5e+20"},
		{"no number", document.Rate(math.NaN()), "–"},
		{"below nothing", document.Rate(-1), "–"},
		{"nothing", document.Share(0), "0%"},
		{"next to nothing", document.Share(1e-9), "<0.1%"},
		{"less than a tenth, that would round to one", document.Share(0.0007), "<0.1%"},
		{"a tenth", document.Share(0.001), "0.1%"},
		{"half", document.Share(0.5), "50.0%"},
		{"to the nearest tenth", document.Share(0.12345), "12.3%"},
		{"next to all", document.Share(0.99999), ">99.9%"},
		{"just at a tenth of all", document.Share(0.999), "99.9%"},
		{"all", document.Share(1), "100%"},
		{"more than all", document.Share(1.5), "100%"},
		{"less than nothing", document.Share(-0.2), "0%"},
		{"no number", document.Share(math.NaN()), "–"},
		{"nothing", document.Figures(0), "0"},
		{"a part", document.Figures(.01234), "0.0123"},
		{"some", document.Figures(1.2345), "1.23"},
		{"tens", document.Figures(56.71), "56.7"},
		{"just below a hundred", document.Figures(99.94), "99.9"},
		{"what rounds to a hundred", document.Figures(99.96), "100"},
		{"hundreds", document.Figures(338.4), "338"},
		{"thousands", document.Figures(12_345), "12,345"},
		{"of an axis", document.RoundTime(0), "0 µs"},
		{"of an axis", document.RoundTime(500), "500 µs"},
		{"of an axis", document.RoundTime(1e3), "1 ms"},
		{"of an axis", document.RoundTime(2e5), "200 ms"},
		{"of an axis", document.RoundTime(1e6), "1 s"},
		{"of an axis", document.RoundTime(2.5e6), "2.5 s"},
		{"of an axis", document.RoundTime(3.6e9), "3,600 s"},
		{"a change", document.Change(0), "±0.0%"},
		{"a change", document.Change(0.0004), "±0.0%"},
		{"a change", document.Change(-0.0004), "±0.0%"},
		{"a change", document.Change(0.1), "+10.0%"},
		{"a change", document.Change(-0.1), "−10.0%"},
		{"a change", document.Change(98.9), "+9890.0%"},
		{"a change", document.Change(99), "×100"},
		{"a change", document.Change(math.Inf(1)), "+∞"},
		{"a change", document.Change(math.NaN()), "–"},
		{"a change", document.Change(-1), "−100.0%"},
		{"nothing", document.Span(0), "0 ns"},
		{"a step of a clock", document.Span(56), "56 ns"},
		{"what rounds to the next unit", document.Span(999_900), "1 ms"},
		{"a tenth below ten", document.Span(1840 * time.Microsecond), "1.8 ms"},
		{"whole from ten on", document.Span(27 * time.Second), "27 s"},
		{"up to two minutes in seconds", document.Span(90 * time.Second), "90 s"},
		{"minutes", document.Span(15 * time.Minute), "15 min"},
		{"hours", document.Span(150 * time.Minute), "2.5 h"},
		{"days", document.Span(60 * time.Hour), "2.5 days"},
		{"below nothing", document.Span(-3 * time.Second), "-3 s"},
		{"the longest", document.Span(math.MaxInt64), "106,752 days"},
		{"an average", document.Averaged(0, "entity", "entities"), "0 entities"},
		{"an average", document.Averaged(1, "entity", "entities"), "1 entity"},
		{"an average", document.Averaged(1.004, "entity", "entities"), "1 entity"},
		{"an average", document.Averaged(7.5, "entity", "entities"), "7.5 entities"},
		{"an average", document.Averaged(1234, "entity", "entities"), "1,234 entities"},
		{"none", document.Counted(0, "run"), "0 runs"},
		{"one", document.Counted(1, "run"), "1 run"},
		{"two of an odd plural", document.Counted(2, "copy", "copies"), "2 copies"},
		{"one of these", document.Counted(1, "copy", "copies"), "1 copy"},
	} {
		assert.Equal(t, row.want, row.got, row.name)
	}
	for n := int64(1); n > 0; n *= 7 {
		if back, err := strconv.ParseInt(strings.ReplaceAll(document.Count(n), ",", ""), 10, 64); err != nil || back != n {
			t.Errorf("Count(%d) = %q; want its digits", n, document.Count(n))
		}
	}
}

// Above 1,000 percent a share is a factor, and its number is the share that was drawn.
func TestLargeSharesAreFactors(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 48))
	for range 2000 {
		share := math.Exp(14*chance.Float64() - 2) // 0.1 to 160,000
		want := new(big.Rat).SetFloat64(share)
		for name, text := range map[string]string{"cut": document.CutShare(share), "part": document.PartOf(share, 1), "fine": document.FineShare(share)} {
			number, isPercent := strings.CutSuffix(text, "%")
			number, isFactor := strings.CutSuffix(number, " times")
			got, sound := new(big.Rat).SetString(strings.ReplaceAll(number, ",", ""))
			if isPercent && sound {
				got.Quo(got, big.NewRat(100, 1))
			}
			// Three figures, or whole numbers, or a tenth of a percent.
			off, allowed := new(big.Rat).Sub(want, got), max(0.01*share, 0.001)
			if distance, _ := off.Float64(); !sound || isFactor != (share > 10) || math.Abs(distance) > allowed || name == "cut" && distance < -1e-9*share {
				t.Fatalf("%s of %v = %q; want a factor above 10, a percentage below", name, share, text)
			}
		}
	}
	assert.Equal(t, "1,092 times", document.PartOf(1092.222, 1))
}

// A placeholder has the value of its number in its format; text that only looks like one stays.
func TestFill(t *testing.T) {
	for template, want := range map[string]string{
		"{1} of {2}, {1|share}": "0.5 of 1,234, 50.0%", "{3|part}": "25.0%", "{4|key}: {4}": "\"a{1}\": a{1}", "{5} {5|millis}": "90 s 90,000",
		"{hash(user,16):02d} {{4}} {number: {2}}": "{hash(user,16):02d} {a{1}} {number: 1,234}", "{2|bytes}": "1234 B",
	} {
		assert.Equal(t, want, document.Fill(template, 0.5, 1234, document.Ratio{Part: 1, Whole: 4}, "a{1}", 90*time.Second), template)
	}
	assert.Panics(t, func() { document.Fill("{2}", 1) })
}
