package run_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"loadgen/scenarios/run"
)

// truth is a situation that was drawn: a world, the load that meets it, and whether the
// load passes a limit by 5 % or more for 10 s or more.
type truth struct {
	world  world
	text   string
	passes bool
	says   string
}

// draw returns a situation by chance. Models are small, so that a case takes few attempts.
func draw(r *rand.Rand) truth {
	var c truth
	rate := 60 * math.Exp(r.Float64()*math.Log(8))
	limited := r.IntN(2) == 0
	if limited {
		c.world.limit, c.world.burst = math.Round(rate), []float64{0.05, 0.1, 0.25}[r.IntN(3)]
	}
	retry := []string{"none", "none", "short", "documented", "fixed-1s", "azcore"}[r.IntN(6)]
	over := rate * (1.05 + r.Float64()*r.Float64()*1.5)
	low := rate * (0.3 + 0.5*r.Float64())
	load := [3]string{"load", "", fmt.Sprintf("%ds", 20+r.IntN(25))}
	switch r.IntN(6) {
	case 0:
		load[1] = fmt.Sprintf("{constant: %.1f}", over)
	case 1:
		load[1] = fmt.Sprintf("{steps: {rates: [%.1f, %.1f, %.1f], each: %ds}}", low, (low+over)/2, over, 10+r.IntN(5))
	case 2:
		load[1] = fmt.Sprintf("{steps: {rates: [%.1f, %.1f, %.1f, %.1f], each: %ds}}", low, over, over*1.3, over*1.8, 10+r.IntN(3))
	case 3:
		load[1], load[2] = fmt.Sprintf("{ramp: {from: %.1f, to: %.1f}}", low, rate*2.2), "40s"
	case 4:
		load[1], load[2] = fmt.Sprintf("{sine: {mean: %.1f, amplitude: %.1f, period: 40s}}", rate, rate*(0.5+0.4*r.Float64())), "40s"
	case 5:
		load[1], load[2] = fmt.Sprintf("{burst: {base: %.1f, peak: %.1f, every: 24s, length: 12s}}", low, over), "48s"
	}
	at := time.Duration(float64(time.Second) * (4 + 12*r.Float64()))
	switch r.IntN(6) {
	case 0:
		c.world.offline = [2]time.Duration{at, at + time.Duration(float64(time.Second)*[]float64{0.2, 0.5, 1, 2, 3}[r.IntN(5)])}
	case 1:
		c.world.share = 0.01 + 0.29*r.Float64()
	case 2:
		c.world.share, c.world.status, c.world.code = 0.01+0.2*r.Float64(), 400, "InvalidInput"
	case 3:
		c.world.frozen = [2]time.Duration{at, at + time.Duration(float64(time.Second)*(0.2+2*r.Float64()))}
	}
	c.passes = limited && over*(1-c.world.share) >= 1.05*rate
	c.text = inserts(retry, load)
	c.says = fmt.Sprintf("limit %.0f burst %.2f, retry %s, %v, offline %v, frozen %v, share %.3f of %d", c.world.limit, c.world.burst, retry, load,
		c.world.offline, c.world.frozen, c.world.share, c.world.status)
	return c
}

// truths draws so many situations, and holds what is said of each against what is true: no
// saturation without a limit, and that within 2 % where there is one, but for one in fifty.
func truths(t *testing.T, number int, seed uint64) {
	limited, found := 0, 0
	for i := range number {
		c := draw(rand.New(rand.NewPCG(seed, uint64(i))))
		rec := loaded(t, &c.world, c.text, 0)
		s := rec.Summary
		var kinds []string
		for _, one := range s.Throttling {
			kinds = append(kinds, one.Kind)
		}
		told := fmt.Sprintf("case %d: %s: saturation %v in %v, throttling %v", i, c.says, told(s.Saturation), s.SaturationInterval, kinds)
		switch {
		case c.world.limit == 0 && s.Saturation != nil:
			t.Errorf("%s; want none, since there is no limit", told)
		case !c.passes:
		case s.Saturation == nil:
			limited++
			t.Logf("not found: %s", told)
		case math.Abs(*s.Saturation/c.world.limit-1) > 0.02:
			limited++
			t.Errorf("%s; want within 2 %%", told)
		default:
			limited++
			found++
		}
	}
	t.Logf("%d situations: %d with a limit, %d found", number, limited, found)
	if float64(found) < 0.98*float64(limited) {
		t.Errorf("%d of %d limits found; want 98 %%", found, limited)
	}
}

func told(v *float64) string {
	if v == nil {
		return "none"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", *v), ".0")
}

func TestRandomSituations(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	truths(t, run.Tier(8, 500), 22)
}
