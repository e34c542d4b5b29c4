package campaign_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/queueblob"
	"loadgen/target/targettest"
)

// parsed returns the scenario of a text with values set: path=value.
func parsed(t testing.TB, text string, settings ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("scenario.yaml", []byte(text))
	require.NoErrorf(t, err, "%v\n%s", err, text)
	return set(t, s, settings...)
}

// builtin returns a scenario of the library with values set.
func builtin(t testing.TB, name string, settings ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Builtin(name)
	require.NoError(t, err)
	return set(t, s, settings...)
}

// set gives a scenario values: path=value.
func set(t testing.TB, s *scenarios.Scenario, settings ...string) *scenarios.Scenario {
	t.Helper()
	require.NoError(t, s.SetAll(scenarios.Settings(settings...)))
	if len(settings) > 0 {
		require.Empty(t, s.Validate())
	}
	return s
}

// planned returns the campaign of some options.
func planned(t testing.TB, o campaign.Options) *campaign.Campaign {
	t.Helper()
	c, err := campaign.NewCampaign(o)
	require.NoError(t, err)
	return c
}

// engineOf builds the engine of a scenario with its accounts; without data it stores nothing.
func engineOf(t testing.TB, s *scenarios.Scenario, dataless bool) *engine.Engine {
	t.Helper()
	m, err := model.New(s.Model.Profile)
	for _, o := range s.Model.Overrides {
		err = errors.Join(err, m.Set(o.Name, o.Text))
	}
	require.NoError(t, err)
	return engine.New(engine.Options{Model: m, Accounts: accountsOf(s), Seed: s.Seed,
		Cold: s.Start == scenarios.StartCold, Dataless: dataless})
}

// accountsOf returns the names of a scenario's accounts: account0 and so on.
func accountsOf(s *scenarios.Scenario) (names []string) {
	for n := range s.Sharding().Number() {
		names = append(names, fmt.Sprint("account", n))
	}
	return names
}

// world is the engine of a scenario with stand-ins beside its tables, as a target of either
// face.
type world struct {
	engine   *engine.Engine
	accounts []string
	// beside keeps queues and blobs: a [queueblob.Memory], or on a clock a [queueblob.Waiting].
	beside    target.Counter
	live      target.Target
	immediate target.Immediate
	workers   int
	clk       clock.Clock
}

// newWorld returns the world of a scenario, in virtual time where there is no clock.
func newWorld(t testing.TB, s *scenarios.Scenario, clk clock.Clock) *world {
	t.Helper()
	return worldOn(engineOf(t, s, false), s, clk)
}

func worldOn(e *engine.Engine, s *scenarios.Scenario, clk clock.Clock) *world {
	w := &world{engine: e, accounts: accountsOf(s), clk: clk, workers: cmp.Or(s.Workers, scenarios.MinWorkers)}
	if clk == nil {
		memory := queueblob.NewMemory()
		var each []target.Immediate
		for _, name := range w.accounts {
			each = append(each, target.NewInProcess(e, name, nil))
		}
		w.beside, w.immediate = memory, queueblob.NewVirtual(target.NewImmediateShards(each), memory)
		return w
	}
	waiting := queueblob.NewWaiting(clk)
	var each []target.Target
	for _, name := range w.accounts {
		each = append(each, target.NewInProcess(e, name, clk))
	}
	w.beside, w.live = waiting, queueblob.New(target.NewShards(each), waiting)
	return w
}

// Submit implements [target.Immediate].
func (w *world) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	return w.immediate.Submit(now, op)
}

// Do implements [target.Target].
func (w *world) Do(ctx context.Context, op *target.Operation) target.Outcome {
	return w.live.Do(ctx, op)
}

// Counts implements [target.Counter].
func (w *world) Counts() target.Counts {
	sum, beside := target.Counts(w.engine.Counts()), w.beside.Counts()
	sum.Requests += beside.Requests
	sum.Ok += beside.Ok
	sum.Throttled += beside.Throttled
	sum.Failed += beside.Failed
	sum.Entities += beside.Entities
	return sum
}

// tables returns the names of all tables that are there.
func (w *world) tables() (names []string) {
	for _, account := range w.accounts {
		names = append(names, w.engine.TableNames(account)...)
	}
	return names
}

// runner returns a runner on the world.
func (w *world) runner() drive.Runner {
	if w.clk == nil {
		return &drive.Virtual{Target: w}
	}
	return w.through(w)
}

// through returns a live runner on a target that stands before the world.
func (w *world) through(to target.Target) *drive.Live {
	return &drive.Live{Clock: w.clk, Target: to, Workers: w.workers}
}

// ran is what became of a campaign.
type ran struct {
	record *results.Record
	folder *results.Memory
	ended  error
}

// run carries a campaign out on the world.
func (w *world) run(t testing.TB, o campaign.Options) ran {
	t.Helper()
	return carry(t, t.Context(), w.runner(), o, nil)
}

// carry carries a campaign out, whatever ends it. The ledger may be nil.
func carry(t testing.TB, ctx context.Context, runner drive.Runner, o campaign.Options, l *drive.Ledger) ran {
	t.Helper()
	return conduct(t, ctx, runner, planned(t, o), l)
}

// conduct is [carry] of a campaign that is there.
func conduct(t testing.TB, ctx context.Context, runner drive.Runner, c *campaign.Campaign, l *drive.Ledger) ran {
	t.Helper()
	r := ran{folder: new(results.Memory)}
	recorder, err := results.NewRecorder(r.folder, results.Manifest{Operations: c.Kinds(), Accounts: c.Scenario.Sharding().Number()})
	require.NoError(t, err)
	l = cmp.Or(l, new(drive.Ledger))
	l.Recorder = recorder
	validity := results.Valid
	if r.ended = c.Run(ctx, runner, l); r.ended != nil {
		validity = results.Partial
	}
	require.NoError(t, recorder.Finish(runner.Now().Offset(), validity, nil, countsOf(runner)))
	r.record, err = results.Read(r.folder)
	require.NoError(t, err)
	return r
}

// countsOf returns the books of a runner's target, nil where it keeps none.
func countsOf(runner drive.Runner) *results.TargetCounts {
	var to any
	switch r := runner.(type) {
	case *drive.Virtual:
		to = r.Target
	case *drive.Live:
		to = r.Target
	}
	counter, keeps := to.(target.Counter)
	if !keeps {
		return nil
	}
	counts := results.TargetCounts(counter.Counts())
	return &counts
}

// recorded returns the record of a campaign that came to its end.
func recorded(t testing.TB, r ran) *results.Record {
	t.Helper()
	require.NoError(t, r.ended)
	return r.record
}

// simulated returns the record of a scenario in virtual time.
func simulated(t testing.TB, s *scenarios.Scenario) *results.Record {
	t.Helper()
	return recorded(t, newWorld(t, s, nil).run(t, campaign.Options{Scenario: s, Table: "races"}))
}

// inBubble calls a test on a clock of its own, which does not wait.
func inBubble(t *testing.T, test func(t *testing.T, clk clock.Real)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, clock.NewReal()) })
}

// eachWay calls a test in virtual time, without a clock, and in real time.
func eachWay(t *testing.T, name string, test func(t *testing.T, clk clock.Clock)) {
	t.Helper()
	t.Run(name+", virtual", func(t *testing.T) { test(t, nil) })
	t.Run(name+", live", func(t *testing.T) {
		inBubble(t, func(t *testing.T, clk clock.Real) { test(t, clk) })
	})
}

// bothWays carries a campaign out in virtual and in real time, and checks that both end and
// close their books.
func bothWays(t *testing.T, o campaign.Options) (live, virtual ran) {
	t.Helper()
	virtual = newWorld(t, o.Scenario, nil).run(t, o)
	inBubble(t, func(t *testing.T, clk clock.Real) { live = newWorld(t, o.Scenario, clk).run(t, o) })
	for name, r := range map[string]ran{"virtual": virtual, "live": live} {
		assert.NoError(t, r.ended, name)
		assert.Empty(t, verdict.Books(r.record), name)
	}
	return live, virtual
}

// sameFiles checks that a live run left the very files that the virtual one left.
func sameFiles(t testing.TB, live, virtual ran) {
	t.Helper()
	for _, file := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
		assert.Truef(t, slices.Equal(live.folder.Bytes(file), virtual.folder.Bytes(file)),
			"%s of a live run differs from that of virtual time", file)
	}
}

// unanswered returns the world as a target that does not answer some requests.
func (w *world) unanswered(silent func(op *target.Operation) bool) targettest.Func {
	return func(ctx context.Context, op *target.Operation) target.Outcome {
		if silent(op) {
			return targettest.Silent(ctx, op)
		}
		return w.Do(ctx, op)
	}
}

// reported returns the phase that is reported.
func reported(t testing.TB, record *results.Record) *results.Phase {
	t.Helper()
	i := slices.IndexFunc(record.Phases, func(p results.Phase) bool { return p.Reported })
	require.True(t, i >= 0, "no phase is reported")
	return &record.Phases[i]
}

// kindOf returns what became of a kind of operation in the last phase that is reported.
func kindOf(t testing.TB, r *results.Record, name string) *results.KindStats {
	t.Helper()
	k := kindNamed(t, r, name)
	for i := len(r.Phases) - 1; i >= 0; i-- {
		if r.Phases[i].Reported {
			return &r.Phases[i].Kinds[k]
		}
	}
	t.Fatal("no phase is reported")
	return nil
}

// stopAfter returns a context that ends after a time.
func stopAfter(t testing.TB, after time.Duration) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	timer := time.AfterFunc(after, cancel)
	t.Cleanup(func() {
		timer.Stop()
		cancel()
	})
	return ctx
}

// spread returns so many of a list, from all over it.
func spread[T any](list []T, n int) []T {
	some := make([]T, min(n, len(list)))
	for i := range some {
		some[i] = list[i*len(list)/len(some)]
	}
	return some
}

// TestMain lets garbage lie for longer: what a run leaves behind is large and short-lived.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
