package trial_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff/trial"
	"loadgen/results"
)

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
		{"no trouble", func(c *trial.Contest) { c.Length = 0 }, "trouble lasts 0s"},
		{"a trouble of hours", func(c *trial.Contest) { c.Length = 2 * time.Hour }, "trouble lasts 2h"},
		{"no rate", func(c *trial.Contest) { c.Each = 0 }, "trial: "},
		{"no clients", func(c *trial.Contest) { c.Clients = 0 }, "clients is 0"},
		{"a rate that is no number", func(c *trial.Contest) { c.Each = math.NaN() }, "NaN"},
		{"an overload that is no number", func(c *trial.Contest) { c.Overload = math.NaN() }, "overload is NaN"},
		{"an overload of millions", func(c *trial.Contest) { c.Overload = 1e6 }, "overload is 1e+06"},
		{"more replies than all", func(c *trial.Contest) { c.LostReplies = 101 }, "lost replies are 101 %"},
		{"an overload of all at once", func(c *trial.Contest) { c.Overload, c.Together = 2, true }, "together belongs to an outage"},
	} {
		c := contestOf(t, "js")
		row.spoil(&c)
		contest, err := c.Run(t.Context())
		assert.Nil(t, contest, row.sentence)
		assert.ErrorIs(t, err, trial.ErrExperiment, row.sentence)
		assert.ErrorContains(t, err, row.want, row.sentence)
	}
}
