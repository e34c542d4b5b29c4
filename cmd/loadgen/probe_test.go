package main

import (
	"testing"

	"loadgen/results"
)

// What a run tells of its generator is in its record.
func TestRunTellsOfItsGenerator(t *testing.T) {
	leftOutWhenShort(t)
	code, stdout, stderr, folder := bubble(t, 0, append([]string{"stress", "--format", "json"}, small...)...)
	if code != codeOk {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	record := read(t, folder)
	g := record.Generator
	if g == nil || g.Seconds < 7 || g.LeastFree == nil || *g.LeastFree < 0 || *g.LeastFree >= int64(g.Workers) || g.Workers != 16_384 || g.Ceiling != nil {
		t.Fatalf("generator = %+v; want that of seven seconds and more on 16,384 workers, of which some were busy", g)
	}
	if g.StoodStill != 0 || decode(t, []byte(stdout)).Validity != results.Valid {
		t.Errorf("stood still for %v, %s; want a bubble's clock to be prompt and the run valid", g.StoodStill, stdout)
	}
	looked := 0
	for _, row := range record.Intervals {
		if row.Generator != nil {
			looked++
		}
	}
	if int64(looked) != g.Seconds {
		t.Errorf("%d seconds tell of the generator, the record of %d; want the same", looked, g.Seconds)
	}
}
