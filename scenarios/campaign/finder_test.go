package campaign_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/campaign"
)

// search has an oracle answer a search, and returns the rates that were tried.
// The oracle is told how many steps came before.
func search(t *testing.T, f *campaign.Finder, oracle func(rate float64, n int) string) []float64 {
	t.Helper()
	var tried []float64
	var steps []results.LimitStep
	for {
		rate, more := f.Next()
		if again, _ := f.Next(); again != rate {
			t.Fatalf("Next() = %v, then %v; want the same until told", rate, again)
		}
		if !more {
			return tried
		}
		require.Truef(t, len(tried) <= 40, "Next() after %d steps = %v; want an end", len(tried), rate)
		steps = append(steps, results.LimitStep{Rate: rate, Outcome: oracle(rate, len(tried))})
		f.Retell(steps)
		tried = append(tried, rate)
	}
}

// limited is the oracle of a limit without noise.
func limited(limit float64, why string) func(float64, int) string {
	return func(rate float64, _ int) string {
		if rate <= limit {
			return results.LimitHeld
		}
		return why
	}
}

func TestFinderEnclosesEveryLimitFromEverywhere(t *testing.T) {
	chance := clock.NewStream(1, "limits")
	for n := range uint64(2000) {
		draw := chance.At(n)
		limit := logUniform(draw.Float64(), campaign.LowestRate, campaign.HighestRate/2)
		from := logUniform(draw.Float64(), campaign.LowestRate, campaign.HighestRate)
		f := campaign.NewFinder(from, campaign.HighestRate)
		tried := search(t, f, limited(limit, results.LimitThrottled))
		a := f.Answer()
		require.Truef(t, a.Finished && a.By == results.LimitThrottled && a.Held <= limit && a.NotHeld > limit && a.NotHeld <= a.Held*1.01,
			"draw %d: Answer() of %v from %v = %+v; want an interval of 1 %% around it, finished", n, limit, from, a)
		// Doubling or halving to the other side of the limit, seven steps to
		// halve a doubling to 1 %, and one more for each end.
		bound := math.Ceil(math.Abs(math.Log2(limit/from))) + 1 + 7 + 2
		require.Truef(t, float64(len(tried)) <= bound,
			"draw %d: the search for %v from %v took %d steps; want at most %v", n, limit, from, len(tried), bound)
	}
}

// logUniform returns a number between two, as likely to be of any magnitude.
func logUniform(chance, low, high float64) float64 { return low * math.Pow(high/low, chance) }

func TestFinderEndsAtItsBounds(t *testing.T) {
	for _, row := range []struct {
		name              string
		from, upTo, limit float64
		why               string
		held, not         float64
		by                string
		steps, least      int
	}{
		{"a rate that holds at the upper bound is not exceeded", 500, 4000, 1e9, "", 4000, 0, "", 5, 0},
		{"an upper bound that is no doubling is tried itself", 500, 3000, 1e9, "", 3000, 0, "", 5, 0},
		{"one rate alone is tried twice", 500, 500, 1e9, "", 500, 0, "", 2, 0},
		{"a rate that fails at the lower bound is not undercut", 8, 16, 1, results.LimitP99, 0, 2, results.LimitP99, 4, 0},
		{"the criterion is that of the lower of two rates that fail", 100, 1000, 150, results.LimitFailed, 0, 0, results.LimitFailed, 0, 0},
	} {
		f := campaign.NewFinder(row.from, row.upTo)
		tried := search(t, f, limited(row.limit, row.why))
		a := f.Answer()
		assert.True(t, a.By == row.by && a.Finished, row.name)
		if row.steps > 0 {
			assert.Equal(t, [3]float64{row.held, row.not, float64(row.steps)}, [3]float64{a.Held, a.NotHeld, float64(len(tried))}, row.name)
		}
	}
}

// Where each step meets a limit of its own, some per cent off, the interval still
// overlaps with what there was to be found.
func TestFinderBearsALimitThatWavers(t *testing.T) {
	const wave = .01
	chance := clock.NewStream(2, "limits")
	for n := range uint64(500) {
		draw := chance.At(n)
		limit := logUniform(draw.Float64(), 200, 20_000)
		f := campaign.NewFinder(500, campaign.HighestRate)
		search(t, f, func(rate float64, step int) string {
			noise := chance.Try(n, step+1)
			return limited(limit*(1+wave*(2*noise.Float64()-1)), results.LimitThrottled)(rate, step)
		})
		a := f.Answer()
		require.Truef(t, a.Held <= limit*(1+wave) && a.NotHeld > limit*(1-wave),
			"draw %d: Answer() of %v ± 1 %% = %+v; want an interval that touches it", n, limit, a)
		assert.Truef(t, a.Held >= limit*(1-wave)/1.02 && a.NotHeld <= limit*(1+wave)*1.02,
			"draw %d: Answer() of %v ± 1 %% = %+v; want no more than the tolerance beyond it", n, limit, a)
	}
}

// One step in fifty lies, and a search has about fourteen. Without a second look at
// both ends an eighth of the searches goes astray: a lie far from the limit leaves
// it outside the interval, at whose end it is then found out.
func TestFinderOutlivesASingleLie(t *testing.T) {
	chance := clock.NewStream(3, "lies")
	const searches = 400
	astray := 0
	for n := range uint64(searches) {
		draw := chance.At(n)
		limit := logUniform(draw.Float64(), 200, 20_000)
		f := campaign.NewFinder(500, campaign.HighestRate)
		search(t, f, func(rate float64, step int) string {
			held := limited(limit, results.LimitThrottled)(rate, step) == results.LimitHeld
			noise := chance.Try(n, step+1)
			if noise.Float64() < .02 {
				held = !held
			}
			if held {
				return results.LimitHeld
			}
			return results.LimitThrottled
		})
		if a := f.Answer(); math.Abs(a.Held/limit-1) > .02 {
			astray++
		}
	}
	// What is left are two lies at one end, and one of a second look: not above 5 %,
	// and three standard deviations of that many draws.
	if most := 0.05*searches + 3*math.Sqrt(searches*.05*.95); float64(astray) > most {
		t.Errorf("%d of %d searches went astray; want at most %.0f", astray, searches, most)
	}
}

func TestFinderNeverGoesOnForever(t *testing.T) {
	chance := clock.NewStream(4, "coins")
	for n := range uint64(500) {
		f := campaign.NewFinder(500, campaign.HighestRate)
		search(t, f, func(_ float64, step int) string {
			draw := chance.Try(n, step)
			return []string{results.LimitHeld, results.LimitThrottled}[draw.IntN(2)]
		})
		if a := f.Answer(); a.NotHeld > 0 && a.Held >= a.NotHeld {
			t.Fatalf("draw %d: Answer() of coins = %+v; want Held < NotHeld", n, a)
		}
	}
}
