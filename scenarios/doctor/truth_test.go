package doctor_test

import (
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/scenarios"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// TestMain has memory collected less often: what is simulated makes much that soon is of no use.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// truth is a service whose limits and times were drawn. One in three grants headroom: its limit
// comes in slowly; the others hold partitions hard, with an allowance.
type truth struct {
	asked scenarios.Model
	model *model.Model
	soft  bool
}

func drawn(t *testing.T, seed uint64) truth {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 31))
	between := func(low, high float64) float64 { return low * math.Pow(high/low, rng.Float64()) }
	span := func(low, high time.Duration) string {
		return time.Duration(between(float64(low), float64(high))).Round(time.Microsecond).String()
	}
	number := func(low, high float64) string { return strconv.Itoa(int(between(low, high))) }
	list := []scenarios.Override{
		{Name: "partition_target", Text: number(200, 600)}, {Name: "partition_burst", Text: span(100*time.Millisecond, 900*time.Millisecond)},
		{Name: "round_trip", Text: span(500*time.Microsecond, 20*time.Millisecond)}, {Name: "read_time", Text: span(2*time.Millisecond, 20*time.Millisecond)},
		{Name: "write_time", Text: span(3*time.Millisecond, 30*time.Millisecond)}, {Name: "entity_time", Text: span(50*time.Microsecond, 300*time.Microsecond)},
		{Name: "throttle_time", Text: span(time.Millisecond, 10*time.Millisecond)}, {Name: "time_spread", Text: number(200, 600)},
		{Name: "scan_rate", Text: number(3000, 20_000)},
	}
	tr := truth{soft: seed%3 == 2}
	if tr.soft {
		list = append(list, scenarios.Override{Name: "headroom", Text: number(1500, 2500)})
	}
	tr.asked = scenarios.Model{Profile: model.Documented, Overrides: list}
	s := scenarios.Scenario{Model: tr.asked}
	tr.model = runtest.Must(s.PartitionModel())
	return tr
}

// limit is what a partition is served at most, in entities per second.
func (tr truth) limit() int64 {
	if !tr.soft {
		return tr.model.PartitionTarget
	}
	return tr.model.PartitionTarget * tr.model.Idle.Headroom / 1000
}

// medians are the times that a client sees, by arithmetic: the median of a log-normal variable of
// mean 1 and variation c is 1 / √(1 + c²).
func (tr truth) medians() map[string]time.Duration {
	m := tr.model
	c := float64(m.TimeSpread) / 1000
	half := func(work time.Duration) time.Duration {
		return m.RoundTrip + time.Duration(float64(work)/math.Sqrt(1+c*c))
	}
	return map[string]time.Duration{
		"p50(get)": half(m.ReadTime), "p50(insert)": half(m.WriteTime), "p50(throttled)": m.RoundTrip + m.ThrottleTime,
		"p50(page)":        half(m.ReadTime) + 100*time.Second/time.Duration(m.ScanRate),
		"p50(transaction)": half(m.WriteTime) + 99*m.EntityTime,
		"p50(get 16 KiB)":  half(m.ReadTime), "p50(insert 16 KiB)": half(m.WriteTime),
	}
}

// learnt measures a truth on the virtual clock.
func learnt(t *testing.T, tr truth, seed uint64) *doctor.Profile {
	t.Helper()
	o := doctor.CalibrationOptions{On: run.Simulated, Budget: 200_000, Rate: doctor.DefaultRate, MaxRate: 2000, Model: tr.asked, Seed: seed,
		Now: time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)}
	out := runtest.Must(doctor.Calibrate(t.Context(), o))
	require.NoError(t, out.Ended)
	return out.Profile
}

// off returns by which part a value is beside a truth.
func off(v, truth int64) float64 { return math.Abs(float64(v)/float64(truth) - 1) }

// What was drawn is found within 5 %, and each interval covers its truth as often as it says.
func TestDrawnTruthsAreFound(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	covered, cases := map[string]int{}, map[string]int{}
	worst := map[string]float64{}
	check := func(p *doctor.Profile, seed int, name string, v doctor.ProfileValue, found bool, value, truth int64, within float64) {
		if !found {
			t.Errorf("truth %d: %s was not learnt: %v", seed, name, p.Unlearnt)
			return
		}
		cases[name]++
		if covers(v, truth) {
			covered[name]++
		}
		beside := off(value, truth)
		worst[name] = max(worst[name], beside)
		assert.Truef(t, beside <= within, "truth %d: %s is %s, from %s to %s", seed, name, v.Value, v.Low, v.High)
	}
	const within, anything = 0.05, 10
	for seed := range tier(3, 24) {
		seed++ // one of two, and of three, is soft
		tr := drawn(t, uint64(seed))
		p := learnt(t, tr, uint64(seed)+1)
		v, found := p.Parameter("partition_target")
		check(p, seed, "partition_target", v, found, v.Whole(), tr.limit(), within)
		if v, found = p.Parameter("partition_burst"); !tr.soft {
			check(p, seed, "partition_burst", v, found, int64(v.Duration()), int64(tr.model.PartitionBurst), within)
		}
		for name, truth := range tr.medians() {
			v, found := p.Figure(name)
			check(p, seed, name, v, found, int64(v.Duration()), int64(truth), within)
		}
		// How times divide into the way and the work is told with an interval: nothing says so
		// but their distribution.
		m := tr.model
		for name, truth := range map[string]time.Duration{"round_trip": m.RoundTrip, "read_time": m.ReadTime, "write_time": m.WriteTime,
			"entity_time": m.EntityTime, "throttle_time": m.ThrottleTime} {
			v, found := p.Parameter(name)
			check(p, seed, name, v, found, int64(v.Duration()), int64(truth), anything)
		}
		for name, truth := range map[string]int64{"time_spread": m.TimeSpread, "scan_rate": m.ScanRate} {
			v, found := p.Parameter(name)
			check(p, seed, name, v, found, v.Whole(), truth, anything)
		}
	}
	for name, n := range cases {
		t.Logf("%-18s %d of %d covered, at most %.1f %% off", name, covered[name], n, 100*worst[name])
		if chance := atMost(covered[name], n, 0.95); chance < 0.001 {
			t.Errorf("%s: %d of %d intervals cover the truth; by 95 %% each there are so few with a chance of %.5f", name, covered[name], n, chance)
		}
	}
}

// atMost is the chance of at most k of n successes of a share p.
func atMost(k, n int, p float64) float64 {
	sum := 0.0
	for i := range k + 1 {
		ways, _ := math.Lgamma(float64(n + 1))
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(ways - a - b + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// covers reports whether a truth, in the value's own unit, nanoseconds for durations, lies in its interval.
func covers(v doctor.ProfileValue, truth int64) bool {
	amount := func(text string) (int64, bool) {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, true
		}
		d, err := time.ParseDuration(text)
		return int64(d), err == nil
	}
	low, sound := amount(v.Low)
	high, also := amount(v.High)
	return sound && also && low <= truth && truth <= high
}
