package run_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// canonical carries out the canonical scenario of a cold table with these settings.
func canonical(t testing.TB, p run.Plan, settings ...string) runtest.Record {
	t.Helper()
	p.Scenario = runtest.Builtin(t, "simulate", settings...)
	return runtest.Run(t, p)
}

// scaled divides rates and limits by 20, and no times.
func scaled() []string {
	return []string{"phases.spread.rate=50", "model.partition_target=100", "model.range_target=100",
		"model.server_target=200", "model.account_target=1000", "model.merge_below=5"}
}

// quickly has load balancing act twenty times as soon as well.
func quickly() []string {
	return append(scaled(), "phases.spread.for=1m", "model.tick=1s", "model.detection=15s", "model.load_memory=3s",
		"model.detection_gap=2s", "model.offline_least=1s", "model.offline_most=1s")
}

// The books close with entities and without, and say the same.
func TestSimulationBooksCloseEitherWay(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	without, with := canonical(t, run.Plan{}, quickly()...), canonical(t, run.Plan{Data: true}, quickly()...)
	closes(t, without.Record)
	closes(t, with.Record)
	assert.Truef(t, *without.Target == *with.Target, "without data the target counted %+v", *without.Target)
	assert.True(t, !with.Manifest.Dataless && without.Manifest.Dataless && without.Rival == nil &&
		without.Summary.Balance.Survives == nil, "the records do not say which has data, or are held against another profile")
}

// A key that is asked for more than a partition has is never relieved, and the
// verdict says why; one that headroom bears flips.
func TestHotKeyIsNeverRelieved(t *testing.T) {
	runtest.SkipIfShort(t)
	record := canonical(t, run.Plan{Rival: true}, append(quickly(), "phases.spread.partitions=[Tokyo]", "phases.spread.rate=150",
		"model.range_target=0")...)
	b := record.Summary.Balance
	assert.Truef(t, b.Outcome == results.LoadThrottled && b.Splits == 0 && len(b.StillThrottled) == 1 &&
		b.StillThrottled[0] == "Tokyo", "balance %+v; want Tokyo throttled to the end without a split", b)
	assert.Truef(t, b.Survives != nil && !*b.Survives && record.Rival != nil && record.Rival.Profile == model.Headroom,
		"survives %v, the other profile %+v; want that it flips: headroom bears 150/s", b.Survives, record.Rival)
}

// On a warm start there are no ranges for load balancing to split: the load is sustained.
func TestWarmStartIsSustained(t *testing.T) {
	t.Parallel()
	record := canonical(t, run.Plan{Rival: true}, append(quickly(), "start=warm")...)
	s := record.Summary
	assert.Truef(t, s.Balance == nil && s.State == results.Holds, "balance %+v, state %s", s.Balance, s.State)
}

// stopping ends a run once its first stage begins.
type stopping struct{ stop context.CancelFunc }

func (s stopping) Begins(run.Begun) []drive.Observer { return nil }
func (s stopping) Enters(campaign.Progress)          { s.stop() }
func (s stopping) Ends(error)                        {}

func TestASimulationThatIsStoppedIsPartial(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := run.Run(ctx, run.Plan{Scenario: runtest.Builtin(t, "simulate"), Rival: true, Progress: stopping{cancel}})
	require.Truef(t, errors.Is(err, context.Canceled) && r != nil && r.Validity == results.Partial && r.Rival == nil &&
		r.Summary != nil, "Run = %+v, %v; want a sealed record that is partial, held against nothing", r, err)
	closes(t, r)
}
