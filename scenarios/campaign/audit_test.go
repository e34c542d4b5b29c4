package campaign_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// lapsText is a scenario of every kind of write: a counter on few keys that many want
// to raise at once, and afterwards deletes.
const lapsText = `name: laps
seed: 7
workers: 64
retry: short
model: {profile: documented}
attributes:
  event: {list: [NYC]}
  bib: {sequence: 1}
entity: {size: 700, filler: Notes}
design: {partition_key: "{event}", row_key: "{bib}"}
phases:
  - name: load
    load: {entities: 3}
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
  - name: leave
    peak:
      partition_key: NYC
      rates: [100]
      each: 1s
      operations: [{verb: delete}]
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
	scenario *scenarios.Scenario
	// alter, where set, may change what is carried out of a write, or answer it
	// itself; it is called under the lock.
	alter func(op *target.Operation) (target.Outcome, bool)

	mu  sync.Mutex
	log map[uint64]*writeLog
}

// writeLog is what the target knows of an operation: whether it has carried out what it writes,
// how often where that may be done once, and how it answered last.
type writeLog struct {
	done       bool
	once, last int
}

// enter notes what became of an attempt inside the target.
func (l *lossy) enter(op *target.Operation, o target.Outcome) target.Outcome {
	_, exactly := op.Change.Match.Exactly()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.log[op.Number] == nil {
		l.log[op.Number] = new(writeLog)
	}
	w := l.log[op.Number]
	w.last = o.Status
	wrote := o.Status < 300 && op.Verb != entity.Get
	if w.done = w.done || wrote; wrote && (exactly || op.Verb == entity.Insert || op.Verb == entity.Batch) {
		w.once++
	}
	return o
}

func (l *lossy) lie(op *target.Operation) (target.Outcome, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.alter == nil {
		return target.Outcome{}, false
	}
	return l.alter(op)
}

func (l *lossy) Do(ctx context.Context, op *target.Operation) target.Outcome {
	changed := *op
	o, lied := l.lie(&changed)
	if !lied {
		o = l.world.Do(ctx, &changed)
	}
	return l.enter(op, o)
}

func (l *lossy) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	changed := *op
	o, lied := l.lie(&changed)
	if !lied {
		o, now = l.world.Submit(now, &changed)
	}
	return l.enter(op, o), now
}

// behind returns a runner on the target behind faults.
func (l *lossy) behind(plan engine.FaultPlan) drive.Runner {
	if l.clk == nil {
		return &drive.Virtual{Target: target.WrapImmediateFaults(l, plan, 3)}
	}
	return l.through(target.WrapFaults(l, plan, 3, l.clk))
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
	l := &lossy{world: newWorld(t, s, clk), scenario: s, alter: alter, log: make(map[uint64]*writeLog)}
	o.Scenario, o.Table, o.NewName = s, "Laps", true
	return recorded(t, carry(t, t.Context(), l.behind(dropping(share)), o, nil)), l
}

// The measured operations are numbered on after those that create and mark the
// table and the transaction that loads it.
const firstMeasured = 3

// done returns how many of the measured writes the target has carried out, and checks that none
// was twice.
func (l *lossy) done(t *testing.T) (sum int64) {
	t.Helper()
	for number, w := range l.log {
		assert.LessOrEqualf(t, w.once, 1, "operation %d was carried out", number)
		if w.done && number >= firstMeasured && number < firstMeasured+l.measured() {
			sum++
		}
	}
	return sum
}

// measured returns how many operations the phases offer.
func (l *lossy) measured() (sum uint64) {
	for i := range l.scenario.Phases {
		for _, step := range l.scenario.Phases[i].Offered().Ladder() {
			sum += uint64(step.Rate * step.Length.Seconds())
		}
	}
	return sum
}

// same compares the counts of an audit.
func same(t *testing.T, got *results.Audit, want results.Audit) {
	t.Helper()
	counts := *got
	counts.Keys, counts.ReadBack, counts.Unwatched, counts.Examples = 0, 0, 0, nil
	if g, w := fmt.Sprintf("%+v", counts), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("the audit comes to\n%s; want\n%s", g, w)
	}
}

// The audit knows of replies that were lost after the fact what the target that lost them
// knows: what it has carried out was acknowledged, or nobody knows.
func TestAuditEqualsTheLogOfLostReplies(t *testing.T) {
	rows := []struct {
		name    string
		share   int
		retry   string
		deletes bool
		// entities are enough for an entity not to forget a write before it is sent again.
		entities string
	}{
		{"no reply is lost", 0, "short", true, "3"},
		{"one reply in a hundred is lost", 10_000, "short", true, "3"},
		{"one in twenty", 50_000, "short", true, "12"},
		{"one in a hundred, and nothing is deleted", 10_000, "short", false, "3"},
		{"one in a hundred, and nothing is tried again", 10_000, "none", true, "3"},
		{"one in five, and nothing is deleted", 200_000, "short", false, "12"},
		{"one in twenty, nothing is tried again and nothing deleted", 50_000, "none", false, "3"},
	}
	for _, row := range spread(rows, tier(3, len(rows))) {
		eachWay(t, row.name, func(t *testing.T, clk clock.Clock) {
			s := laps(t, row.deletes, "retry="+row.retry, "phases.load.entities="+row.entities)
			record, log := audited(t, s, clk, row.share, campaign.Options{Verify: true}, nil)
			got := record.Audit
			assert.EqualValues(t, log.measured(), got.Writes)
			assert.Equal(t, got.Writes, got.Acknowledged+got.Unknown+got.Absent)
			// A deletion that meets a 404 after a lost reply may have met one before.
			if done := log.done(t); got.Acknowledged-got.Own404 > done || done > got.Acknowledged+got.Unknown {
				t.Errorf("%+v; the target has carried out %d", *got, done)
			}
			if got.Keys != got.ReadBack || got.Keys == 0 || got.Unwatched != 0 || len(got.Examples) > 0 || !got.Sound() {
				t.Errorf("%+v; want all read back and no fault", *got)
			}
			injected := got.Own409 + got.Own412 + got.Own404 + got.Unknown
			if row.share == 0 && injected != 0 || row.share > 0 && injected == 0 || got.ForeignConflicts == 0 {
				t.Errorf("%+v; want foreign conflicts, and lost replies only where there are some", *got)
			}
			if row.retry == "short" && row.share > 0 && got.Own409+got.Own412 == 0 {
				t.Errorf("%+v; want retries that met their own success", *got)
			}
		})
	}
}

// Where nobody gets in another's way and no reply is lost, nothing but
// acknowledged writes is counted.
func TestAuditOfAQuietRunCountsNothing(t *testing.T) {
	eachWay(t, "inserts and merges", func(t *testing.T, clk clock.Clock) {
		s := laps(t, false, `phases.run.operations=[{verb: insert}, {verb: merge, properties: [{name: Paid, value: "yes"}]},
			{name: put, verb: insert-or-replace}, {name: touch, verb: insert-or-merge, properties: [{name: Desk, value: A}]}]`)
		record, _ := audited(t, s, clk, 0, campaign.Options{Verify: true}, nil)
		same(t, record.Audit, results.Audit{Writes: 1200, Acknowledged: 1200})
	})
}

// A target that says it has written what it has not, or writes twice, is found out:
// the audit counts its lies.
func TestAuditFindsOutATargetThatLies(t *testing.T) {
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
	} {
		eachWay(t, row.name, func(t *testing.T, clk clock.Clock) {
			s := laps(t, false, "phases.load.entities=12", "phases.run.operations="+row.operations)
			record, log := audited(t, s, clk, 0, campaign.Options{Verify: true}, row.alter)
			told := int64(0)
			for number, w := range log.log {
				if lies(&target.Operation{Number: number}) && number < firstMeasured+1200 && w.last < 300 {
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
			if told < 100 || len(record.Audit.Examples) != results.MostAuditExamples {
				t.Errorf("%d lies, %d entities named; want 100 at least, %d named", told, len(record.Audit.Examples), results.MostAuditExamples)
			}
		})
	}
}

// What is beyond the bound is counted, and what is watched is found.
func TestAuditWatchesNoMoreThanItMay(t *testing.T) {
	s := laps(t, false, "phases.run.operations=[{verb: insert}]")
	record, _ := audited(t, s, nil, 0, campaign.Options{Verify: true, Watched: 7}, nil)
	got := record.Audit
	if got.Keys != 7 || got.ReadBack != 7 || got.Unwatched != 1200-7 || !got.Sound() {
		t.Errorf("%+v; want 7 entities watched and read back, %d writes unwatched, none lost", *got, 1200-7)
	}
}

// A run that is stopped tells what it knows and reads nothing back.
func TestAuditOfAStoppedRun(t *testing.T) {
	s := laps(t, false)
	ctx, stop := context.WithCancel(t.Context())
	l, counted := &lossy{world: newWorld(t, s, nil), log: make(map[uint64]*writeLog)}, 0
	l.alter = func(*target.Operation) (target.Outcome, bool) {
		if counted++; counted == 600 {
			stop()
		}
		return target.Outcome{}, false
	}
	r := carry(t, ctx, &drive.Virtual{Target: l}, campaign.Options{Scenario: s, Table: "Laps", NewName: true, Verify: true}, nil)
	if a := r.record.Audit; r.ended == nil || a == nil || a.ReadBack != 0 || a.Keys == 0 || a.Writes == 0 {
		t.Errorf("a stopped run ended with %v and the audit %+v; want an error, and writes that were not read back", r.ended, a)
	}
}

// A run audits where it is asked to, and both forecasts know of what is read back and followed.
func TestForecastKnowsOfTheAudit(t *testing.T) {
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
