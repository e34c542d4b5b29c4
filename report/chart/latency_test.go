package chart_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/chart"
	"loadgen/results"
)

// What a bar counts is counted once more, from the histogram of each phase.
func TestLatencyBarsCountTheirRange(t *testing.T) {
	record := stress()
	type buckets struct {
		kind int
		list []results.Bar
	}
	var all []buckets
	for p := range record.Phases {
		for k := range record.Phases[p].Kinds {
			if record.Phases[p].Reported {
				all = append(all, buckets{k, record.Phases[p].Kinds[k].Response.Bars()})
			}
		}
	}
	var sum int64
	last, bars := int64(-1), chart.LatencyBars(record)
	for _, bar := range bars {
		sum += bar.Counts[0] + bar.Counts[1]
		assert.Truef(t, bar.From > last && bar.To >= bar.From && bar.Counts != [3]int64{},
			"bar %+v after %d µs; want bars that rise and are not empty", bar, last)
		last = bar.To
		want := chart.DurationBar{From: bar.From, To: bar.To}
		for _, one := range all {
			for _, bucket := range one.list {
				switch {
				case bucket.From < bar.From || bucket.From > bar.To:
				case one.kind == 0:
					want.Counts[0] += bucket.Count
				default:
					want.Counts[1] += bucket.Count
				}
			}
		}
		assert.Truef(t, bar == want, "LatencyBars has %+v; want %+v", bar, want)
	}
	want := record.Total(results.Reported).Succeeded
	assert.Truef(t, sum == want && sum != 0 && len(bars) <= chart.MaxBars, "%d bars sum to %d", len(bars), sum)
}

func TestClassesContainTheirRange(t *testing.T) {
	const hour = int64(time.Hour / time.Microsecond)
	for _, row := range []struct {
		name     string
		from, to int64
	}{
		{"only zero", 0, 0},
		{"only one microsecond", 1, 1},
		{"one long duration", 4000, 4000},
		{"only an hour", hour, hour},
		{"zero to an hour", 0, hour},
		{"a microsecond to an hour", 1, hour},
		{"three decades of short ones", 1, 1000},
		{"a narrow range", 250_000, 260_000},
		{"a decade", 1000, 10_000},
		{"just below a bound", 999, 9999},
	} {
		bounds := chart.Classes(row.from, row.to)
		if bounds[0] > row.from || bounds[len(bounds)-1] <= row.to {
			t.Errorf("%s: Classes(%d, %d) = %d … %d; want both inside", row.name, row.from, row.to, bounds[0], bounds[len(bounds)-1])
		}
		assert.Truef(t, len(bounds) <= 2 || (bounds[1] > row.from && bounds[len(bounds)-2] <= row.to),
			"%s: Classes(%d, %d) = %v; want no empty class at the ends", row.name, row.from, row.to, bounds)
		assert.Truef(t, len(bounds)-1 <= chart.MaxBars, "%s: %d classes; want %d at most", row.name, len(bounds)-1, chart.MaxBars)
		assert.Truef(t, slices.IsSorted(bounds) && len(slices.Compact(slices.Clone(bounds))) == len(bounds),
			"%s: Classes(%d, %d) = %v; want rising bounds", row.name, row.from, row.to, bounds)
	}
}

// lightness is CIELAB's L*, which the scales are not made with.
func lightness(c [3]float64) float64 {
	y := .2126*c[0] + .7152*c[1] + .0722*c[2]
	if y <= 216./24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

// light returns the channels of a colour as light, 0 to 1.
func light(rgb [3]uint8) [3]float64 {
	var c [3]float64
	for i, v := range rgb {
		share := float64(v) / 255
		if c[i] = share / 12.92; share > .04045 {
			c[i] = math.Pow((share+.055)/1.055, 2.4)
		}
	}
	return c
}

// The more, the darker, in steps that look alike, with whichever eyes: the matrices are
// those of Viénot, Brettel and Mollon for people without red or green cones.
func TestShadesDarkenEvenly(t *testing.T) {
	eyes := map[string][3][3]float64{
		"all cones":      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"no red cones":   {{.11238, .88762, 0}, {.11238, .88762, 0}, {.00401, -.00401, 1}},
		"no green cones": {{.29275, .70725, 0}, {.29275, .70725, 0}, {-.02234, .02234, 1}},
		"grey paper":     {{.2126, .7152, .0722}, {.2126, .7152, .0722}, {.2126, .7152, .0722}},
	}
	within, beyond := chart.Scales()
	for name, colours := range within {
		for who, matrix := range eyes {
			seen := func(rgb [3]uint8) float64 {
				c, out := light(rgb), [3]float64{}
				for i := range out {
					out[i] = matrix[i][0]*c[0] + matrix[i][1]*c[1] + matrix[i][2]*c[2]
				}
				return lightness(out)
			}
			first, last := seen(colours[0]), seen(colours[len(colours)-1])
			mean := (first - last) / float64(len(colours)-1)
			contrast := 40.
			if name == "throttled" {
				contrast = 35 // also known by its place at the bottom of a cell
			}
			assert.Truef(t, first-last >= contrast && first <= 96,
				"%s, %s: from L* %v to %v; want a contrast of %v, and the first apart from paper", name, who, first, last, contrast)
			for i := 1; i < len(colours); i++ {
				if drop := seen(colours[i-1]) - seen(colours[i]); drop < mean*.3 || drop > mean*1.9 {
					t.Errorf("%s, %s: step %d is darker by %.2f; want about %.2f", name, who, i, drop, mean)
				}
			}
			for i, c := range beyond[name] {
				above := last
				least := 6. // what is above the target cannot be taken for it
				if i > 0 {
					above, least = seen(beyond[name][i-1]), .2
				}
				assert.Truef(t, seen(c) <= above-least,
					"%s, %s: step %d above the anchor has L* %v after %v", name, who, i, seen(c), above)
			}
		}
	}
	assert.Truef(t, len(within) == 4 && len(beyond["served"]) != 0,
		"%d scales, %d steps above the target; want four and some", len(within), len(beyond["served"]))
}

func TestShadeSteps(t *testing.T) {
	const target = 2000
	for _, row := range []struct {
		name     string
		v        float64
		log      bool
		step     int
		anchored float64
	}{
		{"nothing is the ground", 0, false, 0, target},
		{"less than nothing is the ground", -5, false, 0, target},
		{"no number is the ground", math.NaN(), false, 0, target},
		{"the least is not nothing", 1e-9, false, 1, target},
		{"half the target is half way", 1000, false, 1 + chart.StepsWithin/2, target},
		{"just below the target", 1999, false, chart.StepsWithin, target},
		{"the target itself is not above it", 2000, false, chart.StepsWithin, target},
		{"above it is above it", 2000.1, false, chart.StepsWithin + 1, target},
		{"a quarter above is the end", 2500, false, chart.AllSteps, target},
		{"whatever is above that", 1e300, false, chart.AllSteps, target},
		{"infinity", math.Inf(1), false, chart.AllSteps, target},
		{"no target", 5, false, 1, 0},
		{"the target on a logarithmic scale", 2000, true, chart.StepsWithin, target},
		{"a root of it", math.Sqrt(2001) - 1, true, 1 + chart.StepsWithin/2, target},
		{"above it", 2001, true, chart.StepsWithin + 1, target},
	} {
		// A half step either way is the rounding of logarithms.
		got, _ := chart.Shade(row.v, row.anchored, false, row.log)
		assert.Truef(t, got == row.step || (row.log && got == row.step-1 && row.v < 100),
			"%s: the step of %v is %d; want %d", row.name, row.v, got, row.step)
	}
	_, hex := chart.Shade(target, target, false, false)
	assert.Truef(t, hex == "#0072B2", "the target is %s; want the colour of what is served", hex)
}
