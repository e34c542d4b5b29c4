package campaign_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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

// keeping returns the options of a campaign that keeps its table of orders.
func keeping(s *scenarios.Scenario, verify bool) campaign.Options {
	return campaign.Options{Scenario: s, Table: "orders", NewName: true, Keep: true, Verify: verify}
}

// kept carries a scenario of orders out without limits and keeps its tables.
func kept(t testing.TB, s *scenarios.Scenario, verify bool) (*world, *results.Record) {
	t.Helper()
	w := newWorld(t, unlimited(t, s), nil)
	return w, recorded(t, w.run(t, keeping(s, verify)))
}

// What lies in one partition is written by one request, and each of it counts.
func TestCopiesInSamePartitionShareTransaction(t *testing.T) {
	const operations = 30
	rows := []struct {
		name, operation string
		// requests and entities are those of an operation, own how many entities there
		// are afterwards.
		requests, entities int64
		own                int
	}{
		{"an insert", "{name: it, verb: insert}", 1, 3, 400 + operations},
		{"a replace", "{name: it, verb: replace}", 1, 3, 400},
		{"a merge of what one copy keeps nothing of", "{name: it, verb: merge, properties: [{name: Note, value: paid}]}", 1, 2, 400},
		{"an upsert", "{name: it, verb: insert-or-replace}", 1, 3, 400},
		{"a search, and its write", "{name: it, verb: replace, by: [customer, id]}", 2, 4, 400},
		{"a batch", "{name: it, verb: batch, entities: 33, together: [customer]}", 1, 99, 400 + operations*33},
		{"a batch with whose second copies it would be too large", "{name: it, verb: batch, entities: 34, together: [customer]}", 4, 102, 400 + operations*34},
		{"a batch too large for any", "{name: it, verb: batch, entities: 60, together: [customer]}", 7, 180, 400 + operations*60},
	}
	for _, row := range spread(rows, resultstest.Cases(4, len(rows))) {
		for _, verify := range []bool{true, false}[:resultstest.Cases(1, 2)] {
			w, record := kept(t, ordered(t, "beside", "arrivals: {constant: 30}, for: 1s, operations: ["+row.operation+"]"), verify)
			k := kindOf(t, record, "it")
			// The states of a batch differ, the customers do not.
			assert.Truef(t, k.Attempts == operations*row.requests || row.requests >= 4 && k.Attempts < operations*row.requests, "%s: %d requests", row.name, k.Attempts)
			assert.Equal(t, [3]int64{operations * row.entities, operations * row.entities, 0}, [3]int64{k.Offered, k.Served, k.Failed}, row.name)
			assert.Equalf(t, homes{row.own, row.own, row.own}, homesOf(w, ""), "%s, verified %v", row.name, verify)
			assert.Falsef(t, verify && (record.Audit.Acknowledged != operations || record.Audit.Lost+record.Audit.Overwritten+record.Audit.Unknown > 0),
				"%s: the audit is %+v; want %d writes acknowledged, none lost", row.name, record.Audit, operations)
		}
	}
}

// Whatever replies are lost, and whoever deletes what another writes: an entity has its
// copies, no copy is without its entity, and no update brings back copies of what is gone.
func TestEntitiesKeepTheirCopies(t *testing.T) {
	const all = "arrivals: {constant: 100}, for: 10s, drain: 20s, operations: [{verb: insert, weight: 3}, {verb: delete, weight: 2, of: {hot: 10%, share: 90%}}, " +
		"{verb: replace}, {verb: merge, properties: [{name: State, value: void}]}, {verb: batch, entities: 4, together: [customer]}]"
	const deletes = "arrivals: {constant: 100}, for: 20s, drain: 5s, " +
		"operations: [{verb: delete, weight: 3}, {verb: replace}, {verb: merge, by: [customer], properties: [{name: State, value: void}]}]"
	for _, row := range []struct {
		design, traffic     string
		share, most, fewest int
	}{{"beside", all, 100_000, math.MaxInt, 300}, {"copied", deletes, 0, 100, 0}} {
		for _, verify := range []bool{true, false}[:resultstest.Cases(1, 2)] {
			s := unlimited(t, ordered(t, row.design, row.traffic))
			w := newWorld(t, s, nil)
			losing := target.WrapImmediateFaults(w, engine.FaultPlan{Rules: []engine.FaultRule{{Kind: engine.FaultDrop, Moment: engine.FaultAfter, From: 0, To: time.Hour, Share: row.share}}}, 3)
			record := recorded(t, carry(t, t.Context(), &drive.Virtual{Target: losing}, keeping(s, verify), nil))
			require.Truef(t, row.share == 0 || losing.Counts().Failed >= 50, "%d attempts failed; want many lost replies", losing.Counts().Failed)
			if of := homesOf(w, ""); of.own < row.fewest || of.own > row.most || of != (homes{of.own, of.own, of.own}) {
				t.Errorf("%s, verified %v: %+v are left; want as many of each", row.design, verify, of)
			}
			assert.Falsef(t, verify && row.share > 0 && record.Audit.Lost > 0, "the audit is %+v; want nothing lost", record.Audit)
		}
	}
}

// An entity that somebody inserted without one of its copies can be deleted all the
// same.
func TestDeleteWithMissingCopy(t *testing.T) {
	w, _ := kept(t, parsed(t, fmt.Sprintf(orders, "beside", "arrivals: {constant: 40}, for: 5s, "+
		"operations: [{verb: delete}, {verb: insert-or-merge, properties: [{name: Note, value: again}]}]")+
		"  - {name: after, traffic: {arrivals: {constant: 100}, for: 3s, operations: [{verb: delete}]}}\n", "phases.load.entities=20"), false)
	assert.Zero(t, homesOf(w, ""))
}

// Nor does it keep a deletion from its entity that a copy was given up: those of a batch
// that is too large to hold them follow it, and may be throttled.
func TestDeleteAfterLostCopies(t *testing.T) {
	text := fmt.Sprintf(orders, "beside", "clients: 1, count: 6, operations: [{verb: batch, entities: 60, together: [customer]}]") +
		"  - {name: after, traffic: {clients: 1, count: 2500, operations: [{verb: delete}]}}\n"
	s := unlimited(t, parsed(t, text, "retry=none", "phases.load.entities=60"))
	w := newWorld(t, s, nil)
	on, requests := false, 0
	refusing := targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
		if on {
			if requests++; requests%2 == 0 {
				return targettest.Busy(op), now.Add(time.Millisecond)
			}
		}
		return w.Submit(now, op)
	})
	o := keeping(s, false)
	o.OnStage = func(p campaign.Progress) { on = p.Stage == "measure" }
	recorded(t, carry(t, t.Context(), &drive.Virtual{Target: refusing}, o, nil))
	require.Truef(t, requests >= 12, "the batches took %d requests; want two each at least", requests)
	assert.Zero(t, homesOf(w, ""))
}

// dying has clients that die between an entity and its copy, which has the same RowKey in
// another table and another partition.
const dying = `name: dying
seed: 1
table: staff
retry: documented
model: {profile: off}
attributes:
  department: {list: [Sales, Finance]}
  employee: {sequence: 1}
  pay: {uniform: [1, 100000]}
entity: {properties: [{name: Employee, value: "{employee:06d}"}, {name: Pay, type: Int64, value: "{pay}"}]}
design:
  partition_key: "{department}"
  row_key: "{employee:06d}"
  copies: [{name: paid, table: Paid, partition_key: "paid_{department}", row_key: "{employee:06d}", properties: [Pay]}]
phases:
  - {name: load, load: {entities: 200}}
  - name: day
    traffic: {clients: 1, count: 600, operations: [{name: hire, verb: insert, weight: 3, killed: 20%},
      {name: raise, verb: merge, properties: [{name: Pay, type: Int64, value: "{pay}"}], killed: 20%}, {name: leave, verb: delete, weight: 2, killed: 20%}]}
`

const repaired = `  - {name: mend, traffic: {clients: 1, count: 1, operations: [{name: mend, workflow: repair-copies}]}}
`

// wrongCopies returns how many copies of what the table run holds are missing, of no entity, or
// have other values.
func wrongCopies(w *world) (missing, orphaned, stale int64) {
	own, copied := maps.Collect(w.engine.Entities(w.accounts[0], "run")), maps.Collect(w.engine.Entities(w.accounts[0], "runPaid"))
	for key, one := range own {
		if _, employee := one.Lookup("Employee"); !employee {
			continue
		}
		there, some := copied[entity.Key{Partition: "paid_" + key.Partition, Row: key.Row}]
		want, _ := one.Lookup("Pay")
		switch got, _ := there.Lookup("Pay"); {
		case !some:
			missing++
		case !got.Equal(want):
			stale++
		}
	}
	for key := range copied {
		partition, is := strings.CutPrefix(key.Partition, "paid_")
		if _, some := own[entity.Key{Partition: partition, Row: key.Row}]; is && !some {
			orphaned++
		}
	}
	return missing, orphaned, stale
}

// What the check counts is what is wrong in the tables, for clients one by one and
// for many that race; a repair leaves nothing wrong. As many die as are to.
func TestCopiesOfDeadClients(t *testing.T) {
	for _, clients := range []int{1, 8} {
		for seed := range resultstest.Cases(1, 20) {
			for _, repairs := range []bool{false, true} {
				text := dying
				if repairs {
					text += repaired
				}
				s := parsed(t, text, fmt.Sprint("seed=", seed), fmt.Sprint("phases.day.clients=", clients))
				w := newWorld(t, s, nil)
				record := recorded(t, w.run(t, campaign.Options{Scenario: s, Table: "run", NewName: true, Keep: true}))
				missing, orphaned, stale := wrongCopies(w)
				require.Len(t, record.Invariants, 1)
				one := record.Invariants[0]
				assert.Truef(t, one.Faults == missing+orphaned+stale && (!repairs || one.Faults == 0) && one.Looked >= 300,
					"%d clients, seed %d, repaired %v: %q counts %d of %d, %q; want %d missing, %d of no entity and %d with other values",
					clients, seed, repairs, one.Name, one.Faults, one.Looked, one.Examples, missing, orphaned, stale)
				judgeDeaths(t, record, clients, repairs, missing+orphaned+stale)
			}
		}
	}
}

// judgeDeaths holds how many clients died to the share that was to, and what was repaired to
// what was wrong.
func judgeDeaths(t *testing.T, record *results.Record, clients int, repairs bool, wrong int64) {
	t.Helper()
	counts := make(map[string]int64)
	for _, one := range record.Counters {
		if one.Name == "killed" {
			counts["killed"] += one.Count
		} else {
			counts["mended"] += one.Count
		}
	}
	const operations, share = 600, 0.2
	assert.InDelta(t, operations*share, counts["killed"], 4*math.Sqrt(operations*share*(1-share)), "within four deviations a fifth of the clients die")
	assert.Truef(t, clients > 1 || repairs || wrong > 0 && wrong <= counts["killed"], "%d copies are wrong by %d dead clients; want some, one each at most", wrong, counts["killed"])
	assert.False(t, repairs && counts["mended"] == 0, "nothing was mended")
}

// inbox is users who read messages of their own.
const inbox = `name: inbox
seed: %d
workers: 200
retry: none
model: {profile: documented}
attributes: {user: {uniform: [1, 40]}, message: {sequence: 1000}}
entity: {size: 300}
design: {partition_key: "{user}", row_key: "{message}"}
phases:
  - {name: load, load: {entities: 120, transaction: 10, lanes: 1}}
  - {name: day, traffic: {%s, operations: [%s]}}
`

// door notes what goes through it to the target: of each operation, what it asked for and
// which entity it read.
type door struct {
	*world
	mu sync.Mutex
	// asked are the services that were asked, in order, and read the key, by the
	// operation's number.
	asked map[uint64][]string
	read  map[uint64]entity.Key
	// due is when each operation came first: on the virtual clock, when it was due.
	due map[uint64]time.Duration
}

func (d *door) note(now clock.Instant, op *target.Operation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.due[op.Number]; !known {
		d.due[op.Number] = now.Offset()
	}
	if op.Beside != nil && op.Beside.Verb == target.Ask {
		d.asked[op.Number] = append(d.asked[op.Number], strings.TrimPrefix(op.Beside.Store, "races-"))
		return
	}
	if _, err := strconv.Atoi(op.Change.Key.Partition); err == nil && op.Verb == entity.Get {
		d.read[op.Number] = op.Change.Key
	}
}

func (d *door) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	d.note(now, op)
	return d.world.Submit(now, op)
}

func (d *door) Do(ctx context.Context, op *target.Operation) target.Outcome {
	d.note(0, op)
	return d.world.Do(ctx, op)
}

// readInbox carries a scenario out and returns what its users asked for.
func readInbox(t *testing.T, s *scenarios.Scenario, clk clock.Clock) (*results.Record, *door) {
	t.Helper()
	d := &door{world: newWorld(t, s, clk), asked: make(map[uint64][]string), read: make(map[uint64]entity.Key), due: make(map[uint64]time.Duration)}
	var runner drive.Runner = &drive.Virtual{Target: d}
	if clk != nil {
		runner = d.through(d)
	}
	return recorded(t, carry(t, t.Context(), runner, campaign.Options{Scenario: s, Table: "races"}, nil)), d
}

// permits are those of the users of an inbox, as the rule has it: when each was given.
type permits struct {
	lasts, preflight time.Duration
	entity           bool
	signed, allowed  map[entity.Key]time.Duration
}

// asks returns what a read that is due at a time asks for, and gives it.
func (p *permits) asks(due time.Duration, key entity.Key) (list []string) {
	of := key
	if !p.entity {
		of.Row = ""
	}
	given, there := p.signed[of]
	if !there || due >= given+p.lasts {
		list, given = append(list, "broker"), due
		p.signed[of] = due
	}
	if p.preflight == 0 {
		return list
	}
	// Leave is for the URL, which has the signature in it.
	if at, there := p.allowed[key]; !there || due >= at+p.preflight || at < given {
		list = append(list, "preflight")
		p.allowed[key] = due
	}
	return list
}

// What users ask for follows from when their reads are due: read for read as the rule says
// that is written here again, alike in virtual and in real time.
func TestUsersRenewExpiredPermits(t *testing.T) {
	const closed = "clients: 7, count: 150"
	rows := []struct {
		name, traffic, with string
		rule                permits
	}{
		{"a signature for all of the run", "", "lasts: 1h", permits{lasts: time.Hour}},
		{"signatures that expire", "", "lasts: 1s", permits{lasts: time.Second}},
		{"in a closed loop, by the numbers of the reads", closed, "lasts: 1h, preflight: 10m", permits{lasts: time.Hour, preflight: 10 * time.Minute}},
		{"in a browser", "", "lasts: 1h, preflight: 10m", permits{lasts: time.Hour, preflight: 10 * time.Minute}},
		{"in a browser that forgets", "", "lasts: 1500ms, preflight: 700ms", permits{lasts: 1500 * time.Millisecond, preflight: 700 * time.Millisecond}},
		{"two operations, whose users are the same", "", "lasts: 1s, preflight: 10m}}, {name: again, workflow: direct-read, with: {lasts: 1s, preflight: 10m", permits{lasts: time.Second, preflight: 10 * time.Minute}},
		{"a signature for each entity", "", "lasts: 2s, covers: entity, preflight: 10m", permits{lasts: 2 * time.Second, entity: true, preflight: 10 * time.Minute}},
		{"a broker with a queue", "", "lasts: 500ms, issue-time: 40ms, issuers: 1", permits{lasts: 500 * time.Millisecond}},
	}
	for _, row := range spread(rows, resultstest.Cases(4, len(rows))) {
		for _, seed := range []uint64{7, 8}[:resultstest.Cases(1, 2)] {
			traffic := cmp.Or(row.traffic, "arrivals: {poisson: 100}, for: 4s")
			s := parsed(t, fmt.Sprintf(inbox, seed, traffic, "{name: read, workflow: direct-read, with: {"+row.with+"}}"))
			virtual, seen := readInbox(t, s, nil)
			if row.traffic == closed {
				require.Len(t, seen.read, 150)
				for number := range seen.read {
					seen.due[number] = time.Duration(number)
				}
			}
			holdToRule(t, row.name, row.rule, virtual, seen)
			inBubble(t, func(t *testing.T, clk clock.Real) {
				live, also := readInbox(t, s, clk)
				assert.True(t, maps.EqualFunc(also.asked, seen.asked, slices.Equal), "%s: what is asked live and virtually", row.name)
				assert.True(t, maps.Equal(also.read, seen.read), "%s: what is read live and virtually", row.name)
				assert.Equal(t, fmt.Sprint(virtual.Counters), fmt.Sprint(live.Counters), row.name)
			})
		}
	}
}

// holdToRule goes through the reads of a run in the order in which they were due.
func holdToRule(t *testing.T, name string, rule permits, record *results.Record, seen *door) {
	t.Helper()
	rule.signed, rule.allowed = make(map[entity.Key]time.Duration), make(map[entity.Key]time.Duration)
	numbers := slices.Sorted(maps.Keys(seen.read))
	require.Truef(t, len(numbers) >= 150, "%s: %d reads; want about 400, or 150", name, len(numbers))
	counts := map[string]int64{}
	for i, number := range numbers {
		want := rule.asks(seen.due[number], seen.read[number])
		require.Truef(t, slices.Equal(seen.asked[number], want), "%s: read %d of %v asks %q first; want %q", name, i, seen.read[number], seen.asked[number], want)
		for _, one := range want {
			counts[one]++
		}
	}
	for counter, service := range map[string]string{"issued": "broker", "preflights": "preflight"} {
		for _, one := range record.Counters {
			if one.Name == counter {
				counts[service] -= one.Count
			}
		}
		assert.Zerof(t, counts[service], "%s: asked for more often than counted as %s", name, counter)
	}
}
