package report

import (
	"strings"
	"testing"
	"time"

	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
)

// generated is the record of two seconds of a generator, of which one was looked
// at: 500 attempts in a fifth of a second of CPU.
func generated(change func(*results.Record)) *results.Record {
	free := int64(201)
	busiest := &results.Health{Second: 1, Lasted: time.Second, CPU: 200 * time.Millisecond, StoodStill: 25 * time.Millisecond}
	record := &results.Record{
		Manifest:  results.Manifest{Target: results.Embedded},
		Intervals: []results.Interval{{Second: 0, Attempts: 900}, {Second: 1, Attempts: 500, Generator: busiest}},
		Generator: &results.Generator{
			Ceiling: &results.Ceiling{Over: results.OverHTTP, Lanes: 64, Operations: 13_440, Took: 400 * time.Millisecond, CPU: 762 * time.Millisecond},
			Cores:   2, Workers: 256, CPUKnown: true, Seconds: 1, CPU: 200 * time.Millisecond,
			Pauses: 1420 * time.Microsecond, LongestPause: 786 * time.Microsecond,
			StoodStill: 30 * time.Millisecond, LongestStill: 25 * time.Millisecond,
			LeastFree: &free, Goroutines: 1324, Heap: 26 << 20, Busiest: busiest,
		}}
	if change != nil {
		change(record)
	}
	return record
}

func TestGeneratorBesideTheBooks(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*results.Record)
		want   string
	}{
		{"all that there is to tell", nil, "Generator\n" +
			"  ceiling: 33,600 operations/s flat out, 64 under way, at a server of this process that answers at once; CPU:\n" +
			"  56.7 µs an operation\n" +
			"  CPU: 10.0 % of 2 cores, 10.0 % in the busiest second, 400 µs an attempt, the engine's part included; heap:\n" +
			"  26 MiB at most; goroutines: 1,324 at most\n" +
			"  GC pauses: 1.42 ms in all, longest 0.786 ms; stood still: 30.0 ms in all, longest 25.0 ms; free workers: 201\n" +
			"  of 256 at least\n"},
		{"a target of its own, called directly, on a system that tells less", func(r *results.Record) {
			r.Manifest.Target, r.Generator.Ceiling.Over, r.Generator.CPUKnown, r.Generator.LeastFree = "https://t", results.OverNothing, false, nil
		}, "Generator\n" +
			"  ceiling: 33,600 operations/s flat out, 64 under way, at a target that answers at once\n" +
			"  CPU: this system does not tell; heap: 26 MiB at most; goroutines: 1,324 at most\n" +
			"  GC pauses: 1.42 ms in all, longest 0.786 ms; stood still: 30.0 ms in all, longest 25.0 ms\n"},
		{"another's service", func(r *results.Record) { r.Manifest.Target, r.Generator.Ceiling = "https://t", nil }, "Generator\n" +
			"  CPU: 10.0 % of 2 cores, 10.0 % in the busiest second, 400 µs an attempt; heap: 26 MiB at most; goroutines:\n" +
			"  1,324 at most\n" +
			"  GC pauses: 1.42 ms in all, longest 0.786 ms; stood still: 30.0 ms in all, longest 25.0 ms; free workers: 201\n" +
			"  of 256 at least\n"},
		{"a target that answered nothing seven times, and a second that was late", func(r *results.Record) {
			r.Phases = []results.Phase{{End: 2 * time.Second, Reported: true}}
			r.Intervals[1].Sent, r.Intervals[1].Late = 500, 300
			for i := range 7 {
				from := time.Second + time.Duration(i)*time.Second/2
				r.Intervals[1].Generator.Unanswered = append(r.Intervals[1].Generator.Unanswered,
					results.Stretch{From: from, To: from + 300*time.Millisecond, Waiting: 9})
			}
		}, "  of 256 at least\n" +
			"  late in 1 of 2 seconds: the process was not run in 1\n"},
		{"no attempt", func(r *results.Record) { r.Intervals, r.Generator.Ceiling = nil, nil }, "– µs an attempt"},
		{"a second that was too short", func(r *results.Record) { r.Generator.Seconds, r.Generator.Ceiling = 0, nil },
			"Generator\n  the run was too short to look at it: no whole second\n"},
		{"nobody looked", func(r *results.Record) { r.Generator = nil }, ""},
	} {
		a := &author{record: generated(row.change)}
		a.generator()
		d := &document.Document{Sections: a.sections}
		if got := string(text.Write(d, text.Look{Verbose: true, Columns: 110})); got != row.want && (row.want == "" || !strings.Contains(got, row.want)) {
			t.Errorf("%s: the page says\n%s\nwant\n%s", row.name, got, row.want)
		}
	}
}

// Five of the times in which a target answered nothing are told, and how many more.
func TestSilencesOfTheTarget(t *testing.T) {
	a := &author{summary: &results.Summary{Validity: results.Valid}, record: generated(func(r *results.Record) {
		r.Phases = []results.Phase{{End: 2 * time.Second, Reported: true}}
		for i := range 7 {
			from := time.Second + time.Duration(i)*time.Second/2
			r.Intervals[1].Generator.Unanswered = append(r.Intervals[1].Generator.Unanswered,
				results.Stretch{From: from, To: from + 300*time.Millisecond, Waiting: 9})
		}
	})}
	a.verdict()
	got := strings.Join(a.sections[0].Blocks[2].(document.List).Items, "; ")
	want := "the target answered nothing from 1.0 to 1.3 s; the target answered nothing from 1.5 to 1.8 s; " +
		"the target answered nothing from 2.0 to 2.3 s; the target answered nothing from 2.5 to 2.8 s; " +
		"the target answered nothing from 3.0 to 3.3 s; and 2 times more"
	if got != want {
		t.Errorf("silences = %q; want %q", got, want)
	}
}
