package trial_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/backoff/trial"
	"loadgen/results"
	"loadgen/results/resultstest"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

// outage is a contest in an outage of some length.
func outage(length time.Duration, clients int) *trial.Contest {
	return &trial.Contest{Clients: clients, Length: length, Each: 1, Seed: 20}
}

func try(t testing.TB, c *trial.Contest, one trial.Contestant) results.PolicyTrial {
	t.Helper()
	c.Contestants = []trial.Contestant{one}
	contest, err := c.Run(t.Context())
	require.NoErrorf(t, err, "Run(%s)", one.Name)
	return contest.Policies[0]
}

// V20: the share of the operations caught in a hand-over that a policy loses, compared with a Monte
// Carlo of the formulas. Hand-overs of other lengths than 15 s are played with the tag ci.
func TestV20LostInAHandOver(t *testing.T) {
	lengths := []time.Duration{15 * s, 2 * s, 5 * s, 10 * s, 20 * s}[:resultstest.Cases(1, 5)]
	type lost map[time.Duration]float64
	none := lost{2 * s: 0, 5 * s: 0, 10 * s: 0, 15 * s: 0, 20 * s: 0}
	for _, row := range []struct {
		name string
		want lost
	}{
		{"azcore", lost{2 * s: 0, 5 * s: 0, 10 * s: 8.5, 15 * s: 38.2, 20 * s: 54.1}},
		{"azure-core-net", lost{2 * s: 0, 5 * s: 0.3, 10 * s: 43.5, 15 * s: 63.1, 20 * s: 72.6}},
		{"js", lost{2 * s: 0, 5 * s: 3.4, 10 * s: 47.5, 15 * s: 64.7, 20 * s: 73.1}},
		{"storage-net", none},
		{"was-1.x", none},
		{"documented", none},
		{"botocore-standard", lost{2 * s: 28.9, 5 * s: 69.7, 10 * s: 84.9, 15 * s: 90.0, 20 * s: 92.2}},
		{"full-jitter", lost{2 * s: 25.0, 5 * s: 69.3, 10 * s: 84.2, 15 * s: 89.4, 20 * s: 92.0}},
		{"fixed-1s", lost{2 * s: 0, 5 * s: 40.2, 10 * s: 70.3, 15 * s: 80.2, 20 * s: 85.0}},
		{"fixed-5s", lost{2 * s: 0, 5 * s: 0, 10 * s: 0, 15 * s: 0, 20 * s: 25.0}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			policy, err := backoff.ByName(row.name)
			require.NoError(t, err)
			for _, length := range lengths {
				want := row.want[length]
				clients := int(10_000 / length.Seconds())
				trial := try(t, outage(length, clients), trial.Contestant{Name: row.name, Policy: policy})
				assert.InDeltaf(t, want, trial.LostPercent, 2, "%v: percent of the caught operations that are lost", length)
				assert.EqualValuesf(t, clients*int(length/s), trial.Caught, "%v: operations caught", length)
			}
		})
	}
}

// A schedule says which of its waits have no spread, and what is retried.
func TestScheduleSaysWhereItIsFlat(t *testing.T) {
	for _, row := range []struct {
		policy      string
		flat, codes string
		waits       int
	}{
		{"documented", "before retry 3 (90 s)", "5xx except 501 and 505, and attempts without a reply, the first one immediately", 3},
		{"was-1.x", "retry 1 (3 s)", "5xx except", 3},
		{"ladder", "No wait", "5xx except", 4},
		{"js", "", "408 and 5xx except 501 and 505, and attempts", 3},
		{"azcore", "", "408, 429, 500, 502, 503, 504, and attempts", 3},
		{"none", "", "nothing", 0},
	} {
		presets, err := backoff.Choose(row.policy)
		require.NoError(t, err)
		got := trial.Schedule(&presets[0])
		if got.Policy != row.policy || !strings.Contains(got.Flat, row.flat) || (got.Flat == "") != (row.flat == "") ||
			!strings.HasPrefix(got.Codes, row.codes) || len(got.Waits) != row.waits || got.Waits == nil {
			t.Errorf("Schedule of %s = %+v; want %d waits, %q and %q", row.policy, got, row.waits, row.flat, row.codes)
		}
	}
	long := backoff.Preset{Policy: backoff.Policy{Retries: 1000, Delay: backoff.Ladder{s}}}
	got := trial.Schedule(&long)
	assert.Truef(t, got.Retries == 1000 && len(got.Waits) == 20 && got.Waits[19].SumMeanS == 20,
		"%+v; want the first 20 waits", got)
	c := contestOf(t, "js", "documented+adaptive", "none")
	list := c.Schedules()
	assert.Truef(t, len(list) == 2 && list[0].Policy == "js" && list[1].Policy == "none", "%+v; want those without a limiter", list)
}
