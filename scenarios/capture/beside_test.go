package capture_test

import (
	"fmt"
	"testing"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/rest"
	"loadgen/report/live"
	"loadgen/results"
	"loadgen/scenarios/capture"
)

// Who stands beside is told the same as the record: as many operations and attempts, and the
// same heat, that of partitions which a query crosses among it.
func TestWhoStandsBesideIsToldTheSame(t *testing.T) {
	s, stats := open(t, capture.Options{}), live.New()
	s.observer.Tell(stats)
	for i := range 10 {
		at := time.Duration(i) * 10 * time.Millisecond
		s.saw(insert(at, "races", "Full", fmt.Sprint(i)))
		s.saw(named(throttled(insert(at, "races", "Half", fmt.Sprint(i))), fmt.Sprint("id ", i)))
	}
	for i := range 10 {
		s.saw(named(insert(200*time.Millisecond, "races", "Half", fmt.Sprint(i)), fmt.Sprint("id ", i)))
	}
	s.saw(rest.Seen{Arrived: 300 * ms, Done: 310 * ms, Verb: entity.Query, Table: "races", Status: 200, Counted: 30, Returned: 1,
		Spans: []rest.Span{{PartitionKey: "Full", Counted: 10}, {PartitionKey: "Third", Counted: 20}}, Class: "table scan"})
	costliest := s.observer.Costliest(1)
	record := s.end()
	told, second := stats.Totals(), stats.Second(0)
	phase := record.Total(func(*results.Phase, results.Kind) bool { return true })
	if told.Scheduled != phase.Scheduled || told.Attempts != phase.Attempts || told.Ok != phase.Ok || told.Throttled != phase.Throttled || told.Operations != phase.Scheduled {
		t.Errorf("told of %+v; the record has %d operations and %d attempts, %d ok, %d throttled", told, phase.Scheduled, phase.Attempts, phase.Ok, phase.Throttled)
	}
	heat := make(map[string][2]int64)
	for _, w := range second.Warmest {
		heat[w.Name] = [2]int64{w.Served, w.Throttled}
	}
	want := map[string][2]int64{"Full (table races)": {20, 0}, "Half (table races)": {10, 10}, "Third (table races)": {20, 0}}
	for name, one := range want {
		if heat[name] != one {
			t.Errorf("the heat of %s is %v; want %v served and throttled", name, heat[name], one)
		}
	}
	if len(heat) != len(want) {
		t.Errorf("the heat is %v; want that of three partitions", heat)
	}
	if len(costliest) != 1 || costliest[0] != record.Capture.Shapes[0] && costliest[0].Scanned != 30 {
		t.Errorf("the costliest query is %+v; the record has %+v", costliest, record.Capture.Shapes)
	}
}
