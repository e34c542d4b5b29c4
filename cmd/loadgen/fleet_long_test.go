//go:build long

package main

import (
	"slices"
	"testing"
	"time"

	"loadgen/results"
)

// Ten minutes with sixteen members: neither the goroutines nor the memory of any grow. The
// third minute is held against the last, by the median of its seconds.
func TestSixteenMembersForTenMinutes(t *testing.T) {
	record := fleetRun(t, binary(t), 16, 160, "10m", 15*time.Minute)
	if record.Validity != results.Valid || len(record.Manifest.Fleet.Members) != 16 {
		t.Fatalf("the run is %s, %v; want a valid one of sixteen", record.Validity, record.Reasons)
	}
	goroutines := func(h *results.Health) int64 { return h.Goroutines }
	heap := func(h *results.Health) int64 { return h.Heap }
	for _, one := range []struct {
		name string
		of   func(*results.Health) int64
		more float64
	}{{"goroutines", goroutines, 1.05}, {"bytes of heap", heap, 1.25}} {
		early, late := inMinute(record, 2, one.of), inMinute(record, 9, one.of)
		t.Logf("%s: %d in the third minute, %d in the tenth", one.name, early, late)
		if float64(late) > one.more*float64(early) {
			t.Errorf("%s: %d in the third minute, %d in the tenth; want no growth", one.name, early, late)
		}
	}
}

// inMinute returns the median of a minute's seconds.
func inMinute(record *results.Record, minute int64, of func(*results.Health) int64) int64 {
	var list []int64
	for i := range record.Intervals {
		if one := &record.Intervals[i]; one.Second/60 == minute && one.Generator != nil {
			list = append(list, of(one.Generator))
		}
	}
	slices.Sort(list)
	return list[len(list)/2]
}
