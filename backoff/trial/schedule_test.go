package trial_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/backoff/trial"
)

// A schedule says which of its waits have no spread, and what is retried.
func TestScheduleSaysWhereItIsFlat(t *testing.T) {
	for _, row := range []struct {
		policy      string
		flat, codes string
		waits       int
	}{
		{"documented", "retry 3 (90 s)", "5xx except 501 and 505, and attempts without a reply, the first of which at once", 3},
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
	long := backoff.Preset{Policy: backoff.Policy{Retries: 1000, Delay: backoff.Fixed{Every: s}}}
	got := trial.Schedule(&long)
	assert.Truef(t, got.Retries == 1000 && len(got.Waits) == 20 && got.Waits[19].SumMeanS == 20,
		"%+v; want the first 20 waits", got)
	c := contestOf(t, "js", "documented+adaptive", "none")
	list := c.Schedules()
	assert.Truef(t, len(list) == 2 && list[0].Policy == "js" && list[1].Policy == "none", "%+v; want those without a limiter", list)
}
