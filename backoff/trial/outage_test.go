package trial_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/backoff/trial"
	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

// offline returns an engine without limits whose partitions all refuse in the
// window, at once, and the wrapper that does it.
func offline(t testing.TB, from, to time.Duration) *target.VirtualFaults {
	t.Helper()
	off, err := model.New(model.Off)
	require.NoError(t, err)
	e := engine.New(engine.Options{Model: off, Accounts: []string{"a"}, Seed: 1})
	inner := target.NewInProcess(e, "a", clock.NewReal())
	inner.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: "Races"})
	plan := engine.FaultPlan{Rules: []engine.FaultRule{{Kind: engine.FaultRefuse, From: from, To: to, Share: engine.WholeShare}}}
	return target.WrapImmediateFaults(inner, plan, 1)
}

// upsert is operation k, on a partition of its client.
func upsert(clients int) func(k uint64, w *drive.Work) {
	return func(k uint64, w *drive.Work) {
		key := entity.Key{Partition: fmt.Sprint("client ", k%uint64(clients)), Row: "r"}
		w.Operation = target.Operation{Verb: entity.InsertOrMerge, Table: "Races",
			Change: entity.Change{Verb: entity.InsertOrMerge, Key: key}}
	}
}

// outage is an experiment in which everything is throttled for so long.
func outage(length time.Duration, clients int) *trial.Experiment {
	rate := float64(clients)
	return &trial.Experiment{Clients: clients, Lead: 2 * s, Trouble: length, Tail: 2 * s,
		LeadRate: rate, TroubleRate: rate, TailRate: rate, Seed: 20, Build: upsert(clients)}
}

func try(t testing.TB, e *trial.Experiment, c trial.Contestant) results.PolicyTrial {
	t.Helper()
	trial, err := e.Try(t.Context(), c, offline(t, e.Lead, e.Lead+e.Trouble))
	require.NoErrorf(t, err, "Try(%s)", c.Name)
	return trial
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
