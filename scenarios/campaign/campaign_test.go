package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// small is the stress test made small, with every kind of operation.
func small(t testing.TB, settings ...string) *scenarios.Scenario {
	t.Helper()
	s := smallStress()
	return set(t, &s, settings...)
}

// smallStress is what [small] alters copies of: a setting makes a scenario anew.
var smallStress = sync.OnceValue(func() scenarios.Scenario {
	s, err := scenarios.Builtin("stress")
	for path, value := range map[string]string{"phases.load.entities": "1200", "phases.peak.each": "1s", "phases.peak.rates": "[500, 1500]"} {
		err = errors.Join(err, s.Set(path, value))
	}
	if err != nil {
		panic(err)
	}
	return *s
})

// stress returns the options of a campaign in the table stress.
func stress(s *scenarios.Scenario) campaign.Options {
	return campaign.Options{Scenario: s, Table: "stress"}
}

// everyKind has a peak offer every operation that there is.
const everyKind = `phases.peak.operations=[
	{name: get, verb: get, weight: 40}, {name: insert, verb: insert, weight: 10},
	{name: replace, verb: replace, weight: 10}, {name: merge, verb: merge, weight: 10, properties: [{name: Paid, type: Boolean, value: "{paid}"}]},
	{name: put, verb: insert-or-replace, weight: 5}, {name: touch, verb: insert-or-merge, weight: 5, properties: [{name: Age, type: Int32, value: "{age}"}]},
	{name: delete, verb: delete, weight: 5}, {name: team, verb: batch, weight: 2, entities: 10},
	{name: page, verb: query, weight: 2, rows: 25, top: 10}]`

// verbs are the verbs of every kind of operation that the campaigns here run.
var verbs = map[entity.Verb][]string{
	entity.CreateTable: {"create"}, entity.DeleteTable: {"drop"}, entity.Get: {"get"}, entity.Insert: {"insert"},
	entity.Replace: {"replace"}, entity.Merge: {"merge"}, entity.InsertOrReplace: {"put", "mark"},
	entity.InsertOrMerge: {"touch"}, entity.Delete: {"delete"}, entity.Batch: {"load", "team"}, entity.Query: {"count", "page"},
}

// closed checks that the counters of a record reconcile, also where the run was stopped, and are
// those of the engine, verb by verb.
func closed(t *testing.T, record *results.Record, e *engine.Engine) {
	t.Helper()
	assert.Empty(t, verdict.Books(record))
	sum := record.Total(results.Everything)
	assert.Equal(t, sum.Sent, sum.Operations, "operations that were sent have ended")
	for verb, kinds := range verbs {
		of := record.Total(func(_ *results.Phase, kind results.Kind) bool { return slices.Contains(kinds, kind.Name) })
		c := e.CountsOf(verb)
		assert.Equal(t, [3]int64{c.Requests, c.Throttled, c.Entities}, [3]int64{of.Attempts, of.Throttled, of.Counted}, verb.String())
	}
}

func TestRunReusesOnlyMarkedTables(t *testing.T) {
	// Somebody else takes the name as soon as it is free.
	s := small(t, "model.name_delay=0s", "phases.load.entities=100", "phases.peak.rates=[50]")
	w := newWorld(t, s, nil)
	runner := w.runner()
	rows := []struct {
		sentence string
		theirs   bool
		options  campaign.Options
		want     error
		there    bool
	}{
		{"a run drops its table", false, campaign.Options{}, nil, false},
		{"unless it is to be kept", false, campaign.Options{Keep: true}, nil, true},
		{"a table that exists is throttled and left alone", false, campaign.Options{}, campaign.ErrTableExists, true},
		{"unless it is marked as ours and may be taken", false, campaign.Options{Reuse: true, Keep: true}, nil, true},
		{"again, without inserting anything twice", false, campaign.Options{Reuse: true}, nil, false},
		{"a table of somebody else is not taken", true, campaign.Options{Reuse: true}, campaign.ErrNotOurs, true},
	}
	for _, row := range rows {
		if row.theirs {
			w.Submit(runner.Now(), &target.Operation{Verb: entity.CreateTable, Table: "stress"})
		}
		row.options.Scenario, row.options.Table = s, "stress"
		r := carry(t, t.Context(), runner, row.options, nil)
		assert.ErrorIsf(t, r.ended, row.want, "%s: Run", row.sentence)
		assert.Zerof(t, r.record.Total(results.Reported).Failed, "%s: attempts of the peak that failed", row.sentence)
		assert.Equalf(t, row.there, len(w.tables()) > 0, "%s: table there afterwards", row.sentence)
	}
}

// What fails before any load was sent is a preparation, what fails once it was is not: of
// both the answer is told.
func TestRunFailsOnFailedPreparation(t *testing.T) {
	rows := []struct {
		sentence string
		verb     entity.Verb
		code     entity.Code
		want     error
		left     bool
	}{
		{"a table that cannot be created", entity.CreateTable, entity.InvalidInput, campaign.ErrPreparation, false},
		{"a transaction that fails", entity.Batch, entity.EntityAlreadyExists, campaign.ErrPreparation, false},
		{"a transaction that is throttled for ever", entity.Batch, entity.ServerBusy, campaign.ErrPreparation, false},
		{"a count that fails", entity.Query, entity.InvalidInput, campaign.ErrPreparation, false},
		{"a table that cannot be dropped", entity.DeleteTable, entity.InvalidInput, campaign.ErrAfterLoad, true},
	}
	for _, row := range rows {
		s := small(t, "phases.peak.rates=[50]")
		w := newWorld(t, s, nil)
		deaf := targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
			if op.Verb == row.verb {
				return target.Outcome{Status: row.code.Status(), Code: row.code, Detail: "not today"}, now.Add(time.Millisecond)
			}
			return w.Submit(now, op)
		})
		r := carry(t, t.Context(), &drive.Virtual{Target: deaf}, stress(s), nil)
		preparing := row.want == campaign.ErrPreparation
		assert.Truef(t, errors.Is(r.ended, row.want) && errors.Is(r.ended, campaign.ErrPreparation) == preparing && strings.Contains(fmt.Sprint(r.ended), string(row.code)),
			"%s: Run = %v; want %v with %s", row.sentence, r.ended, row.want, row.code)
		assert.Equalf(t, row.left, len(w.tables()) > 0, "%s: the table was left behind", row.sentence)
	}
}

func TestInterruptedRunDropsItsTable(t *testing.T) {
	// Into the creation of the table, its marker, the load, the count, the wait
	// for a whole second, and the peak.
	instants := []time.Duration{time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
		300 * time.Millisecond, 700 * time.Millisecond, 5 * time.Second}
	for _, after := range spread(instants, resultstest.Cases(3, len(instants))) {
		inBubble(t, func(t *testing.T, clk clock.Real) {
			s := small(t, "phases.peak.rates=[1500]", "phases.peak.each=1h", "workers=256")
			w := newWorld(t, s, clk)
			r := carry(t, stopAfter(t, after), w.runner(), stress(s), nil)
			assert.ErrorIsf(t, r.ended, context.Canceled, "Run stopped after %v", after)
			assert.LessOrEqualf(t, r.record.Duration, after+200*time.Millisecond, "stopped after %v", after)
			closed(t, r.record, w.engine)
			assert.Emptyf(t, w.tables(), "the run stopped after %v left tables", after)
		})
	}
}

// brokenFolder is a folder whose interval file takes so many bytes, or whose files all fail
// once it is broken.
type brokenFolder struct {
	results.Memory
	left   int
	broken bool
}

type brokenFile struct {
	io.WriteCloser
	folder  *brokenFolder
	bounded bool
}

func (f *brokenFolder) Create(name string) (io.WriteCloser, error) {
	file, err := f.Memory.Create(name)
	return &brokenFile{file, f, name == results.IntervalsFile && f.left > 0}, err
}

func (f *brokenFile) Write(text []byte) (int, error) {
	if f.folder.broken {
		return 0, syscall.ENOSPC
	}
	if !f.bounded {
		return f.WriteCloser.Write(text)
	}
	if f.folder.left < len(text) {
		n, _ := f.WriteCloser.Write(text[:f.folder.left])
		f.folder.left = 0
		return n, syscall.ENOSPC
	}
	f.folder.left -= len(text)
	return f.WriteCloser.Write(text)
}

// into carries a campaign out into that folder.
func (f *brokenFolder) into(t testing.TB, runner drive.Runner, o campaign.Options) error {
	t.Helper()
	c := planned(t, o)
	recorder, err := results.NewRecorder(f, results.Manifest{Operations: c.Kinds()})
	require.NoError(t, err)
	return c.Run(t.Context(), runner, &drive.Ledger{Recorder: recorder})
}

func TestRunStopsWhenRecordCannotBeWritten(t *testing.T) {
	eachWay(t, "stress", func(t *testing.T, clk clock.Clock) {
		s := small(t, "workers=256")
		disk, w := &brokenFolder{left: 3000}, newWorld(t, s, clk)
		runner := w.runner()
		err := disk.into(t, runner, stress(s))
		assert.ErrorIs(t, err, results.ErrWrite)
		assert.ErrorIs(t, err, syscall.ENOSPC)
		assert.LessOrEqual(t, runner.Now(), clock.Instant(9*time.Second), "the run ends where the disk was full")
		record, err := results.Read(disk)
		require.NoError(t, err)
		assert.True(t, record.Cut && len(record.Intervals) > 0 && record.Validity == results.Partial)
		assert.Empty(t, w.tables())
	})
}

// A table that was deleted lately keeps its name for a while: a run on it waits until it
// can have it, for minutes and not for ever.
func TestRunWaitsForTableBeingDeleted(t *testing.T) {
	for _, row := range []struct {
		delay            string
		waits, throttled bool
	}{{"0", false, false}, {"40s", true, false}, {"1h", true, true}} {
		s := small(t, "model.name_delay="+row.delay, "phases.peak.rates=[50]")
		w := newWorld(t, s, nil)
		for _, verb := range []entity.Verb{entity.CreateTable, entity.DeleteTable} {
			w.Submit(0, &target.Operation{Table: "stress", Verb: verb})
		}
		o := stress(s)
		o.Reuse = true
		r := w.run(t, o)
		if row.throttled {
			assert.Truef(t, errors.Is(r.ended, campaign.ErrPreparation) && strings.Contains(fmt.Sprint(r.ended), string(entity.TableBeingDeleted)),
				"a name that is kept for %s: Run = %v; want ErrPreparation with %s", row.delay, r.ended, entity.TableBeingDeleted)
			continue
		}
		phases := recorded(t, r).Phases
		begins := phases[slices.IndexFunc(phases, func(p results.Phase) bool { return p.Name == "load" })].Begin
		assert.Truef(t, (begins >= 40*time.Second) == row.waits && begins <= time.Minute,
			"a name that is kept for %s: loading began at %v", row.delay, begins)
	}
}
