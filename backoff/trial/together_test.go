package trial_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/backoff/trial"
	"loadgen/engine"
	"loadgen/results"
	"loadgen/target"
)

// front is an outage that finds every client with one operation due at its first
// instant.
func front(length time.Duration, clients int) *trial.Experiment {
	e := outage(length, clients)
	e.Together = true
	return e
}

// Without jitter all who failed together come back together, at every retry; with
// it they spread, at the cap, too, where the formula says so.
func TestClientsThatFailTogether(t *testing.T) {
	const clients = 500
	for _, row := range []struct {
		name   string
		delay  backoff.Delay
		length time.Duration
	}{
		{"fixed", backoff.Fixed{Every: s}, 20 * s},
		{"linear", backoff.Linear{Step: s, Max: 5 * s}, 20 * s},
		{"ladder", backoff.Ladder{2 * s, 4 * s, 10 * s, 30 * s}, 20 * s},
		{"the old client's first retry, x = 0", backoff.Exponential{Base: 30 * s, Min: 3 * s, Max: 90 * s, FromZero: true}, 20 * s},
		{"the documents' formula at its cap", backoff.Exponential{Base: 30 * s, Min: 90 * s, Max: 90 * s}, 200 * s},
	} {
		trial := try(t, front(row.length, clients), trial.Contestant{Name: row.name, Policy: backoff.Policy{Retries: 3, Delay: row.delay}})
		assert.Truef(t, trial.Caught == clients && trial.PeakRetries == clients,
			"%s: %d caught, at most %d retries within 100 ms; want all %d", row.name, trial.Caught, trial.PeakRetries, clients)
	}
	// Full jitter: the first retries are uniform over 2 s, so that each tenth of a
	// second has n/20 of them, within five standard deviations of the binomial.
	tried := try(t, front(20*s, clients), trial.Contestant{Name: "full jitter",
		Policy: backoff.Policy{Retries: 1, Delay: backoff.FullJitter{Base: 2 * s, Cap: 20 * s}}})
	expected, deviation := clients/20., math.Sqrt(clients*0.05*0.95)
	require.Len(t, tried.RetriesPer100ms, 20, "full jitter: retries over tenths of a second")
	for tenth, count := range tried.RetriesPer100ms {
		assert.InDeltaf(t, expected, count, 5*deviation, "full jitter: retries in tenth %d", tenth)
	}
	assert.InDelta(t, expected+2.5*deviation, tried.PeakRetries, 2.5*deviation, "full jitter: at most so many retries within 100 ms")
}

// Attempts throttled by chance: (1 − p^(R+1))/(1 − p) attempts an operation.
func TestAmplificationIsTheGeometricSum(t *testing.T) {
	const clients, retries, share = 2000, 3, 300_000
	e := outage(10*s, clients)
	inner := offline(t, 0, 1)
	plan := engine.FaultPlan{Rules: []engine.FaultRule{{Kind: engine.FaultRefuse, From: e.Lead, To: time.Hour, Share: share}}}
	trial, err := e.Try(t.Context(), trial.Contestant{Name: "fixed",
		Policy: backoff.Policy{Retries: retries, Delay: backoff.Fixed{Every: 10 * ms}}}, target.WrapImmediateFaults(inner, plan, 3))
	require.NoError(t, err)
	p, n := float64(share)/engine.WholeShare, float64(trial.Caught)
	want := (1 - math.Pow(p, retries+1)) / (1 - p)
	// Attempts of one operation have a variance below that of the endless geometric
	// distribution, p/(1 − p)².
	doubt := 5 * math.Sqrt(p/(1-p)/(1-p)/n)
	assert.InDelta(t, want, trial.AttemptsPerOperation, doubt, "attempts per operation")
	assert.InDelta(t, want, trial.AmplificationByChance, 2*doubt, "AmplificationByChance")
	lost, deviation := 100*math.Pow(p, retries+1), 500*math.Sqrt(math.Pow(p, retries+1)/n)
	assert.InDelta(t, lost, trial.LostPercent, deviation, "lost, of which p⁴ is expected, in percent")
}

// A limiter sends less: a spent budget gives retries up, and the books say so.
func TestLimitersCompose(t *testing.T) {
	policy := backoff.Policy{Retries: 3, Delay: backoff.Fixed{Every: 100 * ms}}
	alone := try(t, outage(10*s, 200), trial.Contestant{Name: "fixed", Policy: policy})
	held := func(a results.PolicyTrial) bool {
		return a.Withheld == 0 && a.DrainS > alone.DrainS && a.LostPercent < alone.LostPercent
	}
	for _, row := range []struct {
		name    string
		limiter func() backoff.Limiter
		holds   func(a results.PolicyTrial) bool
	}{
		{"a retry budget: at most five failures before retries stop", backoff.LimiterByName("retry-budget"),
			func(a results.PolicyTrial) bool {
				return a.Withheld == 0 && a.AttemptsPerOperation < 0.6*alone.AttemptsPerOperation
			}},
		{"a quota of 500 tokens, 100 retries a client, is not spent", backoff.LimiterByName("token-quota"),
			func(a results.PolicyTrial) bool { return a.AttemptsPerOperation == alone.AttemptsPerOperation }},
		{"adaptive throttling withholds first attempts, too", backoff.LimiterByName("adaptive"),
			func(a results.PolicyTrial) bool {
				return a.Withheld > 0 && a.AttemptsPerOperation < alone.AttemptsPerOperation
			}},
		{"cubic holds them back", backoff.LimiterByName("cubic"), held},
		{"so does AIMD", backoff.LimiterByName("aimd"), held},
	} {
		trial := try(t, outage(10*s, 200), trial.Contestant{Name: row.name, Policy: policy, Limiter: row.limiter})
		trial.RetriesPer100ms = nil
		assert.Truef(t, row.holds(trial),
			"%s: %+v; alone lost %.1f %%, %.2f attempts, drain %.1f s", row.name, trial, alone.LostPercent, alone.AttemptsPerOperation, alone.DrainS)
	}
}

// Goodput is what was served from the trouble's begin to the last arrival, and what
// was added is over the median before.
func TestGoodputAndAddedTimes(t *testing.T) {
	e := outage(8*s, 100)
	got := try(t, e, trial.Contestant{Name: "none"}).Goodput
	assert.Truef(t, math.Abs(got-20) <= 0.5, "goodput of 100/s through 8 s of outage and 2 s without = %.2f; want 20", got)
	trial := try(t, outage(500*ms, 2000), trial.Contestant{Name: "fixed", Policy: backoff.Policy{Retries: 1, Delay: backoff.Fixed{Every: s}}})
	for name, got := range map[string]*float64{"p50": trial.Added.P50, "p95": trial.Added.P95, "p99": trial.Added.P99} {
		assert.Truef(t, got != nil && math.Abs(*got-1000) <= 1,
			"added %s after one wait of a second = %v; want 1,000 ms", name, got)
	}
	assert.Truef(t, trial.Fairness != nil && *trial.Fairness == 1, "fairness where all succeed = %v; want 1", trial.Fairness)
}

// The same experiment twice is the same to the last figure.
func TestTriesAreRepeatable(t *testing.T) {
	c := trial.Contestant{Name: "js", Policy: backoff.Policy{Retries: 3, Delay: backoff.EqualJitter{Base: s, Cap: 64 * s}},
		Limiter: func() backoff.Limiter { return backoff.NewAdaptive() }}
	a, b := try(t, outage(5*s, 300), c), try(t, outage(5*s, 300), c)
	assert.Empty(t, cmp.Diff(a, b), "two tries of one experiment")
}
