package campaign_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// warmth is what went to one place.
type warmth struct{ served, throttled, failed, demanded int64 }

// thermometer is a target that notes by table and PartitionKey what it is asked for, and
// what it answered.
type thermometer struct {
	target.Immediate
	table string
	seen  map[[2]string]*warmth
	// whole is what went to no single partition.
	whole warmth
}

func (m *thermometer) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, done := m.Immediate.Submit(now, op)
	at := &m.whole
	if key, one := op.PartitionKey(); one {
		place := [2]string{op.Table[len(m.table):], key}
		if m.seen[place] == nil {
			m.seen[place] = new(warmth)
		}
		at = m.seen[place]
	}
	switch outcome.Class(target.Expected{NotFound: true, Conflict: true, Precondition: true}) {
	case results.Ok:
		at.served += outcome.Counted
		at.demanded += outcome.Counted
	case results.Throttled:
		at.throttled++
		at.demanded += op.Entities()
	default:
		at.failed++
	}
	return outcome, done
}

// sum adds a list up.
func sum(list []int64) (all int64) {
	for _, n := range list {
		all += n
	}
	return all
}

func warmthOf(c *results.HeatCells) *warmth {
	return &warmth{sum(c.Served), sum(c.Throttled), sum(c.Failed), sum(c.Demanded)}
}

// The heat map of a run is what the target saw: by table and PartitionKey, throttled writes
// of copies and retries included.
func TestHeatIsWhatTheTargetSaw(t *testing.T) {
	for _, row := range []struct{ name, design, operations string }{
		{"one partition at a time", "hour", "{verb: insert, weight: 3}, {verb: replace}"},
		{"a transaction", "customer", "{verb: batch, entities: 7, together: [customer]}, {verb: get}"},
		{"copies in the same table and in another", "copied", "{verb: insert}, {verb: merge, properties: [{name: State, value: void}]}, {verb: batch, entities: 4, together: [customer]}"},
		{"copies in the entity's own partition", "beside", "{verb: insert}, {verb: delete}"},
		{"a search before the write", "customer", "{verb: merge, by: [customer], properties: [{name: State, value: void}]}"},
		{"a read before the write", "customer", "{verb: merge, read_first: true, properties: [{name: State, value: void}]}"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := ordered(t, row.design, "arrivals: {constant: 300}, for: 6s, drain: 5s, operations: ["+row.operations+"]")
			set(t, s, "model.partition_target=40", "attributes.customer={zipf: {of: 40, exponent: 1.5}}")
			w := newWorld(t, s, nil)
			meter := &thermometer{Immediate: w.target, table: "orders", seen: make(map[[2]string]*warmth)}
			record, err := w.run(t, t.Context(), &drive.Virtual{Target: meter}, campaign.Options{Scenario: s, Table: "orders"})
			if err != nil {
				t.Fatal(err)
			}
			h := record.Heat
			if h == nil || len(meter.seen) > results.KeptRows {
				t.Fatalf("heat %v of %d partitions; want one, of few enough for a row each", h, len(meter.seen))
			}
			got := make(map[[2]string]*warmth)
			for i := range h.Rows {
				got[[2]string{h.Rows[i].Table, h.Rows[i].Key}] = warmthOf(&h.Rows[i].HeatCells)
			}
			if diff := cmp.Diff(meter.seen, got, cmp.AllowUnexported(warmth{})); diff != "" {
				t.Errorf("the map differs from what the target saw (-target +map):\n%s", diff)
			}
			if whole := *warmthOf(&h.Nowhere); whole != meter.whole {
				t.Errorf("nowhere has %+v; want %+v", whole, meter.whole)
			}
			all := record.Total(results.Everything)
			if all.Throttled < 50 {
				t.Errorf("%d were throttled; want enough for the test to say something", all.Throttled)
			}
			mapped := *warmthOf(&h.Rest)
			for _, one := range append(slices.Collect(valuesOf(got)), warmthOf(&h.Nowhere)) {
				mapped.served += one.served
				mapped.throttled += one.throttled
				mapped.failed += one.failed
			}
			if mapped.served != all.Served || mapped.throttled != all.Throttled || mapped.failed != all.Failed {
				t.Errorf("the map sums to %+v; want the totals: %d served, %d throttled, %d failed", mapped, all.Served, all.Throttled, all.Failed)
			}
			if last := record.Intervals[len(record.Intervals)-1]; last.InFlight != 0 {
				t.Errorf("%d attempts are under way at the end; want none", last.InFlight)
			}
		})
	}
}

// valuesOf returns the values of a map, in any order.
func valuesOf(m map[[2]string]*warmth) func(func(*warmth) bool) {
	return func(yield func(*warmth) bool) {
		for _, one := range m {
			if !yield(one) {
				return
			}
		}
	}
}

// A copy under the key of its entity, in another table, is a partition of its own: the
// two share no target, and their heat must not add up.
func TestOneKeyInTwoTablesIsTwoPartitions(t *testing.T) {
	s := unlimited(t, ordered(t, "copied", "arrivals: {constant: 100}, for: 5s, operations: [{verb: insert}]"))
	set(t, s, "attributes.customer={list: [\"1\"]}", "designs.copied.copies.state.partition_key={customer}", "designs.copied.copies.number.partition_key=id")
	r := carriedOut(t, s, false, nil)
	want := []results.PartitionStats{{Key: "1", Entities: 500, Busiest: 100}, {Table: "ByState", Key: "1", Entities: 500, Busiest: 100}, {Key: "id", Entities: 500, Busiest: 100}}
	phase := r.record.Phases[slices.IndexFunc(r.record.Phases, func(p results.Phase) bool { return p.Reported })]
	if diff := cmp.Diff(want, phase.Offered); diff != "" {
		t.Errorf("what partitions were offered differs (-want +got):\n%s", diff)
	}
	names := make(map[string]bool)
	for i := range phase.Partitions {
		names[results.PartitionName(phase.Partitions[i].Table, phase.Partitions[i].Key)] = true
	}
	if !names["1"] || !names["1 (table ByState)"] || !names["id"] || len(names) != 3 {
		t.Errorf("the partitions that served are %v; want 1, 1 (table ByState) and id", names)
	}
	shared := []results.SharesClass{{From: 64, Partitions: 3, Offered: 1500}}
	got := phase.Shares
	for i := range got {
		got[i].Served, got[i].Shares, got[i].Squares = 0, 0, 0
	}
	if diff := cmp.Diff(shared, got); diff != "" {
		t.Errorf("shares differ (-want +got):\n%s", diff)
	}
}

// What a run has written is what its tables hold, by the service's rule, where each entity
// is written once.
func TestStoredIsWhatTheTablesHold(t *testing.T) {
	for _, row := range []struct{ design, operations string }{
		{"customer", "{verb: insert}"},
		{"customer", "{verb: batch, entities: 5, together: [customer]}"},
		{"copied", "{verb: insert}, {verb: get}, {name: mine, verb: query, by: [customer], top: 3}"},
		{"beside", "{verb: insert}, {verb: batch, entities: 3, together: [customer]}"},
	} {
		s := unlimited(t, ordered(t, row.design, "arrivals: {constant: 60}, for: 4s, drain: 20s, operations: ["+row.operations+"]"))
		w := newWorld(t, s, nil)
		record, err := w.run(t, t.Context(), &drive.Virtual{Target: busy{w.target}}, campaign.Options{Scenario: s, Table: "orders", Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		tables := []string{"orders"}
		if row.design == "copied" {
			tables = append(tables, "ordersByState")
		}
		held := int64(0)
		for _, table := range tables {
			for _, one := range rows(t, w, table) {
				properties, err := one.Entity.Unpack(nil)
				if err != nil {
					t.Fatal(err)
				}
				held += int64(entity.Size(one.Key, properties))
			}
		}
		all := record.Total(results.Everything)
		if all.Stored != held || all.Failed > 0 || all.Throttled == 0 {
			t.Errorf("%s, %s: stored %d bytes, %d attempts failed and %d were throttled; want the %d that the tables hold, none failed, and some throttled",
				row.design, row.operations, all.Stored, all.Failed, all.Throttled, held)
		}
	}
}

// busy refuses the first attempt at every seventh operation.
type busy struct{ target.Immediate }

func (b busy) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	if op.Number%7 == 3 && op.Attempt == 0 {
		return target.Outcome{Status: 503, Code: entity.ServerBusy}, now.Add(time.Millisecond)
	}
	return b.Immediate.Submit(now, op)
}

// Deletes write nothing, merges what they bring, replaces all of the entity again; what
// was throttled, or was there already, was not written.
func TestStoredByVerb(t *testing.T) {
	properties := []entity.Property{{Name: "State", Value: entity.String("open")}}
	key := entity.Key{Partition: "p", Row: "r"}
	size := int64(entity.Size(key, properties))
	for _, row := range []struct {
		verb   entity.Verb
		status int
		want   int64
	}{
		{entity.Insert, 204, size}, {entity.InsertOrReplace, 204, size}, {entity.InsertOrMerge, 204, size}, {entity.Replace, 204, size},
		{entity.Merge, 204, size}, {entity.Delete, 204, 0}, {entity.Get, 200, 0}, {entity.Query, 200, 0}, {entity.Batch, 202, 2 * size},
		{entity.Insert, 503, 0}, {entity.Insert, 409, 0}, {entity.Batch, 503, 0}, {entity.CreateTable, 204, 0},
	} {
		change := entity.Change{Verb: row.verb, Key: key, Properties: properties}
		w := drive.Work{Operation: target.Operation{Verb: row.verb, Table: "Races", Change: change}, Expected: target.Expected{Conflict: true}}
		if row.verb == entity.Batch {
			change.Verb = entity.Insert
			gone := entity.Change{Verb: entity.Delete, Key: key}
			w.Operation.Changes = []entity.Change{change, gone, change}
		}
		stage := closedStage(backoff.Policy{Name: "none"}, 1, 1, time.Minute)
		stage.Build = func(_ uint64, built *drive.Work) { *built = w }
		record, _, err := outing(t, t.Context(), &drive.Virtual{Target: answering{target.Outcome{Status: row.status, BytesOut: 70, BytesIn: 30}}}, nil, stage)
		if err != nil {
			t.Fatal(err)
		}
		all := record.Total(results.Everything)
		if all.Stored != row.want || all.BytesOut != 70 || all.BytesIn != 30 {
			t.Errorf("%v answered %d: stored %d, sent %d, received %d bytes; want %d, 70, 30", row.verb, row.status, all.Stored, all.BytesOut, all.BytesIn, row.want)
		}
	}
}

// answering answers everything alike.
type answering struct{ outcome target.Outcome }

func (a answering) Submit(now clock.Instant, _ *target.Operation) (target.Outcome, clock.Instant) {
	return a.outcome, now.Add(time.Millisecond)
}

// pager answers a query of ten entities in two pages, of which the second is throttled at
// first.
type pager struct{ calls int }

func (p *pager) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	p.calls++
	switch p.calls {
	case 1:
		return target.Outcome{Status: 200, Counted: 4, Next: target.Token{Present: true, NextPartitionKey: "p", NextRowKey: "5"}}, now.Add(time.Millisecond)
	case 2:
		return target.Outcome{Status: 503, Code: entity.ServerBusy}, now.Add(1500 * time.Millisecond)
	default:
		return target.Outcome{Status: 200, Counted: 6}, now.Add(time.Millisecond)
	}
}

// A throttled page demanded what the query had yet to read. Each request lands in the second
// in which it ended, and is under way until then.
func TestHeatOfAThrottledPage(t *testing.T) {
	stage := closedStage(backoff.Policy{Name: "one", Retries: 1, Delay: backoff.Exponential{Base: 700 * time.Millisecond, Min: 700 * time.Millisecond, Max: 700 * time.Millisecond}}, 1, 1, time.Minute)
	stage.Table = "Races"
	stage.Build = func(_ uint64, w *drive.Work) {
		w.Operation = target.Operation{Verb: entity.Query, Table: "RacesByState", Query: target.OnePartition("p")}
		w.Pages, w.Offers = true, 10
	}
	record, _, err := outing(t, t.Context(), &drive.Virtual{Target: new(pager)}, nil, stage)
	if err != nil {
		t.Fatal(err)
	}
	want := []results.HeatRow{{Table: "ByState", Key: "p", HeatCells: results.HeatCells{
		Served: []int64{4, 0, 6}, Throttled: []int64{0, 1, 0}, Demanded: []int64{4, 6, 6}}}}
	if diff := cmp.Diff(want, record.Heat.Rows); diff != "" {
		t.Errorf("the map differs (-want +got):\n%s", diff)
	}
	var flying []int64
	for _, i := range record.Intervals {
		flying = append(flying, i.InFlight)
	}
	if !slices.Equal(flying, []int64{1, 0, 0}) {
		t.Errorf("%v attempts were under way at the ends of the seconds; want 1, 0, 0", flying)
	}
}

// Attempts under way at the end of each second, at a target that takes half a second: half
// of what is sent in one.
func TestAttemptsUnderWay(t *testing.T) {
	stage := openStage(t, backoff.Policy{Name: "none"}, time.Second, arrival.Step{Rate: 100, Length: 3 * time.Second})
	record, _, err := outing(t, t.Context(), &drive.Virtual{Target: lasting(500 * time.Millisecond)}, nil, stage)
	if err != nil {
		t.Fatal(err)
	}
	var flying, sent []string
	for _, i := range record.Intervals {
		flying = append(flying, strconv.FormatInt(i.InFlight, 10))
		sent = append(sent, strconv.FormatInt(i.Sent, 10))
	}
	if got := strings.Join(flying, " "); got != "50 50 50 0" || strings.Join(sent, " ") != "100 100 100 0" {
		t.Errorf("under way %s of %v sent; want 50 of 100 but for the last second", got, sent)
	}
}

// lasting answers everything after a time.
type lasting time.Duration

func (l lasting) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	return target.Outcome{Status: 204, Counted: op.Entities()}, now.Add(time.Duration(l))
}
