package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// small is the stress test made small, with every kind of operation.
func small(t testing.TB, settings ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Builtin("stress")
	if err != nil {
		t.Fatal(err)
	}
	settings = append([]string{"phases.load.entities=1200", "phases.peak.each=1s", "phases.peak.rates=[500, 1500]"}, settings...)
	for _, one := range settings {
		path, value, _ := strings.Cut(one, "=")
		if err := s.Set(path, value); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// everyKind has a peak offer every operation that there is.
const everyKind = `phases.peak.operations=[
	{name: get, verb: get, weight: 40}, {name: insert, verb: insert, weight: 10},
	{name: replace, verb: replace, weight: 10}, {name: merge, verb: merge, weight: 10, properties: [{name: Paid, type: Boolean, value: "{paid}"}]},
	{name: put, verb: insert-or-replace, weight: 5}, {name: touch, verb: insert-or-merge, weight: 5, properties: [{name: Age, type: Int32, value: "{age}"}]},
	{name: delete, verb: delete, weight: 5}, {name: team, verb: batch, weight: 2, entities: 10},
	{name: page, verb: query, weight: 2, rows: 25, top: 10}]`

// world is an engine with its target, and a folder for the record.
type world struct {
	engine *engine.Engine
	target *target.InProcess
	folder *results.Memory
}

func newWorld(t testing.TB, s *scenarios.Scenario, clk clock.Clock) *world {
	t.Helper()
	m, err := model.New(s.Model.Profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range s.Model.Overrides {
		if err := m.Set(o.Name, o.Text); err != nil {
			t.Fatal(err)
		}
	}
	e := engine.New(engine.Options{Model: m, Accounts: []string{"a"}, Seed: s.Seed})
	return &world{e, target.NewInProcess(e, "a", clk), new(results.Memory)}
}

// run carries a campaign out and returns its record and its error.
func (w *world) run(t testing.TB, ctx context.Context, runner drive.Runner, o campaign.Options) (*results.Record, error) {
	t.Helper()
	c, err := campaign.NewCampaign(o)
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := results.NewRecorder(w.folder, results.Manifest{Operations: c.Kinds()})
	if err != nil {
		t.Fatal(err)
	}
	ended := c.Run(ctx, runner, &drive.Ledger{Recorder: recorder})
	if err := recorder.Finish(runner.Now().Offset(), results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(w.folder)
	if err != nil {
		t.Fatal(err)
	}
	return record, ended
}

// verbs are the verbs of every kind of operation that the campaigns here run.
var verbs = map[entity.Verb][]string{
	entity.CreateTable: {"create"}, entity.DeleteTable: {"drop"}, entity.Get: {"get"}, entity.Insert: {"insert"},
	entity.Replace: {"replace"}, entity.Merge: {"merge"}, entity.InsertOrReplace: {"put", "mark"},
	entity.InsertOrMerge: {"touch"}, entity.Delete: {"delete"}, entity.Batch: {"load", "team"}, entity.Query: {"count", "page"},
}

// closed holds a record's books against those of the engine.
func closed(t *testing.T, record *results.Record, e *engine.Engine) {
	t.Helper()
	sum := record.Total(results.Everything)
	c := e.Counts()
	if sum.Scheduled != sum.Sent+sum.Dropped || sum.Operations != sum.Sent {
		t.Errorf("scheduled %d, sent %d, dropped %d, operations %d; want scheduled = sent + dropped, operations = sent",
			sum.Scheduled, sum.Sent, sum.Dropped, sum.Operations)
	}
	if sum.Attempts != sum.Ok+sum.Throttled+sum.Failed || sum.Attempts != c.Requests {
		t.Errorf("attempts %d = ok %d + throttled %d + failed %d; the engine saw %d",
			sum.Attempts, sum.Ok, sum.Throttled, sum.Failed, c.Requests)
	}
	if sum.Throttled != c.Throttled || sum.Counted != c.Entities || sum.Ok-sum.Handled != c.Ok || sum.Failed+sum.Handled != c.Failed {
		t.Errorf("ok %d (%d of them handled), throttled %d, failed %d, entities counted %d; the engine's books say %+v",
			sum.Ok, sum.Handled, sum.Throttled, sum.Failed, sum.Counted, c)
	}
	for verb, kinds := range verbs {
		of := record.Total(func(_ *results.Phase, kind results.Kind) bool { return slices.Contains(kinds, kind.Name) })
		if c := e.CountsOf(verb); of.Attempts != c.Requests || of.Throttled != c.Throttled || of.Counted != c.Entities {
			t.Errorf("%v: attempts %d, throttled %d, entities counted %d; the engine's books say %+v",
				verb, of.Attempts, of.Throttled, of.Counted, c)
		}
	}
	var service int64
	for _, h := range sum.Service {
		service += h.Count()
	}
	if service != sum.Attempts || sum.Response.Count()+sum.Lost.Count() != sum.Operations {
		t.Errorf("the histograms hold %d attempts and %d operations; want %d and %d",
			service, sum.Response.Count()+sum.Lost.Count(), sum.Attempts, sum.Operations)
	}
	var inRows results.KindStats
	for _, row := range record.Intervals {
		inRows.Scheduled += row.Scheduled
		inRows.Sent += row.Sent
		inRows.Attempts += row.Attempts
		inRows.Throttled += row.Throttled
		inRows.Counted += row.Counted
	}
	if inRows.Scheduled != sum.Scheduled || inRows.Sent != sum.Sent || inRows.Attempts != sum.Attempts ||
		inRows.Throttled != sum.Throttled || inRows.Counted != sum.Counted {
		t.Errorf("the seconds sum to %+v; want the totals", inRows)
	}
}

func TestBooksOfEveryOperation(t *testing.T) {
	s := small(t, everyKind, "phases.peak.rates=[1000, 3000]")
	w := newWorld(t, s, nil)
	virtual, err := w.run(t, context.Background(), &drive.Virtual{Target: w.target}, campaign.Options{Scenario: s, Table: "stress"})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, virtual, w.engine)
	if sum := virtual.Total(results.Everything); sum.Throttled == 0 || sum.Handled == 0 {
		t.Errorf("throttled %d, handled %d: the books were not put to the test", sum.Throttled, sum.Handled)
	}
	for k, kind := range virtual.Manifest.Operations {
		var sent int64
		for p := range virtual.Phases {
			sent += virtual.Phases[p].Kinds[k].Sent
		}
		if sent == 0 {
			t.Errorf("no %q was sent", kind.Name)
		}
	}
	if failed := virtual.Total(results.Everything).Failed; failed != 0 {
		// 404s of what a delete took are answers that the operations expect, but
		// the engine calls them failed.
		t.Errorf("%d attempts failed; want none", failed)
	}
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		w := newWorld(t, s, clk)
		record, err := w.run(t, context.Background(),
			&drive.Live{Clock: clk, Target: w.target, Workers: 512}, campaign.Options{Scenario: s, Table: "stress"})
		if err != nil {
			t.Fatal(err)
		}
		closed(t, record, w.engine)
		got, want := record.Total(results.Reported), virtual.Total(results.Reported)
		if got.Scheduled != want.Scheduled || got.Offered != want.Offered {
			t.Errorf("live scheduled %d operations of %d entities; virtual %d of %d",
				got.Scheduled, got.Offered, want.Scheduled, want.Offered)
		}
	})
}

func TestStressLiveEqualsVirtual(t *testing.T) {
	s := small(t, "phases.peak.rates=[997, 3001]")
	w := newWorld(t, s, nil)
	virtual, err := w.run(t, context.Background(), &drive.Virtual{Target: w.target}, campaign.Options{Scenario: s, Table: "stress"})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		l := newWorld(t, s, clk)
		_, err := l.run(t, context.Background(),
			&drive.Live{Clock: clk, Target: l.target, Workers: 512}, campaign.Options{Scenario: s, Table: "stress"})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
			if string(l.folder.Bytes(file)) != string(w.folder.Bytes(file)) {
				t.Errorf("%s of a live run differs from that of virtual time", file)
			}
		}
	})
	if l, v := w.engine.Counts(), virtual.Total(results.Everything); l.Requests != v.Attempts {
		t.Errorf("the engine saw %d requests; want %d", l.Requests, v.Attempts)
	}
}

func TestTableIsThisToolsOwn(t *testing.T) {
	s := small(t)
	// Somebody else takes the name as soon as it is free.
	if err := s.Set("model.name_delay", "0s"); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	w := newWorld(t, s, nil)
	runner := &drive.Virtual{Target: w.target}
	count := func() int64 {
		reply := w.engine.Submit(runner.Now(), &engine.Request{Account: "a", Table: "stress", Verb: entity.Query,
			Query: engine.Query{Range: filter.All()}, Number: 1 << 40})
		if reply.Code == entity.TableNotFound {
			return -1
		}
		return reply.Counted
	}
	rows := []struct {
		sentence string
		before   func()
		options  campaign.Options
		want     error
		there    bool
	}{
		{"a run drops its table", nil, campaign.Options{}, nil, false},
		{"unless it is to be kept", nil, campaign.Options{Keep: true}, nil, true},
		{"a table that exists is throttled and left alone", nil, campaign.Options{}, campaign.ErrTableExists, true},
		{"unless it is marked as ours and may be taken", nil, campaign.Options{Reuse: true, Keep: true}, nil, true},
		{"again, without inserting anything twice", nil, campaign.Options{Reuse: true}, nil, false},
		{"a table of somebody else is not taken", func() {
			w.engine.Submit(runner.Now(), &engine.Request{Account: "a", Table: "stress", Verb: entity.CreateTable})
		}, campaign.Options{Reuse: true}, campaign.ErrNotOurs, true},
	}
	for _, row := range rows {
		if row.before != nil {
			row.before()
		}
		row.options.Scenario, row.options.Table = s, "stress"
		w.folder = new(results.Memory)
		record, err := w.run(t, ctx, runner, row.options)
		if !errors.Is(err, row.want) {
			t.Errorf("%s: Run = %v; want %v", row.sentence, err, row.want)
		}
		if failed := record.Total(results.Reported).Failed; failed != 0 {
			t.Errorf("%s: %d attempts of the peak failed", row.sentence, failed)
		}
		if there := count() >= 0; there != row.there {
			t.Errorf("%s: table there afterwards = %v; want %v", row.sentence, there, row.there)
		}
	}
}

// deaf answers every operation of a verb with a status.
type deaf struct {
	*target.InProcess
	verb entity.Verb
	code entity.Code
}

func (d deaf) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	if op.Verb == d.verb {
		return target.Outcome{Status: d.code.Status(), Code: d.code, Detail: "not today"}, now.Add(time.Millisecond)
	}
	return d.InProcess.Submit(now, op)
}

// What fails once load was sent is told as that, and not as a preparation.
func TestEndThatFailsIsNoPreparation(t *testing.T) {
	s := small(t)
	w := newWorld(t, s, nil)
	runner := &drive.Virtual{Target: deaf{w.target, entity.DeleteTable, entity.InvalidInput}}
	_, err := w.run(t, context.Background(), runner, campaign.Options{Scenario: s, Table: "stress"})
	if want := "campaign: after the load: drop of table stress was answered 400 InvalidInput not today"; !errors.Is(err, campaign.ErrAfterLoad) ||
		errors.Is(err, campaign.ErrPreparation) || fmt.Sprint(err) != want {
		t.Errorf("Run = %v; want ErrAfterLoad: %s", err, want)
	}
}

func TestPreparationThatFailsEndsTheRun(t *testing.T) {
	rows := []struct {
		sentence string
		verb     entity.Verb
		code     entity.Code
	}{
		{"a table that cannot be created", entity.CreateTable, entity.InvalidInput},
		{"a transaction that fails", entity.Batch, entity.EntityAlreadyExists},
		{"a transaction that is throttled for ever", entity.Batch, entity.ServerBusy},
		{"a count that fails", entity.Query, entity.InvalidInput},
	}
	for _, row := range rows {
		s := small(t)
		w := newWorld(t, s, nil)
		runner := &drive.Virtual{Target: deaf{w.target, row.verb, row.code}}
		_, err := w.run(t, context.Background(), runner, campaign.Options{Scenario: s, Table: "stress"})
		if !errors.Is(err, campaign.ErrPreparation) || !strings.Contains(fmt.Sprint(err), string(row.code)) {
			t.Errorf("%s: Run = %v; want ErrPreparation with %s", row.sentence, err, row.code)
		}
		if r := w.engine.Submit(runner.Now(), &engine.Request{Account: "a", Table: "stress", Verb: entity.DeleteTable}); r.Code != entity.ResourceNotFound {
			t.Errorf("%s: the table was left behind", row.sentence)
		}
	}
}

func TestLostRepliesLeaveTheBooksInOrder(t *testing.T) {
	s := small(t)
	w := newWorld(t, s, nil)
	// One reply in a hundred of the peak's partition is lost after the engine
	// carried the request out, one in a hundred requests never arrives.
	wrapped := target.WrapImmediateFaults(w.target, engine.FaultPlan{Rules: []engine.FaultRule{
		{Kind: engine.FaultDrop, Moment: engine.FaultAfter, Share: 10_000, From: 3 * time.Second, To: time.Hour},
		{Kind: engine.FaultDrop, Moment: engine.FaultBefore, Share: 10_000, From: 3 * time.Second, To: time.Hour},
	}}, 5)
	record, err := w.run(t, context.Background(), &drive.Virtual{Target: wrapped}, campaign.Options{Scenario: s, Table: "stress", Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	sum, log, counts := record.Total(results.Everything), wrapped.Log(), wrapped.Counts()
	if sum.Failed == 0 || log.DroppedBefore == 0 || log.DroppedAfter == 0 {
		t.Fatalf("failed %d, log %+v; want both kinds of loss", sum.Failed, log)
	}
	if sum.Attempts != counts.Requests || sum.Failed != log.DroppedBefore+log.DroppedAfter {
		t.Errorf("attempts %d, failed %d; the wrapper saw %d and lost %d + %d",
			sum.Attempts, sum.Failed, counts.Requests, log.DroppedBefore, log.DroppedAfter)
	}
	c := w.engine.Counts()
	if c.Requests != sum.Attempts-log.DroppedBefore || c.Entities != sum.Counted+log.EntitiesLost {
		t.Errorf("the engine saw %d requests and %d entities; want %d and %d",
			c.Requests, c.Entities, sum.Attempts-log.DroppedBefore, sum.Counted+log.EntitiesLost)
	}
}

func TestInterruptedRunDropsItsTable(t *testing.T) {
	// Into the creation of the table, its marker, the load, the count, the wait
	// for a whole second, and the peak.
	for _, after := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
		300 * time.Millisecond, 700 * time.Millisecond, 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := small(t, "phases.peak.rates=[1500]", "phases.peak.each=1h")
			clk := clock.NewReal()
			w := newWorld(t, s, clk)
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(after, cancel)
			record, err := w.run(t, ctx, &drive.Live{Clock: clk, Target: w.target, Workers: 256}, campaign.Options{Scenario: s, Table: "stress"})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Run stopped after %v = %v; want the context's error", after, err)
			}
			if ended := record.Duration; ended > after+200*time.Millisecond {
				t.Errorf("the run stopped after %v ended at %v; want it within 200 ms", after, ended)
			}
			closed(t, record, w.engine)
			if r := w.engine.Submit(clk.Now(), &engine.Request{Account: "a", Table: "stress", Verb: entity.DeleteTable}); r.Code != entity.ResourceNotFound {
				t.Errorf("the run stopped after %v left its table behind", after)
			}
		})
	}
}

// fullDisk is a folder whose interval file takes so many bytes.
type fullDisk struct {
	results.Memory
	left int
}

type fullFile struct {
	io.WriteCloser
	disk *fullDisk
}

func (d *fullDisk) Create(name string) (io.WriteCloser, error) {
	file, err := d.Memory.Create(name)
	if name == results.IntervalsFile {
		file = &fullFile{file, d}
	}
	return file, err
}

func (f *fullFile) Write(text []byte) (int, error) {
	if f.disk.left < len(text) {
		n, _ := f.WriteCloser.Write(text[:f.disk.left])
		f.disk.left = 0
		return n, syscall.ENOSPC
	}
	f.disk.left -= len(text)
	return f.WriteCloser.Write(text)
}

func TestFullDiskEndsTheRun(t *testing.T) {
	s := small(t)
	full := func(t *testing.T, w *world, runner drive.Runner) {
		disk := &fullDisk{left: 3000}
		c, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "stress"})
		if err != nil {
			t.Fatal(err)
		}
		recorder, err := results.NewRecorder(disk, results.Manifest{Operations: c.Kinds()})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Run(context.Background(), runner, &drive.Ledger{Recorder: recorder})
		if !errors.Is(err, results.ErrWrite) || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Run on a full disk = %v; want ErrWrite around ENOSPC", err)
		}
		if got := runner.Now(); got > clock.Instant(9*time.Second) {
			t.Errorf("the run went on to %v; want it to end where the disk was full", got.Offset())
		}
		record, err := results.Read(disk)
		if err != nil || !record.Cut || len(record.Intervals) == 0 || record.Validity != results.Partial {
			t.Errorf("Read of what was written = %d seconds, cut %v, %v; want some, cut, and no error", len(record.Intervals), record.Cut, err)
		}
		if r := w.engine.Submit(runner.Now(), &engine.Request{Account: "a", Table: "stress", Verb: entity.DeleteTable}); r.Code != entity.ResourceNotFound {
			t.Error("the table was left behind")
		}
	}
	w := newWorld(t, s, nil)
	full(t, w, &drive.Virtual{Target: w.target})
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		w := newWorld(t, s, clk)
		full(t, w, &drive.Live{Clock: clk, Target: w.target, Workers: 256})
	})
}

// failing is a folder whose files fail from a moment on.
type failing struct {
	results.Memory
	broken bool
}

type failingFile struct {
	io.WriteCloser
	folder *failing
}

func (f *failing) Create(name string) (io.WriteCloser, error) {
	file, err := f.Memory.Create(name)
	return failingFile{file, f}, err
}

func (f failingFile) Write(text []byte) (int, error) {
	if f.folder.broken {
		return 0, syscall.ENOSPC
	}
	return f.WriteCloser.Write(text)
}

// A record that can no longer be written when the table is to go does not keep
// the table from going.
func TestTableGoesThoughTheRecordFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := small(t)
		clk := clock.NewReal()
		w := newWorld(t, s, clk)
		folder := new(failing)
		c, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "stress",
			Entering: func(p campaign.Progress) { folder.broken = p.Stage == "drop" }})
		if err != nil {
			t.Fatal(err)
		}
		recorder, err := results.NewRecorder(folder, results.Manifest{Operations: c.Kinds()})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Run(context.Background(), &drive.Live{Clock: clk, Target: w.target, Workers: 256}, &drive.Ledger{Recorder: recorder}); err != nil {
			t.Errorf("Run = %v; want the deletion to have succeeded", err)
		}
		if r := w.engine.Submit(clk.Now(), &engine.Request{Account: "a", Table: "stress", Verb: entity.DeleteTable}); r.Code != entity.ResourceNotFound {
			t.Error("the table was left behind")
		}
	})
}
