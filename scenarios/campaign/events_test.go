package campaign_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
)

// orders is a small table of orders whose designs and operations the tests fill in.
const orders = `name: orders
seed: 5
workers: 200
retry: short
model: {profile: documented, partition_target: 150}
attributes:
  at: {time: 2026-03-01T00:00:00Z, every: 20s, speed: 600}
  customer: {zipf: {of: 200, exponent: 1}}
  hour: {text: "{at:hour}"}
  id: {sequence: 1}
  state: {list: [open, paid, sent], weights: [5, 3, 2]}
entity: {size: 400, properties: [{name: Customer, type: Int64, value: "{customer}"}, {name: State, value: "{state}"},
  {name: Hour, value: "{hour}"}, {name: Placed, type: DateTime, value: "{at}"}]}
use: %s
designs:
  - {name: hour, partition_key: "{at:hour}", row_key: "{at:ticks}_{id}"}
  - {name: customer, partition_key: "{customer}", row_key: "{at:inverted}_{id}"}
  - {name: buckets, partition_key: "{hash(id,8):02d}_{hour}", row_key: "{state}_{id}"}
  - name: copied
    partition_key: "{customer}"
    row_key: "{at:inverted}_{id}"
    copies:
      - {name: state, table: ByState, partition_key: "{state}_{hash(id,8)}", row_key: "{id}", properties: [State, Customer]}
      - {name: number, partition_key: "id_{hash(id,16)}", row_key: "{id}"}
  - name: beside
    partition_key: "{customer}"
    row_key: "{at:inverted}_{id}"
    copies:
      - {name: number, partition_key: "{customer}", row_key: "id_{id}"}
      - {name: state, partition_key: "{customer}", row_key: "state_{state}_{id}", properties: [State]}
phases:
  - {name: load, load: {entities: 400, transaction: 100, lanes: 1}}
  - {name: measure, traffic: {%s}}
`

// everything is every verb of event traffic.
const everything = `operations: [{verb: insert, weight: 4}, {verb: get, weight: 4}, {name: newest, verb: get, of: latest}, ` +
	`{name: hot, verb: get, of: {zipf: 1.2}}, {verb: replace, of: {hot: 10%, share: 90%}}, {verb: delete}, ` +
	`{name: pay, verb: insert-or-merge, properties: [{name: State, value: paid}]}, ` +
	`{name: mine, verb: query, by: [customer], top: 20, pages: 1}, {name: recent, verb: query, by: [customer], span: 2h, of: {latest: 50}}, ` +
	`{name: open, verb: query, by: [state], select: [State], pages: 2}, {name: cancel, verb: merge, by: [id], properties: [{name: State, value: void}]}, ` +
	`{verb: batch, entities: 5, together: [customer], weight: 2}, {name: scan, verb: query, class: partition-scan, where: "State eq '{state}'"}]`

// bucketed is what asks each of several buckets, beside others.
const bucketed = `{verb: insert, weight: 4}, {name: hour, verb: query, by: [hour]}, {name: state, verb: query, by: [hour, state], select: [State]}, ` +
	`{name: first, verb: query, by: [hour], top: 2, pages: 2}, {name: recent, verb: query, by: [state], span: 2h, of: {latest: 50}}, {name: some, verb: query, by: [hour], rows: 5}, ` +
	`{name: mine, verb: query, by: [hour, state, customer]}`

func ordered(t testing.TB, design, traffic string) *scenarios.Scenario {
	t.Helper()
	return parsed(t, fmt.Sprintf(orders, design, traffic))
}

// unlimited has nothing be throttled.
func unlimited(t testing.TB, s *scenarios.Scenario) *scenarios.Scenario {
	t.Helper()
	return set(t, s, "model.partition_target=0", "model.account_target=0")
}

// Event traffic keeps its books under every design and in both loops, and both
// runners keep the same record.
func TestEventTrafficLiveEqualsVirtual(t *testing.T) {
	rows := []struct{ name, design, traffic string }{
		{"one partition at a time", "hour", "arrivals: {poisson: 150}, for: 2s, " + everything},
		{"a partition for each customer", "customer", "arrivals: {poisson: 150}, for: 2s, " + everything},
		{"each of several buckets", "buckets", "arrivals: {poisson: 150}, for: 2s, operations: [" + bucketed + "]"},
		{"copies in the same table and in another", "copied", "arrivals: {poisson: 120}, for: 2s, " + everything},
		{"copies in the entity's own partition", "beside", "arrivals: {poisson: 120}, for: 2s, " + everything},
		{"a closed loop of so many operations", "customer", "clients: 6, count: 200, " + everything},
		{"a closed loop", "copied", "clients: 6, think: 90ms, for: 2s, " + everything},
	}
	for _, test := range spread(rows, resultstest.Cases(2, len(rows))) {
		if testing.Short() && test.design != "copied" {
			continue // the race detector finds in one what it finds in all
		}
		t.Run(test.name, func(t *testing.T) {
			s := ordered(t, test.design, test.traffic)
			live, virtual := bothWays(t, campaign.Options{Scenario: s, Table: "races"})
			// Of two lanes that are free at the same instant, the one goes first that the
			// scheduler picks, which now and then is not the one of the lower number.
			if strings.HasPrefix(test.traffic, "clients") {
				sameCounts(t, live, virtual)
			} else {
				sameFiles(t, live, virtual)
			}
		})
	}
}

// What an operation is said to be due to count is what it counts where nothing is
// throttled: the entities that a query has to read are known without a store. A filter has
// a page go on until it has as many as are wanted, and no further.
func TestEventTrafficDueEqualsCounted(t *testing.T) {
	const every = `{verb: insert, weight: 3}, {verb: get}, ` +
		`{name: mine, verb: query, by: [customer]}, {name: recent, verb: query, by: [customer], span: 6h, of: {latest: 10}}, ` +
		`{name: open, verb: query, by: [state]}, {verb: batch, entities: 5, together: [customer]}, {name: all, verb: query, class: table-scan}, {name: one, verb: query, class: point}, {name: some, verb: query, rows: 7}, ` +
		`{name: pay, verb: replace, by: [state, id]}, {name: void, verb: merge, by: [customer], properties: [{name: State, value: "{state}"}]}`
	const pages = `{name: page, verb: query, by: [state], top: 20, pages: 1}, {name: three, verb: query, by: [state], top: 20, pages: 3}, ` +
		`{name: rows, verb: query, by: [state], rows: 30}, {name: all, verb: query, by: [state], top: 40}, ` +
		`{name: sent, verb: query, class: table-scan, where: "State eq 'sent'", top: 10, pages: 2}, ` +
		`{name: none, verb: query, class: table-scan, where: "State eq 'nothing'", top: 10, pages: 2}`
	rows := []struct {
		name, design, operations string
		kinds                    int
		// off is the share by which the two may differ: operations under way at one instant
		// may or may not see one another. filtered says that all are queries of one state.
		off      float64
		filtered bool
	}{
		{"an hour", "hour", every, 11, .02, false}, {"a customer", "customer", every, 11, .02, false}, {"filters", "hour", pages, 6, .1, true},
		{"copies", "copied", every, 11, .02, false}, {"copies beside", "beside", every, 11, .02, false}, {"buckets", "buckets", bucketed, 7, .02, false},
	}
	for _, row := range spread(rows, resultstest.Cases(3, len(rows))) {
		t.Run(row.name, func(t *testing.T) {
			traffic := `arrivals: {constant: 40}, for: 10s, operations: [` + row.operations + `]`
			record := simulated(t, unlimited(t, ordered(t, row.design, traffic)))
			looked := 0
			for i, kind := range record.Manifest.Operations {
				k := &reported(t, record).Kinds[i]
				if k.Operations == 0 {
					continue
				}
				looked++
				require.Zero(t, k.Throttled+k.Failed, kind.Name)
				assert.InEpsilonf(t, k.Served, k.Offered, row.off, "%s is due to count what it counts", kind.Name)
				assert.Falsef(t, row.filtered && (!kind.Filtered || float64(k.Returned) > .6*float64(k.Counted)),
					"%s: %d were returned of %d counted; want those of one state, half of all at most", kind.Name, k.Returned, k.Counted)
			}
			assert.Equal(t, row.kinds, looked, "kinds of operation")
		})
	}
}

// states returns the State of every entity of a table, by its key.
func (w *world) states(table string) map[entity.Key]string {
	states := map[entity.Key]string{}
	for key, one := range w.engine.Entities(w.accounts[0], table) {
		state, _ := one.Lookup("State")
		states[key] = state.Text()
	}
	return states
}

// homes are so many entities of the design copied or beside, and their copies by number and by state.
type homes struct{ own, numbers, states int }

// homesOf returns how many there are in a state, or in any where that is empty.
func homesOf(w *world, state string) (of homes) {
	for key, is := range w.states("orders") {
		switch {
		case state != "" && is != state || strings.HasPrefix(key.Partition, "~"):
		case strings.HasPrefix(key.Partition, "id_") || strings.HasPrefix(key.Row, "id_"):
			of.numbers++
		case strings.HasPrefix(key.Row, "state_"):
			of.states++
		default:
			of.own++
		}
	}
	for key, is := range w.states("ordersByState") {
		if (state == "" || is == state) && !strings.HasPrefix(key.Partition, "~") {
			of.states++
		}
	}
	return of
}

// Who finds an entity by what it knows of it writes that entity, wherever it found it,
// and its copies; who finds it gone writes none.
func TestWritesUpdateCopies(t *testing.T) {
	for _, row := range []struct{ name, operation string }{
		{"found by its id, in a copy in the same table", "{verb: merge, by: [id], properties: [{name: State, value: void}]}"},
		{"found by its state, in another table", "{verb: merge, by: [state, id], properties: [{name: State, value: void}]}"},
		{"found by its customer, among others", "{verb: insert-or-merge, by: [customer], properties: [{name: State, value: void}]}"},
		{"known by its key", "{verb: merge, properties: [{name: State, value: void}]}"},
	} {
		for _, verify := range []bool{true, false}[:resultstest.Cases(1, 2)] {
			w, record := kept(t, ordered(t, "copied", "arrivals: {constant: 60}, for: 5s, operations: ["+row.operation+"]"), verify)
			of := homesOf(w, "void")
			assert.Truef(t, of.own >= 150 && of == homes{of.own, of.own, of.own}, "%s: %+v were written; want as many of each", row.name, of)
			assert.Equal(t, homes{400, 400, 400}, homesOf(w, ""), row.name)
			assert.Falsef(t, verify && (record.Audit.Acknowledged != 300 || record.Audit.Lost+record.Audit.Overwritten > 0 || record.Audit.Keys != int64(of.own)),
				"%s: the audit is %+v; want 300 writes of %d entities, and nothing lost", row.name, record.Audit, of.own)
		}
	}
}

// Where nothing was loaded, a write of what need not be there writes something new.
func TestUpsertsInsertWithoutLoad(t *testing.T) {
	for _, row := range []struct{ design, operation string }{
		{"copied", "{verb: insert-or-replace}"},
		{"copied", "{verb: insert-or-merge, properties: [{name: State, value: new}]}"},
		{"customer", "{verb: insert-or-merge, read_first: true, properties: [{name: State, value: new}]}"},
	} {
		s := ordered(t, row.design, "arrivals: {constant: 60}, for: 5s, operations: ["+row.operation+"]")
		s.Phases = s.Phases[1:]
		w, record := kept(t, s, false)
		assert.Equal(t, 300, homesOf(w, "").own, row.operation)
		assert.Zero(t, record.Total(results.Reported).Failed, row.operation)
	}
}

// Who looks for an entity that came to nothing, or was deleted, this phase or the one
// before, finds none: that is no failure.
func TestMissingEntityIsExpected(t *testing.T) {
	for _, row := range []struct{ design, name, first, second string }{
		{"hour", "an insert that was throttled", "{verb: insert}, {verb: get, of: latest}, {verb: merge, of: {latest: 5}, properties: [{name: State, value: void}]}", "{verb: get}"},
		{"hour", "deleted beside it", "{verb: delete}, {verb: get}, {verb: replace}", "{verb: insert}"},
		{"hour", "deleted before", "{verb: delete}", "{verb: get}, {verb: replace}"},
		{"copied", "a copy that some writes leave out", "{verb: insert}, {name: newest, verb: get, by: [id], of: latest}, {verb: delete}", "{verb: get}"},
	} {
		text := fmt.Sprintf(orders, row.design, "arrivals: {constant: 200}, for: 5s, operations: ["+row.first+"]") +
			"  - {name: after, traffic: {arrivals: {constant: 50}, for: 3s, operations: [" + row.second + "]}}\n"
		handled := int64(0)
		for _, phase := range simulated(t, parsed(t, text, "retry=none")).Phases {
			for j := range phase.Kinds {
				assert.Zerof(t, phase.Kinds[j].Failed, "%s: attempts of the phase %s", row.name, phase.Name)
				handled += phase.Kinds[j].Handled
			}
		}
		assert.Truef(t, handled != 0, "%s: every operation found its entity; want some that did not", row.name)
	}
}

// What a copy does not keep is not merged into it, and what a merge leaves alone it
// leaves alone in the copies.
func TestPartialCopiesAfterMerges(t *testing.T) {
	for _, row := range []struct {
		name, properties string
		// each is how many homes are written.
		each int64
	}{
		{"one copy keeps none of it", "[{name: Note, value: paid}]", 2},
		{"one keeps two of three", `[{name: State, value: void}, {name: Customer, type: Int64, value: "777"}, {name: Note, value: paid}]`, 3},
	} {
		w, record := kept(t, ordered(t, "copied", "arrivals: {constant: 60}, for: 5s, operations: [{verb: merge, properties: "+row.properties+"}]"), false)
		k, want := kindOf(t, record, "merge"), 300*row.each
		assert.Equal(t, [3]int64{want, want, want}, [3]int64{k.Attempts, k.Offered, k.Served}, row.name)
		merged := 0
		for _, table := range []string{"orders", "ordersByState"} {
			for key, one := range w.engine.Entities(w.accounts[0], table) {
				_, noted := one.Lookup("Note")
				_, placed := one.Lookup("Placed")
				customer, some := one.Lookup("Customer")
				state, _ := one.Lookup("State")
				own := table == "orders"
				if some && (placed != own || noted && !own || row.each == 3 && (customer.Int() == 777) != (state.Text() == "void")) {
					t.Fatalf("%s: %v of %s has a note: %v, when it was placed: %v, and the customer %d in the state %q", row.name, key, table, noted, placed, customer.Int(), state.Text())
				}
				if noted || state.Text() == "void" {
					merged++
				}
			}
		}
		assert.Truef(t, merged >= 400, "%s: %d entities and copies were merged; want most", row.name, merged)
	}
}

// What a phase before has inserted is there for the next: it is chosen and counted.
func TestPhasesSeeEarlierInserts(t *testing.T) {
	const first = "arrivals: {constant: 100}, for: 10s, drain: 1s, operations: [{verb: insert, weight: 3}, {verb: batch, entities: 5, together: [customer]}]"
	record := simulated(t, unlimited(t, parsed(t, fmt.Sprintf(orders, "customer", first)+`  - name: between
    load: {entities: 100}
  - name: after
    traffic: {arrivals: {constant: 20}, for: 5s, operations: [{verb: get}, {name: newest, verb: get, of: {latest: 50}}, {name: all, verb: query, class: table-scan}]}
`)))
	require.Empty(t, verdict.Books(record))
	k := kindOf(t, record, "all")
	assert.InEpsilon(t, k.Served, k.Offered, .01)
	for _, name := range []string{"get", "newest"} {
		k := kindOf(t, record, name)
		assert.Truef(t, k.Handled == 0 && k.Operations > 0, "%s: %d of %d found nothing", name, k.Handled, k.Operations)
	}
}

// Over several accounts every request of event traffic has one partition and goes where
// that lies, with its copies.
func TestEventTrafficOverAccounts(t *testing.T) {
	s := unlimited(t, ordered(t, "copied", `arrivals: {constant: 100}, for: 5s, operations: [{verb: insert}, {verb: batch, entities: 4, together: [customer]}, `+
		`{verb: query, by: [customer], top: 10}, {name: pay, verb: merge, by: [state, id], properties: [{name: State, value: paid}]}, `+
		`{verb: delete, by: [id]}, {verb: get, of: latest}, {verb: replace}]`))
	set(t, s, "accounts={number: 3}")
	record := recorded(t, newWorld(t, s, nil).run(t, campaign.Options{Scenario: s, Table: "races", Verify: true, NewName: true}))
	assert.Empty(t, verdict.Books(record))
	sum := record.Total(results.Reported)
	assert.Truef(t, sum.Failed+sum.Throttled <= 0 && sum.Operations == 500 && record.Audit.Lost <= 0,
		"%d operations, %d attempts failed and %d were throttled, the audit is %+v; want 500 and nothing lost", sum.Operations, sum.Failed, sum.Throttled, record.Audit)
}

// What explains a question that is asked of each bucket says of it what a run then does:
// eight requests, of one partition each, and no more counted than lies there.
func TestBucketedQueryReadsEachBucket(t *testing.T) {
	s := unlimited(t, ordered(t, "buckets", "arrivals: {constant: 20}, for: 10s, operations: [{name: state, verb: query, by: [hour, state]}]"))
	record := simulated(t, s)
	k := kindOf(t, record, "state")
	assert.Truef(t, k.Attempts == 8*k.Operations && k.Counted <= k.Returned+8*k.Operations,
		"%d operations made %d requests, counted %d and returned %d; want 8 requests each, and no more counted than returned and one of each bucket", k.Operations, k.Attempts, k.Counted, k.Returned)
	p, err := planned(t, campaign.Options{Scenario: s, Table: "orders", NewName: true}).Preview(1)
	require.NoError(t, err)
	touched, due, told := 0, int64(0), int64(0)
	for i := range p.Count() {
		_, entities := p.Operation(i, "orders", func(touch campaign.Touch) {
			touched++
			told += touch.Entities
			require.Truef(t, touch.Entities >= 1,
				"operation %d counts %d entities in %q; want one at least", i, touch.Entities, touch.Key.Partition)
		})
		due += entities
	}
	if a := p.Approaches()[0]; touched != int(k.Attempts) || due != told || a.Queries != 8 || a.Class != filter.ClassRowRange {
		t.Errorf("Preview: %d partitions are touched, %d of %d entities in them, by %d queries of a %s; want %d, all, 8 and a row range", touched, told, due, a.Queries, a.Class, k.Attempts)
	}
	assert.InEpsilon(t, k.Counted, due, 0.02, "the entities of the preview are those that the run counted")
}

// A point is read from the home of its entity whose keys the reader can form: what is
// asked for is there, and each read counts one entity.
func TestPointReadsUseKnownKeys(t *testing.T) {
	for _, row := range []struct{ sentence, design, by string }{
		{"in the table of a copy", "copied", "[id]"},
		{"beside the entity", "beside", "[customer, id]"},
		{"where the entity itself is", "customer", "[customer, at, id]"},
		{"by more than the keys tell", "hour", "[state, at, id]"},
	} {
		record := simulated(t, ordered(t, row.design, "arrivals: {constant: 40}, for: 2s, operations: [{verb: get, by: "+row.by+"}]"))
		all := record.Total(results.Reported)
		assert.Empty(t, verdict.Books(record), row.sentence)
		assert.Equal(t, [5]int64{80, 80, 0, 80, 80}, [5]int64{all.Attempts, all.Ok, all.Handled, all.Counted, all.Returned}, row.sentence)
	}
}

// Clients that have so many operations to do do them all, one right after another, and
// the phase lasts until they are done.
func TestCountedLoopEndsAfterItsOperations(t *testing.T) {
	lengths := map[string]time.Duration{}
	for _, clients := range []string{"1", "8"} {
		record := simulated(t, unlimited(t, ordered(t, "customer", "clients: "+clients+", count: 400, operations: [{verb: get}]")))
		k := kindOf(t, record, "get")
		assert.Equal(t, [4]int64{400, 400, 400, 0}, [4]int64{k.Scheduled, k.Operations, k.Attempts, k.Dropped})
		phase := reported(t, record)
		lengths[clients] = phase.End - phase.Begin
	}
	// A read takes 4 ms on the average.
	assert.InDelta(t, 1600*time.Millisecond, lengths["1"], float64(400*time.Millisecond))
	assert.InDelta(t, 7.75, float64(lengths["1"])/float64(lengths["8"]), .75, "eight take an eighth")
}

// What its partitions serve is theirs however long a loop of so many operations lasts: also
// what comes later than was reckoned with.
func TestCountedLoopRecordsPartitions(t *testing.T) {
	phase := reported(t, simulated(t, unlimited(t, ordered(t, "customer", "clients: 2, count: 2, operations: [{workflow: read-set, with: {sets: 2}}]"))))
	assert.Truef(t, len(phase.Offered) != 0 && slices.Equal(phase.Partitions, phase.Offered),
		"partitions served %v; want what was asked of them, %v", phase.Partitions, phase.Offered)
}

// Before it runs, a loop of so many operations is known by their number, and what a
// workflow does by what it reads.
func TestPreviewOfACountedLoop(t *testing.T) {
	s := ordered(t, "customer", "clients: 4, count: 40, operations: [{workflow: read-set, with: {sets: 1000}}]")
	p, err := planned(t, campaign.Options{Scenario: s, Table: "orders"}).Preview(1)
	require.NoError(t, err)
	assert.Equal(t, "40 50ms 10ms", fmt.Sprint(p.Count(), " ", p.Length, " ", p.DueTime(8)))
	assert.Equal(t, filter.ClassPartitionScan, p.Approaches()[0].Class, "a workflow that reads partitions has the class")
}

// What a workflow's queries read is due, of each partition what it holds: of fifty
// employees to a department all, in the one where they lie, and as many as nobody knows
// of where only the workflow itself writes.
func TestWorkflowDueEntities(t *testing.T) {
	for _, row := range []struct {
		use     string
		touches int
	}{{"together", 1}, {"apart", 2}} {
		s := builtin(t, "one-to-many-partition", "use="+row.use)
		preview, err := planned(t, campaign.Options{Scenario: s, Table: "company"}).Preview(1)
		require.NoError(t, err)
		reads := 0
		for k := range uint64(100) {
			var touches []campaign.Touch
			kind, due := preview.Operation(k, "company", func(touch campaign.Touch) { touches = append(touches, touch) })
			if kind != 1 {
				continue
			}
			reads++
			assert.Truef(t, due >= 30 && due <= 90 && len(touches) == row.touches && touches[0].Entities == due-int64(row.touches-1),
				"%s, operation %d: %d are due, %+v; want the fifty or so of a department", row.use, k, due, touches)
		}
		assert.Truef(t, reads >= 30, "%s: %d of 100 operations read; want about half", row.use, reads)
	}
}
