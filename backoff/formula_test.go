package backoff_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
)

// The formula with the documents' values is the preset that bears their name, and so is each
// sibling the policy that is put together by hand.
func TestFormulas(t *testing.T) {
	for _, row := range []struct {
		text    string
		retries int
		delay   backoff.Delay
	}{
		{"exponential z=30s min=3s max=90s tries=4", 3, documented},
		{"exponential z=30s min=3s max=90s", 3, documented},
		{"exponential  tries=4 max=1m30s min=3s z=30s first=1", 3, documented},
		{"exponential z=30s min=3s max=90s tries=4 first=0", 3, backoff.Exponential{Base: 30 * s, Min: 3 * s, Max: 90 * s, FromZero: true}},
		{"linear step=2s max=10s tries=6", 5, backoff.Linear{Step: 2 * s, Max: 10 * s}},
		{"fixed every=0s tries=1", 0, backoff.Ladder{0}},
		{"fixed every=5s tries=1001", 1000, backoff.Ladder{5 * s}},
		{"full_jitter base=100ms cap=20s tries=6", 5, backoff.FullJitter(100*ms, 20*s)},
		{"equal_jitter base=1s cap=64s tries=4", 3, backoff.EqualJitter(s, 64*s)},
		{"decorrelated_jitter base=100ms cap=24h tries=6", 5, backoff.Decorrelated{Base: 100 * ms, Cap: 24 * time.Hour}},
		{"exponential multiplier=1.5 jitter=12.5% base=1s min=2s max=9s tries=6", 5,
			backoff.Multiplied{Base: s, Min: 2 * s, Max: 9 * s, Multiplier: 1.5, Low: 875, High: 1125}},
		{"exponential base=1s multiplier=2 jitter=none", 3, backoff.Multiplied{Base: s, Max: 24 * time.Hour, Multiplier: 2, Low: 1000, High: 1000}},
		{"waits 1s 0s 30s", 3, backoff.Ladder{s, 0, 30 * s}},
	} {
		got, err := backoff.ByName(row.text)
		require.NoError(t, err, row.text)
		assert.Equal(t, backoff.Policy{Name: got.Name, Retries: row.retries, Delay: row.delay}, got, row.text)
		assert.Empty(t, got.Validate(), row.text)
	}
}

// FuzzFormula: whatever is read has a text that is read as the same, waits within its
// bounds, and no fault.
func FuzzFormula(f *testing.F) {
	for _, text := range []string{"exponential z=30s min=3s max=90s tries=4", "linear step=2s max=10s", "fixed every=1s first=0",
		"full_jitter base=100ms cap=20s tries=6", "decorrelated_jitter base=1ns cap=24h tries=1001", "exponential z=1µs min=0 max=9h tries=1 first=0",
		"waits 1s 1s 0", "exponential base=1ns multiplier=100 jitter=0.1% elapsed=24h", "exponential base=24h multiplier=1e0 jitter=100% min=0 elapsed=0s"} {
		f.Add(text)
	}
	f.Add(strings.Repeat("1", 400) + " /")
	f.Fuzz(func(t *testing.T, text string) {
		formula, err := backoff.ParseFormula(text)
		if err != nil {
			assert.Truef(t, errors.Is(err, backoff.ErrInvalid) && len(err.Error()) <= 400,
				"ParseFormula(%q) = %.500v; want ErrInvalid in a short line", text, err)
			return
		}
		again, err := backoff.ParseFormula(formula.Text())
		require.NoErrorf(t, err, "%q is read as %+v, whose text is %q", text, formula, formula.Text())
		require.Equalf(t, formula, again, "%q has the text %q; want it to be read as the same", text, formula.Text())
		p := formula.Preset()
		require.Emptyf(t, p.Validate(), "%q is at fault; want a sound policy", text)
		for x := 1; x <= min(p.Retries, 70); x++ {
			if wait, _ := p.Wait(x, 0.99); wait < 0 || wait > 2*backoff.MaxParameter {
				t.Fatalf("%q waits %v before retry %d; want 0 to a day, and its jitter", text, wait, x)
			}
		}
	})
}

// band is a wait, in seconds: the least, the mean and the greatest.
type band [3]float64

// around returns waits with a share of jitter to either side.
func around(jitter float64, waits ...float64) (bands []band) {
	for _, wait := range waits {
		bands = append(bands, band{wait * (1 - jitter), wait, wait * (1 + jitter)})
	}
	return bands
}

// Presets, and formulas for the defaults of clients in use, against their published schedules: gRPC's
// connection-backoff.md, whose first wait alone has no jitter; IntervalFunction of resilience4j, which counts whole
// milliseconds; the table of ExponentialBackOff in cenkalti/backoff; RetryStrategyOptions of Polly 8; the README of tenacity.
func TestPublishedSchedules(t *testing.T) {
	for _, row := range []struct {
		name, text string
		waits      []band
	}{
		{"", "documented", []band{{27, 33, 39}, {75, 86.875, 90}, {90, 90, 90}}},
		{"", "was-1.x", []band{{3, 3, 3}, {27, 33, 39}, {75, 86.875, 90}}},
		{"", "storage-net", []band{{3, 3, 3}, {6.2, 7, 7.8}, {12.6, 15, 17.4}}},
		{"", "azcore", []band{{0.64, 0.84, 1.04}, {1.92, 2.52, 3.12}, {4.48, 5.88, 7.28}}},
		{"", "azure-core-net", around(.2, .8, 1.6, 3.2)},
		{"", "js", around(1./3, .75, 1.5, 3)},
		{"", "botocore-standard", around(1, .5, 1)},
		{"", "ladder", around(0, 2, 4, 10, 30)},
		{"", "none", nil},
		{"gRPC", "exponential base=1s multiplier=1.6 jitter=20% max=120s tries=14",
			around(.2, 1, 1.6, 2.56, 4.096, 6.5536, 10.48576, 16.777216, 26.8435456, 42.94967296, 68.719476736, 109.951162778, 120, 120)},
		{"resilience4j", "exponential base=500ms multiplier=1.5 tries=6", around(0, .5, .75, 1.125, 1.687, 2.53)},
		{"resilience4j, random", "exponential base=500ms multiplier=1.5 jitter=50% tries=6", around(.5, .5, .75, 1.125, 1.687, 2.53)},
		{"cenkalti/backoff", "exponential base=500ms multiplier=1.5 jitter=50% max=60s tries=11",
			around(.5, .5, .75, 1.125, 1.687, 2.53, 3.795, 5.692, 8.538, 12.807, 19.210)},
		{"Polly 8", "fixed every=2s", around(0, 2, 2, 2)},
		{"Polly 8, exponential", "exponential base=2s multiplier=2", around(0, 2, 4, 8)},
		{"tenacity, wait_fixed(2)", "fixed every=2s tries=3", around(0, 2, 2)},
		{"tenacity, wait_exponential(max=60)", "exponential base=1s multiplier=2 max=60s tries=9", around(0, 1, 2, 4, 8, 16, 32, 60, 60)},
		{"tenacity, wait_exponential(min=4, max=10)", "exponential base=1s multiplier=2 min=4s max=10s tries=7", around(0, 4, 4, 4, 8, 10, 10)},
	} {
		p, err := backoff.ByName(row.text)
		require.NoError(t, err, row.text)
		require.Equal(t, len(row.waits), p.Retries, row.text)
		for i, want := range row.waits {
			least, mean, greatest := p.Bounds(i + 1)
			got := []float64{least.Seconds(), mean.Seconds(), greatest.Seconds()}
			within := 1e-6
			if row.name != "" {
				within = .001 * want[2] // as they are rounded where they are published
			}
			assert.InDeltaSlicef(t, want[:], got, within, "%s %s, retry %d: least, mean and greatest", row.name, row.text, i+1)
		}
	}
	// 12 waits add up to at least 64.4 s, each further one to 30 s: 27 of them end within 15 minutes.
	p, err := backoff.ByName("exponential base=500ms multiplier=1.5 jitter=50% max=60s elapsed=15m")
	require.NoError(t, err)
	assert.Equal(t, []any{39, 15 * time.Minute, 15 * time.Minute}, []any{p.Retries, p.Elapsed, p.MaxWait()}, "retries, elapsed, longest wait")
}

const (
	ms = time.Millisecond
	s  = time.Second
)

var (
	documented = backoff.Exponential{Base: 30 * s, Min: 3 * s, Max: 90 * s}
	short      = backoff.Exponential{Base: 100 * ms, Min: 50 * ms, Max: 2 * s}
)

// exact evaluates the formula with rational numbers of any size.
func exact(e backoff.Exponential, x int, chance float64) *big.Rat {
	power := new(big.Int).Lsh(big.NewInt(1), uint(x))
	power.Sub(power, big.NewInt(1))
	factor := new(big.Rat).SetFloat64(chance)
	factor.Mul(factor, big.NewRat(4, 10)).Add(factor, big.NewRat(8, 10))
	wait := new(big.Rat).SetInt(power)
	wait.Mul(wait, factor).Mul(wait, big.NewRat(int64(e.Base), 1)).Add(wait, big.NewRat(int64(e.Min), 1))
	if top := big.NewRat(int64(e.Max), 1); wait.Cmp(top) > 0 {
		return top
	}
	return wait
}

func FuzzExponentialAgainstRationalArithmetic(f *testing.F) {
	f.Add(int64(30*s), int64(3*s), int64(90*s), 2, 0.25)
	f.Add(int64(100*ms), int64(50*ms), int64(2*s), 4, 0.999)
	f.Add(int64(1), int64(0), int64(math.MaxInt64), 62, 0.5)
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), 1000, 0.0)
	f.Add(int64(s), int64(s), int64(s), 1, 0.5)
	f.Add(int64(10*s), int64(0), int64(12*s), 1, 0.999)
	f.Add(int64(7), int64(3), int64(1<<53), 50, 1/3.0)
	f.Add(int64(-1), int64(-1), int64(-1), -1, -1.0)
	random := rand.New(rand.NewPCG(32, 4))
	for range 300 {
		least := random.Int64N(int64(5 * s))
		f.Add(1+random.Int64N(int64(time.Minute)), least, least+1+random.Int64N(int64(5*time.Minute)), random.IntN(13), random.Float64())
	}
	f.Fuzz(func(t *testing.T, base, least, most int64, x int, chance float64) {
		e := backoff.Exponential{Base: time.Duration(base), Min: time.Duration(least), Max: time.Duration(most)}
		got := e.Wait(x, chance)
		require.Truef(t, got >= 0 && got <= max(e.Max, 0), "%+v.Wait(%d, %v) = %d; want 0 to max", e, x, chance, got)
		if later := e.Wait(x+1, chance); x < 1000 && later < got {
			t.Fatalf("%+v.Wait(%d, %v) = %d after %d; want no shorter", e, x+1, chance, later, got)
		}
		low, mean, high := e.Bounds(x)
		require.Truef(t, got >= low && got <= high && mean >= low && mean <= high,
			"%+v: wait %d, bounds %d, %d, %d; want them in order", e, got, low, mean, high)
		if len(e.Validate()) > 0 || x < 1 || x > 1000 || !(chance >= 0 && chance < 1) {
			return
		}
		want := exact(e, x, chance)
		wanted, _ := want.Float64()
		gap, _ := want.Sub(want, big.NewRat(int64(got), 1)).Float64()
		// Three roundings down, and a float64 product of 53 bits over the band.
		if tolerance := 3 + wanted/(1<<52); math.Abs(gap) > tolerance {
			t.Fatalf("%+v.Wait(%d, %v) = %d; want %.3f ± %.3f", e, x, chance, got, wanted, tolerance)
		}
	})
}
