package campaign_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// lapsText is a scenario of every kind of write: a counter on few keys that many want
// to raise at once, and afterwards deletes.
const lapsText = `name: laps
seed: 7
workers: 64
retry: short
model: {profile: documented}
attributes: {event: {list: [NYC]}, bib: {sequence: 1}}
entity: {size: 700, filler: Notes}
design: {partition_key: "{event}", row_key: "{bib}"}
phases:
  - {name: load, load: {entities: 3}}
  - name: run
    peak:
      partition_key: NYC
      rates: [300]
      each: 4s
      operations:
        - {name: register, verb: insert, weight: 4}
        - {name: team, verb: batch, entities: 5, weight: 1}
        - {name: pay, verb: merge, weight: 4, properties: [{name: Paid, type: Boolean, value: "true"}]}
        - {name: lap, verb: merge, counter: Laps, weight: 8}
        - {name: split, verb: replace, counter: Splits, weight: 2}
  - {name: leave, peak: {partition_key: NYC, rates: [100], each: 1s, operations: [{verb: delete}]}}
`

// laps returns that scenario with the deletes or without, and with values set.
func laps(t testing.TB, deletes bool, settings ...string) *scenarios.Scenario {
	t.Helper()
	s := parsed(t, lapsText, settings...)
	if !deletes {
		s.Phases = s.Phases[:2]
	}
	return s
}

// lossy is a target that keeps a log of its own, and lies where it is told to.
type lossy struct {
	*world
	// alter may change what is carried out of a write, or answer it itself.
	alter func(op *target.Operation) (target.Outcome, bool)

	mu  sync.Mutex
	log map[uint64][]*attemptLog
}

// attemptLog is what the target knows of an attempt: its outcome, and what its
// sender was told of it, 0 for nothing.
type attemptLog struct {
	verb         entity.Verb
	conditional  bool
	inside, told int
}

// enter notes what became of an attempt inside the target.
func (l *lossy) enter(op *target.Operation, o target.Outcome) target.Outcome {
	_, exactly := op.Change.Match.Exactly()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log[op.Number] = append(l.log[op.Number], &attemptLog{verb: op.Verb, conditional: exactly, inside: o.Status})
	return o
}

// tell notes what the sender of the last attempt was told.
func (l *lossy) tell(op *target.Operation, o target.Outcome) target.Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	attempts := l.log[op.Number]
	attempts[len(attempts)-1].told = o.Status
	return o
}

// honest alters nothing.
func honest(*target.Operation) (target.Outcome, bool) { return target.Outcome{}, false }

func (l *lossy) Do(ctx context.Context, op *target.Operation) target.Outcome {
	changed := *op
	o, lied := l.alter(&changed)
	if !lied {
		o = l.world.Do(ctx, &changed)
	}
	return l.enter(op, o)
}

func (l *lossy) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	changed := *op
	o, lied := l.alter(&changed)
	if !lied {
		o, now = l.world.Submit(now, &changed)
	}
	return l.enter(op, o), now
}

// behind returns a runner on the target behind faults, of which it learns what came back.
func (l *lossy) behind(plan engine.FaultPlan) drive.Runner {
	if l.clk == nil {
		through := target.WrapImmediateFaults(l, plan, 3)
		return &drive.Virtual{Target: targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
			o, done := through.Submit(now, op)
			return l.tell(op, o), done
		})}
	}
	through := target.WrapFaults(l, plan, 3, l.clk)
	return l.through(targettest.Func(func(ctx context.Context, op *target.Operation) target.Outcome {
		return l.tell(op, through.Do(ctx, op))
	}))
}

// dropping is a plan that loses so many replies of a million, from the first
// measured operation on.
func dropping(share int) engine.FaultPlan {
	if share == 0 {
		return engine.FaultPlan{}
	}
	return engine.FaultPlan{Rules: []engine.FaultRule{
		{Kind: engine.FaultDrop, Moment: engine.FaultAfter, From: 0, To: time.Hour, KeyPrefix: "NYC", Share: share}}}
}

// audited runs a scenario, live or in virtual time, and returns its record and the
// target's own log.
func audited(t *testing.T, s *scenarios.Scenario, clk clock.Clock, share int, o campaign.Options,
	alter func(*target.Operation) (target.Outcome, bool)) (*results.Record, *lossy) {
	t.Helper()
	l := &lossy{world: newWorld(t, s, clk), alter: alter, log: make(map[uint64][]*attemptLog)}
	o.Scenario, o.Table, o.NewName = s, "Laps", true
	return recorded(t, carry(t, t.Context(), l.behind(dropping(share)), o, nil)), l
}

// The measured operations are numbered on after those that create and mark the
// table and the transaction that loads it.
const firstMeasured = 3

// tallied returns what an audit must come to, from the log of the target alone.
func tallied(t *testing.T, s *scenarios.Scenario, l *lossy) (sum results.Audit) {
	t.Helper()
	measured := uint64(0)
	for i := range s.Phases {
		for _, step := range s.Phases[i].Offered().Ladder() {
			measured += uint64(step.Rate * step.Length.Seconds())
		}
	}
	for number := uint64(firstMeasured); number < firstMeasured+measured; number++ {
		attempts := l.log[number]
		require.Truef(t, attempts != nil, "operation %d never arrived; want all", number)
		sum.Writes++
		switch acknowledged, open := countedOne(t, number, attempts, &sum); {
		case acknowledged:
			sum.Acknowledged++
		case open:
			sum.Unknown++
		default:
			sum.Absent++
		}
	}
	return sum
}

// countedOne adds an operation. In place of ids it looks at what the target has
// carried out.
func countedOne(t *testing.T, number uint64, attempts []*attemptLog, sum *results.Audit) (acknowledged, open bool) {
	t.Helper()
	done, throttled := 0, 0
	for _, a := range attempts {
		once := a.conditional || a.verb == entity.Insert || a.verb == entity.Batch
		if once && a.inside < 300 {
			done++
		}
		switch {
		case a.verb == entity.Get && a.told == 200 && open && throttled > 0 && done > 0:
			if throttled == 409 {
				sum.Own409++
			} else {
				sum.Own412++
			}
			acknowledged, open = true, false
		case a.verb == entity.Get && a.told == 200 && open && throttled > 0:
			sum.ForeignConflicts++
			open, throttled = false, 0
		case a.verb == entity.Get:
		case a.told == 0:
			open = true
		case a.told < 300:
			acknowledged, open = true, false
		case a.verb == entity.Delete && a.told == 404 && open:
			sum.Own404++
			acknowledged, open = true, false
		case (a.told == 409 || a.told == 412) && open:
			throttled = a.told
		case a.told == 409 || a.told == 412:
			sum.ForeignConflicts++
		}
	}
	assert.Truef(t, done <= 1, "operation %d was carried out %d times; want once at most", number, done)
	return acknowledged, open
}

// same holds the counts of an audit against those of the target's log.
func same(t *testing.T, got *results.Audit, want results.Audit) {
	t.Helper()
	counts := *got
	counts.Keys, counts.ReadBack, counts.Unwatched, counts.Examples = 0, 0, 0, nil
	assert.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", counts), "the audit, by the target's own log")
}

// The audit knows of replies that were lost after the fact what the target that
// lost them knows.
func TestAuditEqualsTheLogOfLostReplies(t *testing.T) {
	rows := []struct {
		name    string
		share   int
		retry   string
		deletes bool
		// forgets says that a retry may come so late that the entity has forgotten
		// its write.
		forgets bool
	}{
		{"no reply is lost", 0, "short", true, false},
		{"one reply in a hundred is lost", 10_000, "short", true, false},
		{"one in twenty", 50_000, "short", true, true},
		{"one in a hundred, and nothing is deleted", 10_000, "short", false, false},
		{"one in five, and nothing is deleted", 200_000, "short", false, true},
		{"one in a hundred, and nothing is tried again", 10_000, "none", true, false},
		{"one in twenty, nothing is tried again and nothing deleted", 50_000, "none", false, false},
	}
	for _, row := range spread(rows, resultstest.Cases(3, len(rows))) {
		eachWay(t, row.name, func(t *testing.T, clk clock.Clock) {
			entities := "3"
			if row.forgets {
				entities = "12"
			}
			s := laps(t, row.deletes, "retry="+row.retry, "phases.load.entities="+entities)
			record, log := audited(t, s, clk, row.share, campaign.Options{Verify: true}, honest)
			got, want := record.Audit, tallied(t, s, log)
			if forgotten := want.Own412 - got.Own412; row.forgets && forgotten > 0 && forgotten <= want.Own412/3 {
				want.Own412, want.Acknowledged = want.Own412-forgotten, want.Acknowledged-forgotten
				want.Unknown += forgotten
			}
			same(t, got, want)
			assert.Truef(t, got.Keys == got.ReadBack && got.Keys != 0 && got.Unwatched == 0 && len(got.Examples) == 0, "%+v; want all read back and no fault", *got)
			injected := got.Own409 + got.Own412 + got.Own404 + got.Unknown
			assert.Truef(t, (row.share > 0) == (injected > 0) && got.ForeignConflicts > 0, "%+v; want foreign conflicts, and lost replies only where there are some", *got)
		})
	}
}

// A target that says it has written what it has not, or writes twice, is found out:
// the audit counts its lies.
func TestAuditDetectsWrongEntities(t *testing.T) {
	// A liar lies about every tenth operation.
	lies := func(op *target.Operation) bool { return op.Number >= firstMeasured && op.Number%10 == 0 }
	nothing := func(verb entity.Verb) func(op *target.Operation) (target.Outcome, bool) {
		return func(op *target.Operation) (target.Outcome, bool) {
			_, exactly := op.Change.Match.Exactly()
			told := lies(op) && op.Verb == verb && (exactly || verb == entity.Insert)
			return target.Outcome{Status: 204, Counted: 1}, told
		}
	}
	twice := func(op *target.Operation) (target.Outcome, bool) {
		if !lies(op) {
			return target.Outcome{}, false
		}
		changed := make([]entity.Property, len(op.Change.Properties))
		for i, p := range op.Change.Properties {
			if p.Name == "Laps" {
				p.Value = entity.Int64(p.Value.Int() + 1)
			}
			changed[i] = p
		}
		op.Change.Properties = changed
		return target.Outcome{}, false
	}
	for _, row := range []struct {
		name          string
		alter         func(*target.Operation) (target.Outcome, bool)
		operations    string
		lost, doubled bool
	}{
		{"inserts that were not done", nothing(entity.Insert), "[{verb: insert}]", true, false},
		{"increments that were not done", nothing(entity.Merge), "[{verb: merge, counter: Laps}]", true, false},
		{"increments that were done twice", twice, "[{verb: merge, counter: Laps}]", false, true},
		{"every kind of write, without a lie", honest, "[{verb: insert}, {verb: merge, properties: [{name: Paid, value: 'yes'}]}, " +
			"{name: put, verb: insert-or-replace}, {name: touch, verb: insert-or-merge, properties: [{name: Desk, value: A}]}]", false, false},
	} {
		eachWay(t, row.name, func(t *testing.T, clk clock.Clock) {
			s := laps(t, false, "phases.load.entities=12", "phases.run.operations="+row.operations)
			record, log := audited(t, s, clk, 0, campaign.Options{Verify: true}, row.alter)
			told := int64(0)
			for number, attempts := range log.log {
				if last := attempts[len(attempts)-1]; lies(&target.Operation{Number: number}) && number < firstMeasured+1200 && last.told < 300 {
					told++
				}
			}
			want := results.Audit{Writes: 1200, Acknowledged: record.Audit.Acknowledged, Absent: 1200 - record.Audit.Acknowledged,
				ForeignConflicts: record.Audit.ForeignConflicts}
			if row.lost {
				want.Lost = told
			}
			if row.doubled {
				want.Doubled = told
			}
			same(t, record.Audit, want)
			if !row.lost && !row.doubled {
				assert.Empty(t, record.Audit.Examples)
				assert.EqualValues(t, 1200, record.Audit.Acknowledged)
				return
			}
			assert.GreaterOrEqual(t, told, int64(100), "lies")
			assert.Len(t, record.Audit.Examples, results.MaxAuditExamples)
		})
	}
}

// What is beyond the bound is counted, and what is watched is found.
func TestAuditLimitsWatchedEntities(t *testing.T) {
	s := laps(t, false, "phases.run.operations=[{verb: insert}]")
	record, _ := audited(t, s, nil, 0, campaign.Options{Verify: true, MaxWatched: 7}, honest)
	got := record.Audit
	assert.Truef(t, got.Keys == 7 && got.ReadBack == 7 && got.Unwatched == 1200-7 && got.Sound(), "%+v", *got)
}

// A run that is stopped tells what it knows and reads nothing back.
func TestAuditOfAStoppedRun(t *testing.T) {
	s := laps(t, false)
	ctx, stop := context.WithCancel(t.Context())
	l, counted := &lossy{world: newWorld(t, s, nil), log: make(map[uint64][]*attemptLog)}, 0
	l.alter = func(*target.Operation) (target.Outcome, bool) {
		if counted++; counted == 600 {
			stop()
		}
		return target.Outcome{}, false
	}
	r := carry(t, ctx, &drive.Virtual{Target: l}, campaign.Options{Scenario: s, Table: "Laps", NewName: true, Verify: true}, nil)
	assert.ErrorIs(t, r.ended, context.Canceled)
	a := r.record.Audit
	assert.Truef(t, a != nil && a.ReadBack == 0 && a.Keys > 0 && a.Writes > 0, "%+v; want writes that were not read back", a)
}

// A run audits where it is asked to, and both forecasts know of what is read back and followed.
func TestForecastIncludesAuditReads(t *testing.T) {
	o := campaign.Options{Scenario: laps(t, false, "phases.run.operations=[{verb: insert}, {verb: get}]"), Table: "Laps"}
	plain := planned(t, o)
	o.Verify = true
	verified := planned(t, o)
	assert.Equal(t, 1, len(verified.Kinds())-len(plain.Kinds()), "verifying has kinds of operations more")
	// Half of the 1,200 operations are inserts, each read back once.
	assert.EqualValues(t, 600, verified.Forecast().Requests-plain.Forecast().Requests,
		"verifying 600 writes is forecast to send requests more")
	assert.EqualValues(t, 1200*400, verified.Footprint(true).Total()-plain.Footprint(true).Total(),
		"following at most 1,200 entities takes")
}

// closedLoop makes a spread one of clients that think.
func closedLoop(t testing.TB, s *scenarios.Scenario, clients int, think, length time.Duration) *scenarios.Scenario {
	t.Helper()
	spread := s.Phases[0].Traffic
	spread.Arrivals, spread.Clients, spread.Think, spread.For = nil, clients, think, length
	require.Empty(t, s.Validate())
	return s
}

// played is a scenario that was run, with the target's decisions among its events.
type played struct {
	ran
	counts engine.Counts
	tail   []results.KeyTail
}

// play runs a scenario, in virtual time where there is no clock.
func play(t testing.TB, s *scenarios.Scenario, clk clock.Clock, dataless bool) played {
	t.Helper()
	e := engineOf(t, s, dataless)
	tail := results.NewTail(5 * time.Second)
	ledger := &drive.Ledger{Happenings: func(now clock.Instant) []results.Event {
		e.Advance(now)
		var events []results.Event
		for _, d := range e.DrainEvents() {
			events = append(events, results.Event{At: int64(d.At), What: string(d.Kind), Text: d.String(), Decision: &results.Decision{}})
		}
		return events
	}}
	if clk == nil {
		ledger.Observers = []drive.Observer{tail}
	}
	r := carry(t, t.Context(), worldOn(e, s, clk).runner(), campaign.Options{Scenario: s, Table: "races"}, ledger)
	recorded(t, r)
	return played{r, e.Counts(), tail.Keys()}
}

// scaledDown is a cold table whose limits are a twentieth of the documents' and
// whose load balancing is sixty times as quick.
func scaledDown() []string {
	return []string{"phases.spread.rate=50", "phases.spread.for=20s", "phases.spread.partitions=6", "workers=400",
		"model.partition_target=100", "model.range_target=100", "model.server_target=200", "model.account_target=1000",
		"model.merge_below=1", "model.tick=500ms", "model.load_memory=1s", "model.detection=5s", "model.detection_gap=1s",
		"model.split_pause=100ms", "model.offline_least=500ms", "model.offline_most=700ms", "model.map_stale=100ms", "model.timeout=2s"}
}

// The same scenario gives the same counts, seconds and decisions in real and in
// virtual time, through splits and moves.
func TestLiveEqualsVirtualThroughSplitAndMove(t *testing.T) {
	for _, thinking := range []bool{false, true} {
		t.Run(fmt.Sprintf("thinking %t", thinking), func(t *testing.T) {
			make := func() *scenarios.Scenario {
				s := builtin(t, "simulate", scaledDown()...)
				if thinking {
					closedLoop(t, s, 40, 100*time.Millisecond, 20*time.Second)
				}
				return s
			}
			virtual := play(t, make(), nil, true)
			var real played
			inBubble(t, func(t *testing.T, clk clock.Real) { real = play(t, make(), clk, true) })
			var kinds []string
			last := int64(0)
			for _, e := range virtual.record.Events {
				kinds = append(kinds, e.What)
				assert.GreaterOrEqual(t, e.At, last, e.What)
				last = e.At
			}
			require.Truef(t, slices.Contains(kinds, results.RangeSplit) && slices.Contains(kinds, results.RangeMoved),
				"the events are %v; want a split and a move among them", kinds)
			assert.Truef(t, virtual.counts == real.counts,
				"the engine counted %+v in real time; want %+v as in virtual time", real.counts, virtual.counts)
			assert.Equal(t, string(virtual.folder.Bytes(results.EventsFile)), string(real.folder.Bytes(results.EventsFile)), "events")
			a, b := virtual.record.Total(results.Reported), real.record.Total(results.Reported)
			assert.Equal(t, [2]int64{a.Attempts, a.Throttled}, [2]int64{b.Attempts, b.Throttled})
			assert.True(t, slices.Equal(a.Response.Bars(), b.Response.Bars()), "the same histogram")
		})
	}
}

// Without a store the same is admitted at the same instants: only what depends on
// the entities differs, and writes do not.
func TestDatalessRunsEqualStoredRuns(t *testing.T) {
	with, without := play(t, builtin(t, "simulate", scaledDown()...), nil, false), play(t, builtin(t, "simulate", scaledDown()...), nil, true)
	assert.Equal(t, with.counts, without.counts)
	stored := with.record.Total(results.Everything).Stored
	assert.NotZero(t, stored)
	assert.Equal(t, stored, without.record.Total(results.Everything).Stored)
	assert.Empty(t, cmp.Diff(with.record.Heat, without.record.Heat), "heat differs without a store")
	for _, file := range []string{results.EventsFile, results.IntervalsFile} {
		assert.Equalf(t, string(without.folder.Bytes(file)), string(with.folder.Bytes(file)), "%s differs without a store", file)
	}
}

func TestFootprint(t *testing.T) {
	of := func(data bool, settings ...string) campaign.Footprint {
		return planned(t, campaign.Options{Scenario: builtin(t, "simulate", settings...), Table: "races"}).Footprint(data)
	}
	events := func(design, operations string) campaign.Footprint {
		s := ordered(t, design, "arrivals: {constant: 100}, for: 10s, operations: ["+operations+"]")
		return planned(t, campaign.Options{Scenario: s, Table: "orders"}).Footprint(true)
	}
	single, copied := events("customer", "{verb: insert}, {verb: query, by: [customer]}"), events("copied", "{verb: insert}, {verb: query, by: [customer]}")
	assert.InEpsilon(t, 3*single.Entities, copied.Entities, .05, "two copies")
	assert.Equal(t, 3*single.Estimates, copied.Estimates, "two copies")
	assert.Zero(t, events("copied", "{verb: batch, entities: 100, together: [customer]}").Estimates, "nothing is read")
	plain, stored := of(false), of(true)
	assert.Truef(t, plain.Entities == 0 && stored.Entities >= 12_000*100 && stored.Entities <= 12_000*3000,
		"Footprint: entities %d without data, %d with; want none, and those of 12,000", plain.Entities, stored.Entities)
	huge := of(true, "model.profile=off", "phases.spread.rate=800000", "phases.spread.for=24h", "phases.spread.operations=[{verb: insert}]")
	assert.GreaterOrEqual(t, huge.Total(), max(1<<45, huge.Entities), "a sum that does not overflow")
}

// Of 12,000/s for 10 s a range serves 2,000. Each session takes about a kilobyte.
func TestFootprintCountsTheExcess(t *testing.T) {
	waiting := func(faults []engine.FaultRule, settings ...string) float64 {
		s := builtin(t, "simulate", append(settings, "phases.spread.for=10s")...)
		s.Faults = faults
		return float64(planned(t, campaign.Options{Scenario: s, Table: "races"}).Footprint(false).Waiting) / 1080
	}
	rows := []struct {
		name     string
		settings []string
		faults   []engine.FaultRule
		want     float64
	}{
		{"no retry", []string{"retry=none"}, nil, 0},
		{"the documented policy, whose first wait is longer than the phase", []string{"retry=documented"}, nil, 100_000},
		{"as many servers as partitions", []string{"retry=documented", "start=warm"}, nil, 0},
		{"one key of 12,000/s", []string{"retry=documented", "start=warm", "phases.spread.partitions=1", "phases.spread.rate=12000"}, nil, 100_000},
		{"headroom admits for about a memory of 5 s what it then halves", []string{"retry=documented", "start=warm", "model.profile=headroom",
			"phases.spread.partitions=1", "phases.spread.rate=12000"}, nil, 51_000},
		{"half of the requests fail", []string{"retry=documented", "start=warm"}, []engine.FaultRule{{Kind: engine.FaultRefuse, Share: engine.WholeShare / 2}}, 60_000},
		{"waits of a second, three times", []string{"retry=fixed-1s"}, nil, 29_000},
	}
	for _, row := range rows {
		assert.InDeltaf(t, row.want, waiting(row.faults, row.settings...), 2000+row.want/10, row.name)
	}
}

// thermometer is a target that notes by table and PartitionKey what it is asked for, and
// what it answered.
type thermometer struct {
	target.Immediate
	table string
	seen  map[[2]string]*results.HeatSum
	// whole is what went to no single partition.
	whole results.HeatSum
}

func (m *thermometer) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, done := m.Immediate.Submit(now, op)
	at := &m.whole
	if key, one := op.PartitionKey(); one {
		place := [2]string{op.Table[len(m.table):], key}
		if m.seen[place] == nil {
			m.seen[place] = new(results.HeatSum)
		}
		at = m.seen[place]
	}
	switch outcome.Class(target.Expected{NotFound: true, Conflict: true, Precondition: true}) {
	case results.Ok:
		at.Served += outcome.Counted
		at.Demanded += outcome.Counted
	case results.Throttled:
		at.Throttled++
		at.Demanded += op.Entities()
	default:
		at.Failed++
	}
	return outcome, done
}

// The heat map of a run is what the target saw: by table and PartitionKey, throttled writes
// of copies and retries included.
func TestHeatMatchesTargetCounts(t *testing.T) {
	rows := []struct{ name, design, operations string }{
		{"one partition at a time", "hour", "{verb: insert, weight: 3}, {verb: replace}"},
		{"a transaction", "customer", "{verb: batch, entities: 7, together: [customer]}, {verb: get}"},
		{"copies in the same table and in another", "copied", "{verb: insert}, {verb: merge, properties: [{name: State, value: void}]}, {verb: batch, entities: 4, together: [customer]}"},
		{"copies in the entity's own partition", "beside", "{verb: insert}, {verb: delete}"},
		{"a search before the write", "customer", "{verb: merge, by: [customer], properties: [{name: State, value: void}]}"},
		{"a read before the write", "customer", "{verb: merge, read_first: true, properties: [{name: State, value: void}]}"},
	}
	for _, row := range spread(rows, resultstest.Cases(2, len(rows))) {
		t.Run(row.name, func(t *testing.T) {
			s := ordered(t, row.design, "arrivals: {constant: 300}, for: 6s, drain: 5s, operations: ["+row.operations+"]")
			set(t, s, "model.partition_target=40", "attributes.customer={zipf: {of: 40, exponent: 1.5}}")
			meter := &thermometer{Immediate: newWorld(t, s, nil), table: "orders", seen: make(map[[2]string]*results.HeatSum)}
			record := recorded(t, carry(t, t.Context(), &drive.Virtual{Target: meter}, campaign.Options{Scenario: s, Table: "orders"}, nil))
			h := record.Heat
			require.NotNil(t, h)
			require.LessOrEqual(t, len(meter.seen), results.KeptRows, "partitions, few enough for a row each")
			got := make(map[[2]string]*results.HeatSum)
			for i := range h.Rows {
				got[[2]string{h.Rows[i].Table, h.Rows[i].Key}] = new(h.Rows[i].Sum())
			}
			assert.Empty(t, cmp.Diff(meter.seen, got), "-target +map")
			assert.Equal(t, meter.whole, h.Nowhere.Sum(), "what is of no partition")
			all := record.Total(results.Everything)
			assert.GreaterOrEqual(t, all.Throttled, int64(50), "enough for the test to say something")
			mapped := h.Rest.Sum()
			for _, one := range append(slices.Collect(maps.Values(got)), new(h.Nowhere.Sum())) {
				mapped.Served += one.Served
				mapped.Throttled += one.Throttled
				mapped.Failed += one.Failed
			}
			assert.Equal(t, [3]int64{all.Served, all.Throttled, all.Failed}, [3]int64{mapped.Served, mapped.Throttled, mapped.Failed}, "the map sums to the totals")
			assert.EqualValues(t, 0, record.Intervals[len(record.Intervals)-1].InFlight, "attempts are under way at the end")
		})
	}
}
