package campaign_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/filter"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/campaign"
)

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

// What an operation is due to write beside its entity is offered to the partitions where
// that lies, whatever it began with: what is offered to each is what each serves.
func TestCopiesAreOfferedWhereTheyLie(t *testing.T) {
	lists := []string{"{verb: insert}", "{verb: batch, entities: 3, together: [customer]}, {verb: replace}", "{verb: merge, by: [id], properties: [{name: State, value: void}]}",
		"{verb: replace, by: [at]}", "{verb: merge, read_first: true, properties: [{name: State, value: void}]}", "{verb: query, by: [customer], top: 3}"}
	for _, operations := range spread(lists, tier(2, len(lists))) {
		design := "copied"
		if strings.Contains(operations, "read_first") {
			design = "customer"
		}
		s := unlimited(t, ordered(t, design, "arrivals: {constant: 50}, for: 10s, operations: ["+operations+"]"))
		// Few partitions, so that all of them are named.
		set(t, s, `attributes.customer={list: ["1", "2"]}`, "designs.copied.copies.state.partition_key={state}", "designs.copied.copies.number.partition_key=id_{hash(id,2)}")
		phase := reported(t, simulated(t, s))
		served, sum := map[string]int64{}, phase.OfferedOver
		for _, one := range phase.Partitions {
			served[results.PartitionName(one.Table, one.Key)] = one.Entities
		}
		for _, one := range phase.Offered {
			sum += one.Entities
			if off := math.Abs(float64(one.Entities - served[results.PartitionName(one.Table, one.Key)])); off > 0.03*float64(one.Entities)+3 && !strings.Contains(operations, "[at]") {
				t.Errorf("%s: %q was offered %d entities and served %d; want the same", operations, one.Key, one.Entities, served[results.PartitionName(one.Table, one.Key)])
			}
		}
		whole := int64(0)
		for i := range phase.Kinds {
			whole += phase.Kinds[i].Offered
		}
		assert.Truef(t, (strings.Contains(operations, "[at]") || sum == whole) && sum != 0 && len(phase.Offered) >= 2,
			"%s: the partitions were offered %d of %d; want all", operations, sum, whole)
	}
}

// What explains a question that is asked of each bucket says of it what a run then does:
// eight requests, of one partition each, and no more counted than lies there.
func TestEachBucketIsAskedByItself(t *testing.T) {
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
func TestPointsAreReadWhereTheirKeysAreKnown(t *testing.T) {
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
func TestACountedLoopLastsAsLongAsItsOperations(t *testing.T) {
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
func TestACountedLoopTellsOfItsPartitions(t *testing.T) {
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
	assert.Equal(t, "40 50ms 10ms", fmt.Sprint(p.Count(), " ", p.Length, " ", p.At(8)))
	assert.Equal(t, filter.ClassPartitionScan, p.Approaches()[0].Class, "a workflow that reads partitions has the class")
}

// What a workflow's queries read is due, of each partition what it holds: of fifty
// employees to a department all, in the one where they lie, and as many as nobody knows
// of where only the workflow itself writes.
func TestWorkflowsAreDueWhatTheirQueriesRead(t *testing.T) {
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
