package drive_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

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
			w.Operation.Changes = []entity.Change{change, {Verb: entity.Delete, Key: key}, change}
		}
		stage := closedStage(backoff.Policy{}, 1, 1, time.Minute)
		stage.Build = func(_ uint64, built *drive.Work) { *built = w }
		answer := target.Outcome{Status: row.status, BytesOut: 70, BytesIn: 30}
		sum := virtually(t, targettest.After(time.Millisecond, targettest.Always(answer)), stage).sum
		assert.Truef(t, sum.Stored == row.want && sum.BytesOut == 70 && sum.BytesIn == 30,
			"%v answered %d: stored %d, sent %d, received %d bytes; want %d, 70, 30", row.verb, row.status, sum.Stored, sum.BytesOut, sum.BytesIn, row.want)
	}
}

// Of a query of ten entities in two pages the second is throttled at first: that demanded what
// the query had yet to read. Each request lands in the second in which it ended, and is under
// way until then.
func TestHeatOfAThrottledPage(t *testing.T) {
	calls := 0
	pager := targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
		switch calls++; calls {
		case 1:
			next := target.Token{Present: true, NextPartitionKey: "p", NextRowKey: "5"}
			return target.Outcome{Status: 200, Counted: 4, Next: next}, now.Add(time.Millisecond)
		case 2:
			return targettest.Busy(op), now.Add(1500 * time.Millisecond)
		default:
			return target.Outcome{Status: 200, Counted: 6}, now.Add(time.Millisecond)
		}
	})
	stage := closedStage(retrying(1, 700*time.Millisecond), 1, 1, time.Minute)
	stage.Table = "Races"
	stage.Build = func(_ uint64, w *drive.Work) {
		w.Operation = target.Operation{Verb: entity.Query, Table: "RacesByState", Query: target.OnePartition("p")}
		w.Pages, w.Offers = true, 10
	}
	all := virtually(t, pager, stage)
	want := []results.HeatRow{{Table: "ByState", Key: "p", HeatCells: results.HeatCells{
		Served: []int64{4, 0, 6}, Throttled: []int64{0, 1, 0}, Demanded: []int64{4, 6, 6}}}}
	if diff := cmp.Diff(want, all.Heat.Rows); diff != "" {
		t.Errorf("the map differs (-want +got):\n%s", diff)
	}
	var flying []int64
	for _, i := range all.Intervals {
		flying = append(flying, i.InFlight)
	}
	assert.Truef(t, slices.Equal(flying, []int64{1, 0, 0}),
		"%v attempts were under way at the ends of the seconds; want 1, 0, 0", flying)
}
