package trial_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"loadgen/backoff/trial"
	"loadgen/results"
)

// contestOf is an outage of 15 seconds that some policies meet with 500 clients.
func contestOf(t testing.TB, policies ...string) trial.Contest {
	t.Helper()
	list, faults := trial.Named(policies...)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return trial.Contest{Contestants: list, Length: 15 * s, Clients: 500, Each: 1, Seed: 1}
}

func run(t testing.TB, c trial.Contest) *results.PolicyContest {
	t.Helper()
	contest, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return contest
}

// The documents' formula outlives a hand-over of 15 seconds, and what clients of today do
// by default loses a third of the operations or two.
func TestContestRanksByWhatIsLost(t *testing.T) {
	want := []struct {
		policy string
		lost   float64
	}{{"documented", 0}, {"was-1.x", 0}, {"storage-net", 0}, {"azcore", 38.2}, {"azure-core-net", 63.1}, {"js", 64.7},
		{"fixed-1s", 80.2}, {"botocore-standard", 90}, {"none", 100}}
	var names []string
	lost := map[string]float64{}
	for _, one := range want {
		names, lost[one.policy] = append(names, one.policy), one.lost
	}
	c := contestOf(t, names...)
	c.Clients = 200
	contest := run(t, c)
	if len(contest.Policies) != len(want) {
		t.Fatalf("%d policies were tried; want %d", len(contest.Policies), len(want))
	}
	for i, trial := range contest.Policies {
		if trial.Caught != 3000 || math.Abs(trial.LostPercent-lost[trial.Policy]) > 3 {
			t.Errorf("%s lost %.1f %% of %d caught; want %.1f of 3,000 within 3 points", trial.Policy, trial.LostPercent, trial.Caught, lost[trial.Policy])
		}
		if i > 0 && trial.LostPercent < contest.Policies[i-1].LostPercent {
			t.Errorf("%s stands behind %s, which lost more", trial.Policy, contest.Policies[i-1].Policy)
		}
	}
	if !strings.Contains(contest.Verdict, `"documented", "was-1.x"`) || !strings.Contains(contest.Verdict, "lose none") {
		t.Errorf("Verdict = %q; want it to name those that lose none", contest.Verdict)
	}
	if contest.LeadS != 5 || contest.TroubleS != 15 || contest.TailS != 10 || contest.OperationsPerSecondEachClient != 1 {
		t.Errorf("the contest says %+v; want 5, 15 and 10 s at 1/s each", contest)
	}
}

func TestTroublesOfAContest(t *testing.T) {
	for _, row := range []struct {
		name     string
		policies []string
		alter    func(c *trial.Contest)
		trouble  string
		holds    func(p []results.PolicyTrial) bool
	}{
		{"an overload of twice what a partition bears loses half without retries", []string{"none"},
			func(c *trial.Contest) { c.Overload, c.Length = 2, 5*s }, "2 times what a partition bears, for 5 s",
			func(p []results.PolicyTrial) bool { return math.Abs(p[0].LostPercent-48) < 3 && p[0].Goodput > 1000 }},
		{"clients that fail together come back together", []string{"fixed-1s", "was-1.x"},
			func(c *trial.Contest) { c.Together, c.Clients = true, 100 },
			"an outage of 15 s, in which every attempt is throttled at once and which finds every client with an operation due at its first instant",
			func(p []results.PolicyTrial) bool {
				return p[0].PeakRetries == 100 && p[1].PeakRetries == 100 && p[0].Caught == 100
			}},
		{"lost replies show as duplicate effects", []string{"documented"},
			func(c *trial.Contest) { c.Length, c.Clients, c.LostReplies = s, 1000, 10 },
			"an outage of 1 s, in which every attempt is throttled at once, 10 % of all replies being lost after the request was carried out",
			func(p []results.PolicyTrial) bool { return p[0].Duplicates > 500 }},
		{"none of them without lost replies", []string{"documented"},
			func(c *trial.Contest) { c.Length = s }, "an outage of 1 s, in which every attempt is throttled at once",
			func(p []results.PolicyTrial) bool { return p[0].Duplicates == 0 }},
		{"a limiter of one's own for each client", []string{"fixed-1s", "fixed-1s+retry-budget"},
			func(c *trial.Contest) { c.Length = 10 * s }, "an outage of 10 s, in which every attempt is throttled at once",
			func(p []results.PolicyTrial) bool {
				return len(p) == 2 && p[0].AttemptsPerOperation != p[1].AttemptsPerOperation
			}},
	} {
		c := contestOf(t, row.policies...)
		row.alter(&c)
		contest := run(t, c)
		if contest.Trouble != row.trouble {
			t.Errorf("%s: the trouble is %q; want %q", row.name, contest.Trouble, row.trouble)
		}
		if !row.holds(contest.Policies) {
			for i := range contest.Policies {
				contest.Policies[i].RetriesPer100ms = nil
			}
			t.Errorf("%s: %+v", row.name, contest)
		}
	}
}

// A contest that ends early is of those that were tried.
func TestContestEndsEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := contestOf(t, "none", "js")
	contest, err := c.Run(ctx)
	if !errors.Is(err, context.Canceled) || contest == nil || !strings.HasPrefix(contest.Verdict, "Ended after 0 of 2 policies: context canceled. No policy") {
		t.Errorf("Run of a cancelled contest = %+v, %v; want what was done", contest, err)
	}
}

func TestNamedTellsEveryName(t *testing.T) {
	for _, row := range []struct {
		sentence string
		names    []string
		want     string
	}{
		{"a policy, and one with a limiter", []string{"js", "js+cubic"}, "[]"},
		{"none", nil, "[there is none; expected one at least]"},
		{"one that is none, and a limiter that is none", []string{"azcor", "js+adaptiv"},
			`[backoff: unknown policy "azcor"; nearest: azcore unknown limiter "adaptiv"; did you mean "adaptive"?]`},
		{"one twice", []string{"js", "js"}, "[js occurs twice; expected each once]"},
	} {
		list, faults := trial.Named(row.names...)
		if got := fmt.Sprint(faults); got != row.want || len(faults) == 0 && len(list) != len(row.names) {
			t.Errorf("%s: Named(%q) = %d, %s; want %s", row.sentence, row.names, len(list), got, row.want)
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
		{"no clients", func(c *trial.Contest) { c.Clients = 0 }, "clients is 0"},
		{"a rate that is no number", func(c *trial.Contest) { c.Each = math.NaN() }, "NaN"},
		{"an overload that is no number", func(c *trial.Contest) { c.Overload = math.NaN() }, "overload is NaN"},
		{"an overload of millions", func(c *trial.Contest) { c.Overload = 1e6 }, "overload is 1e+06"},
		{"more replies than all", func(c *trial.Contest) { c.LostReplies = 101 }, "lost replies are 101 %"},
		{"an overload of all at once", func(c *trial.Contest) { c.Overload, c.Together = 2, true }, "together belongs to an outage"},
	} {
		c := contestOf(t, "js")
		row.spoil(&c)
		faults := c.Validate()
		if len(faults) == 0 || !errors.Is(faults[0], trial.ErrExperiment) || !strings.Contains(faults[0].Error(), row.want) {
			t.Errorf("%s: Validate = %v; want %q", row.sentence, faults, row.want)
		}
		if contest, err := c.Run(t.Context()); contest != nil || !errors.Is(err, trial.ErrExperiment) {
			t.Errorf("%s: Run = %v, %v; want no contest", row.sentence, contest, err)
		}
	}
}
