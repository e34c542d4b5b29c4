package chart_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/chart"
	"loadgen/results"
)

// Bars are rising ranges without empty ones, and contain each duration once.
func TestBarsCountTheirRange(t *testing.T) {
	const hour = int64(time.Hour / time.Microsecond)
	waits := []*results.Histogram{stress().RetryWaits}
	for _, ends := range [][2]int64{{0, 0}, {1, 1}, {4000, 4000}, {hour, hour}, {0, hour}, {1, hour}, {1, 1000}, {250_000, 260_000}, {1000, 10_000}, {999, 9999}} {
		h := results.NewHistogram()
		for micros := ends[0]; micros <= ends[1]; micros += max(1, micros/50) {
			h.Record(time.Duration(micros) * time.Microsecond)
		}
		waits = append(waits, h)
	}
	for _, h := range waits {
		bars, last, sum := chart.WaitBars(&results.Record{RetryWaits: h}), int64(-1), int64(0)
		for _, bar := range bars {
			want := chart.DurationBar{From: bar.From, To: bar.To}
			for _, bucket := range h.Bars() {
				if bar.From <= bucket.From && bucket.From <= bar.To {
					want.Counts[0] += bucket.Count
				}
			}
			assert.Truef(t, bar == want && bar.From > last && bar.To >= bar.From && bar.Counts[0] > 0, "bar %+v after %d µs; want %+v", bar, last, want)
			last, sum = bar.To, sum+bar.Counts[0]
		}
		assert.Truef(t, sum == h.Count() && len(bars) <= chart.MaxBars, "%d bars sum to %d of %d", len(bars), sum, h.Count())
	}
	var got, want [3]int64
	for _, bar := range chart.LatencyBars(stress()) {
		for part, count := range bar.Counts {
			got[part] += count
		}
	}
	for part, group := range []string{"GET", "PUT"} {
		want[part] = stress().Total(func(p *results.Phase, kind results.Kind) bool { return p.Reported && kind.Group == group }).Succeeded
	}
	assert.Equal(t, want, got, "operations by kind")
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
