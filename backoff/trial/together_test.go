package trial_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/backoff/trial"
	"loadgen/results"
)

// front is an outage that finds every client with one operation due at its first
// instant.
func front(length time.Duration, clients int) *trial.Contest {
	c := outage(length, clients)
	c.Together = true
	return c
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
		{"fixed", backoff.Ladder{s}, 20 * s},
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
		Policy: backoff.Policy{Retries: 1, Delay: backoff.FullJitter(2*s, 20*s)}})
	expected, deviation := clients/20., math.Sqrt(clients*0.05*0.95)
	require.Len(t, tried.RetriesPer100ms, 20, "full jitter: retries over tenths of a second")
	for tenth, count := range tried.RetriesPer100ms {
		assert.InDeltaf(t, expected, count, 5*deviation, "full jitter: retries in tenth %d", tenth)
	}
	assert.InDelta(t, expected+2.5*deviation, tried.PeakRetries, 2.5*deviation, "full jitter: at most so many retries within 100 ms")
}

// A limiter sends less: a spent budget gives retries up, and the books say so.
func TestLimitersCompose(t *testing.T) {
	policy := backoff.Policy{Retries: 3, Delay: backoff.Ladder{100 * ms}}
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
			"%s: %+v; alone lost %.1f%%, %.2f attempts, drain %.1f s", row.name, trial, alone.LostPercent, alone.AttemptsPerOperation, alone.DrainS)
	}
}

// Goodput is what was served from the trouble's begin to the last arrival, and what
// was added is over the median before.
func TestGoodputAndAddedTimes(t *testing.T) {
	e := outage(8*s, 100)
	got := try(t, e, trial.Contestant{Name: "none"}).Goodput
	assert.Truef(t, math.Abs(got-55.5) <= 0.5, "goodput of 100/s through 8 s of outage and 10 s without = %.2f; want 55.5", got)
	trial := try(t, outage(500*ms, 2000), trial.Contestant{Name: "fixed", Policy: backoff.Policy{Retries: 1, Delay: backoff.Ladder{s}}})
	for name, got := range map[string]*float64{"p50": trial.Added.P50, "p95": trial.Added.P95, "p99": trial.Added.P99} {
		assert.Truef(t, got != nil && math.Abs(*got-1000) <= 1,
			"added %s after one wait of a second = %v; want 1,000 ms", name, got)
	}
	assert.Truef(t, trial.Fairness != nil && *trial.Fairness == 1, "fairness where all succeed = %v; want 1", trial.Fairness)
}

// The same experiment twice is the same to the last figure.
func TestTriesAreRepeatable(t *testing.T) {
	c := trial.Contestant{Name: "js", Policy: backoff.Policy{Retries: 3, Delay: backoff.EqualJitter(s, 64*s)},
		Limiter: func() backoff.Limiter { return backoff.NewAdaptive() }}
	a, b := try(t, outage(5*s, 300), c), try(t, outage(5*s, 300), c)
	assert.Empty(t, cmp.Diff(a, b), "two tries of one experiment")
}

// contestOf is an outage of 15 seconds that some policies meet with 500 clients.
func contestOf(t testing.TB, policies ...string) trial.Contest {
	t.Helper()
	list, faults := trial.Named(policies...)
	require.Empty(t, faults)
	return trial.Contest{Contestants: list, Length: 15 * s, Clients: 500, Each: 1, Seed: 1}
}

func run(t testing.TB, c trial.Contest) *results.PolicyContest {
	t.Helper()
	contest, err := c.Run(t.Context())
	require.NoError(t, err)
	return contest
}

// What is ranked first lost least, and the verdict names those that lose none.
func TestContestRanksByWhatIsLost(t *testing.T) {
	want := []string{"documented", "was-1.x", "azcore", "js", "none"}
	c := contestOf(t, "none", "azcore", "documented", "js", "was-1.x")
	c.Clients = 100
	contest := run(t, c)
	for i, trial := range contest.Policies {
		assert.Truef(t, trial.Policy == want[i] && trial.Caught == 1500 && (trial.Lost == 0) == (i < 2),
			"%s is number %d, and lost %d of %d caught; want %q in order, of which two lose none of 1,500", trial.Policy, i+1, trial.Lost, trial.Caught, want)
	}
	assert.Contains(t, contest.Verdict, `"documented" and "was-1.x"`, "Verdict")
	assert.Equal(t, []float64{5, 15, 10, 1}, []float64{contest.LeadS, contest.TroubleS, contest.TailS, contest.OperationsPerSecondEachClient})
}

func TestTroublesOfAContest(t *testing.T) {
	for _, row := range []struct {
		name     string
		policies []string
		alter    func(c *trial.Contest)
		holds    func(p []results.PolicyTrial) bool
	}{
		{"an overload of twice what a partition bears loses half without retries", []string{"none"},
			func(c *trial.Contest) { c.Overload, c.Length = 2, 5*s },
			func(p []results.PolicyTrial) bool { return math.Abs(p[0].LostPercent-48) < 3 && p[0].Goodput > 1000 }},
		{"clients that fail together come back together", []string{"fixed-1s"},
			func(c *trial.Contest) { c.Together, c.Clients = true, 100 },
			func(p []results.PolicyTrial) bool { return p[0].PeakRetries == 100 && p[0].Caught == 100 }},
		{"lost replies show as duplicate effects", []string{"documented"},
			func(c *trial.Contest) { c.Length, c.Clients, c.LostReplies = s, 300, 10 },
			func(p []results.PolicyTrial) bool { return p[0].Duplicates > 150 }},
		{"none of them without lost replies, and a limiter of one's own for each client", []string{"fixed-1s", "fixed-1s+retry-budget"},
			func(c *trial.Contest) { c.Length = 10 * s },
			func(p []results.PolicyTrial) bool {
				return len(p) == 2 && p[0].AttemptsPerOperation != p[1].AttemptsPerOperation && p[0].Duplicates == 0
			}},
	} {
		c := contestOf(t, row.policies...)
		row.alter(&c)
		contest := run(t, c)
		for i := range contest.Policies {
			contest.Policies[i].RetriesPer100ms = nil
		}
		assert.Truef(t, row.holds(contest.Policies) && contest.Trouble != "", "%s: %+v", row.name, contest)
	}
}

// A contest that ends early is of those that were tried.
func TestContestEndsEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := contestOf(t, "none", "js")
	contest, err := c.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.Contains(t, contest.Verdict, "0 of 2 policies: context canceled")
}

func TestNamedTellsEveryName(t *testing.T) {
	for _, row := range []struct {
		sentence    string
		names, want []string
	}{
		{"a policy, and one with a limiter", []string{"js", "js+cubic"}, nil},
		{"none", nil, []string{"no policy"}},
		{"one that is none, and a limiter that is none", []string{"azcor", "js+adaptiv"}, []string{`"azcor"`, `"adaptiv"`}},
		{"one twice", []string{"js", "js"}, []string{"js occurs twice"}},
	} {
		list, faults := trial.Named(row.names...)
		require.Lenf(t, faults, len(row.want), row.sentence)
		assert.Truef(t, len(faults) > 0 || len(list) == len(row.names), "%s: %d contestants", row.sentence, len(list))
		for i, want := range row.want {
			assert.ErrorContains(t, faults[i], want, row.sentence)
		}
	}
}

func TestImpossibleContests(t *testing.T) {
	for _, row := range []struct {
		sentence string
		spoil    func(c *trial.Contest)
		want     string
	}{
		{"a trouble of hours", func(c *trial.Contest) { c.Length = 2 * time.Hour }, "trouble lasts 2h"},
		{"no rate", func(c *trial.Contest) { c.Each = 0 }, "trial: "},
		{"an overload that is no number", func(c *trial.Contest) { c.Overload = math.NaN() }, "overload is NaN"},
		{"an overload of millions", func(c *trial.Contest) { c.Overload = 1e6 }, "overload is 1e+06"},
		{"more replies than all", func(c *trial.Contest) { c.LostReplies = 101 }, "lost replies are 101%"},
		{"an overload of all at once", func(c *trial.Contest) { c.Overload, c.Together = 2, true }, "it belongs to an outage"},
	} {
		c := contestOf(t, "js")
		row.spoil(&c)
		contest, err := c.Run(t.Context())
		assert.Nil(t, contest, row.sentence)
		assert.ErrorIs(t, err, trial.ErrContest, row.sentence)
		assert.ErrorContains(t, err, row.want, row.sentence)
	}
}
