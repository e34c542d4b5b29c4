package run_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

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

// bytesOf returns the seconds and the events of a simulation on so many processors,
// without its verdict, which is on another profile, too, where there is one.
func bytesOf(t *testing.T, processors int, p run.Plan) string {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	folder := runtest.Run(t, p).Folder
	events, verdict, told := strings.Cut(string(folder.Bytes(results.EventsFile)), `"event":"`+results.VerdictTold+`"`)
	require.Truef(t, told && strings.Count(verdict, "\n") == 1, "the verdict is not the last event: %q", verdict)
	return events + string(folder.Bytes(results.IntervalsFile))
}

// The same seed gives the same bytes, however many processors and workers there are, and with
// another profile beside it; another seed does not.
func TestSimulationIsDeterministic(t *testing.T) {
	rows := []struct {
		scenario string
		settings []string
		events   []string
	}{
		{"simulate", quickly(), []string{results.StageBegins, results.PhaseBegins, "split", "move", results.PhaseEnds, results.StageEnds}},
		{"stress", []string{"phases.load.entities=300", "phases.peak.rates=[100, 500]", "model.partition_target=250", "phases.peak.each=1s"}, nil},
	}
	for _, row := range rows {
		of := func(processors int, p run.Plan, settings ...string) string {
			p.Scenario = runtest.Builtin(t, row.scenario, append(settings, row.settings...)...)
			return bytesOf(t, processors, p)
		}
		want := of(1, run.Plan{})
		for _, event := range row.events {
			assert.Containsf(t, want, `"event":"`+event+`"`, "%s: there is no %s", row.scenario, event)
		}
		for _, workers := range []string{"1", "7", "4096", "9"}[:run.Tier(1, 4)] {
			assert.Equalf(t, want, of(max(2, runtime.NumCPU()), run.Plan{Rival: true}, "workers="+workers),
				"%s: several processors, %s workers and another profile give other bytes", row.scenario, workers)
		}
		assert.Truef(t, of(1, run.Plan{}, "seed=7") != want, "%s: another seed gives the same bytes", row.scenario)
	}
}

// An attempt of a simulation allocates nothing: what a longer run takes beyond a shorter one
// is what each of its seconds takes, and not what its attempts do.
func TestASimulatedAttemptAllocatesNothing(t *testing.T) {
	const most = 0.1
	allocated := func(length string) (objects uint64, attempts int64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		attempts = canonical(t, run.Plan{}, "phases.spread.for="+length).Target.Requests
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs, attempts
	}
	allocated("1s") // Whatever is made once is made now.
	short, few := allocated("2s")
	long, many := allocated("7s")
	if each := (float64(long) - float64(short)) / float64(many-few); each > most || many-few < 50_000 {
		t.Errorf("%d attempts more took %d allocations more, %.3f each; want %v at most", many-few, int64(long)-int64(short), each, most)
	}
}

// closes fails unless the books of a record close, and agree with those of the target.
func closes(t *testing.T, record *results.Record) {
	t.Helper()
	sum, target := record.Total(results.Everything), record.Target
	if target == nil || sum.Scheduled != sum.Sent+sum.Dropped || sum.Operations != sum.Sent ||
		sum.Attempts != sum.Ok+sum.Throttled+sum.Failed || sum.Attempts != target.Requests ||
		sum.Ok != target.Ok || sum.Throttled != target.Throttled || sum.Counted != target.Entities {
		t.Errorf("the books are %+v, the target's %+v; want them to close", sum, target)
	}
}

// The scenario that the front page shows runs as it stands, in less than the half minute that
// is promised, and takes what its comments propose.
func TestTheSampleScenarioRuns(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	file, err := os.ReadFile("../../docs/registrations.yaml")
	require.NoError(t, err)
	text := string(file)
	for _, arrivals := range []string{
		"{ramp: {from: 0, to: 900}}", "{burst: {base: 200, peak: 2000, every: 5s, length: 1s}}", "{poisson: 1500}",
		"{constant: 700}", "{sine: {mean: 500, amplitude: 500, period: 4s}}",
	} {
		runtest.Parse(t, text, "phases.measure.arrivals="+arrivals)
	}
	reading := strings.Replace(text, "verb: merge", "verb: merge\n          read_first: true", 1)
	s := runtest.Parse(t, reading)
	assert.True(t, s.Phases[1].Traffic.Operations[2].ReadFirst, "the merge with read_first does not read first")
	record := runtest.Simulate(t, runtest.Parse(t, text))
	assert.Truef(t, record.Validity == results.Valid && record.Duration <= 25*time.Second,
		"the run is %s %v and took %v; want valid, within 25 s", record.Validity, record.Reasons, record.Duration)
	closes(t, record.Record)
	sum, measured := record.Total(results.Everything), record.Total(results.Reported)
	assert.Equal(t, [3]int64{}, [3]int64{sum.Failed, sum.Dropped, measured.Throttled}, "failed, dropped, throttled")
	assert.GreaterOrEqual(t, measured.Attempts, measured.Operations*11/10, "attempts of operations with pages")
	for _, phase := range record.Phases {
		for k, kind := range record.Manifest.Operations {
			assert.Truef(t, !phase.Reported || kind.Group == "" || phase.Kinds[k].Succeeded >= 100,
				"%s: %d operations of %q succeeded; want 100", phase.Name, phase.Kinds[k].Succeeded, kind.Name)
		}
	}
}

// removing is a progress that removes the folder of a run once traffic begins.
type removing struct {
	stopping
	folder string
}

func (r removing) Enters(stage campaign.Progress) {
	if stage.Stage == "work" {
		_ = os.RemoveAll(r.folder)
	}
}

// A run whose folder is removed still returns its record, and says that nothing is stored.
func TestRemovedFolder(t *testing.T) {
	t.Parallel()
	plan := run.Plan{Scenario: runtest.Builtin(t, "user-id-key")}
	want, err := run.Run(t.Context(), plan)
	require.NoError(t, err)
	plan.Out = filepath.Join(t.TempDir(), "run")
	plan.Progress = removing{folder: plan.Out}
	plan.Kept = func(results.Folder, *results.Record) error { return errors.New("no folder is left to draw in") }
	got, err := run.Run(t.Context(), plan)
	require.ErrorIs(t, err, results.ErrWrite)
	assert.ErrorContains(t, err, plan.Out)
	assert.NoDirExists(t, plan.Out)
	require.NotNil(t, got)
	assert.Equal(t, want.Summary, got.Summary)
	assert.Equal(t, want.Intervals, got.Intervals)
}
