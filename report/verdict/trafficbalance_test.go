package verdict_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// What is said of load balancing is when it first did something, why, and the shares of the
// seconds that lie wholly before its first step and after its last.
func TestLoadBalancingUnderOutsideTraffic(t *testing.T) {
	split := results.Event{At: int64(4200 * time.Millisecond), What: results.RangeSplit,
		Decision: &results.Decision{Table: "Races", Key: "m", Reason: "overloaded", Overloaded: 3 * time.Second, Until: 4700 * time.Millisecond}}
	move := results.Event{At: int64(6 * time.Second), What: results.RangeMoved, Decision: &results.Decision{Table: "Races", Reason: "overloaded", Until: 8500 * time.Millisecond}}
	kept := results.Event{At: int64(time.Second), What: results.RangeKept, Decision: &results.Decision{Table: "Races", Reason: "one key"}}
	// Of each second a tenth more is throttled than of the one before.
	seconds := func(count int) (list []results.Interval) {
		for n := range count {
			list = append(list, results.Interval{Second: int64(n), Counts: results.Counts{Attempts: 100, Throttled: int64(10 * (n % 10))}})
		}
		return list
	}
	for _, row := range []struct {
		sentence, start string
		capture         *results.Capture
		events          []results.Event
		lasts           int
		want            string
	}{
		{"a warm service", "warm", new(results.Capture), nil, 5, ""},
		{"a run of one's own", "cold", nil, []results.Event{split}, 5, ""},
		{"nothing was done", "cold", new(results.Capture), []results.Event{kept}, 5, "did nothing"},
		{"a split, and a record that ends before it is done", "cold", new(results.Capture), []results.Event{kept, split}, 5,
			`1 split, no move and no merge|15.0 %`},
		{"a split and a move", "cold", new(results.Capture), []results.Event{split, move}, 20,
			"1 split, 1 move and no merge|15.0 %|45.0 %"},
	} {
		record := &results.Record{Capture: row.capture, Events: row.events, Phases: []results.Phase{{Begin: time.Second}}, Duration: time.Duration(row.lasts) * time.Second}
		record.Intervals = seconds(row.lasts)
		record.Manifest.Start = row.start
		record.Validity = results.Valid
		record.Manifest.Operations = nil
		told := answer(record, &results.Summary{Validity: results.Valid, Soundness: results.CannotTell})
		got := strings.Join(slices.DeleteFunc(told.Says, func(said string) bool { return !strings.Contains(said, "Load balancing") }), " ")
		assert.Equalf(t, row.want == "", got == "", "%s: %q; want %q", row.sentence, got, row.want)
		resultstest.CheckWords(t, row.sentence, got, row.want)
	}
}
