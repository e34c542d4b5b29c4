package verdict_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
)

// healthy is a run of a hundred seconds at 100 operations/s whose generator had
// all that it needs: half of its two cores, ten of its sixteen workers, and ten
// times the ceiling.
func healthy(t *testing.T) *results.Record {
	t.Helper()
	return afresh((&run{manifest: manifest(), serves: 2000, rates: []int{100}, seconds: 100}).record(t))
}

// afresh returns a copy of a healthy run that may be altered.
func afresh(played *results.Record) *results.Record {
	copied := *played
	record := &copied
	record.Intervals, record.Phases = slices.Clone(record.Intervals), slices.Clone(record.Phases)
	record.Phases[0].Kinds = slices.Clone(record.Phases[0].Kinds)
	free := int64(6)
	record.Generator = &results.Generator{Cores: 2, Workers: 16, CPUKnown: true, Seconds: 100, LeastFree: &free,
		Ceiling: &results.Ceiling{Lanes: 16, Operations: 1000, Took: time.Second, CPU: time.Second}}
	for i := range record.Intervals {
		record.Intervals[i].Generator = &results.Health{Second: int64(i), Lasted: time.Second, CPU: time.Second, FreeWorkers: &free}
	}
	return record
}

// late has so many operations of the record be late, by few milliseconds, and so
// many of each of its seconds.
func late(record *results.Record, all, each int64) {
	record.Phases[0].Kinds[1].Late = all
	for i := range record.Intervals {
		record.Intervals[i].Late = each
	}
}

// health seconds changes so many of the reported seconds, from the first on.
func healthSeconds(record *results.Record, seconds int, change func(*results.Interval, *results.Health)) {
	for i := range seconds {
		row := &record.Intervals[1+i]
		changed := *row.Generator
		row.Generator = &changed
		change(row, row.Generator)
	}
}

// crowd has so many seconds hold a number of attempts, which the last ones lack.
func crowd(record *results.Record, seconds int, attempts int64) {
	lender := 100
	for i := range seconds {
		for row := &record.Intervals[1+i]; row.Attempts < attempts; lender-- {
			lent := min(record.Intervals[lender].Attempts, attempts-row.Attempts)
			record.Intervals[lender].Attempts -= lent
			row.Attempts += lent
		}
	}
}

func TestClientSaturationsJustBelowAndJustAboveTheirBounds(t *testing.T) {
	played := healthy(t)
	none := int64(0)
	exhausted := func(_ *results.Interval, v *results.Health) { v.FreeWorkers = &none }
	full := func(_ *results.Interval, v *results.Health) { v.CPU = 1900 * time.Millisecond }
	for _, row := range []struct {
		name   string
		change func(*results.Record)
		reason string
	}{
		{"a healthy generator that was late with all", func(r *results.Record) { late(r, 10_000, 100) }, ""},
		{"no worker free in two seconds of a hundred", func(r *results.Record) { late(r, 101, 2); healthSeconds(r, 2, exhausted) },
			"in 2 of 100 seconds the generator sent late while none of its 16 workers was free"},
		{"no worker free in one of a hundred", func(r *results.Record) { late(r, 101, 2); healthSeconds(r, 1, exhausted) }, ""},
		{"no worker free while one of a hundred was late", func(r *results.Record) { late(r, 101, 1); healthSeconds(r, 100, exhausted) }, ""},
		{"no worker free, and one in a hundred late in all", func(r *results.Record) { late(r, 100, 2); healthSeconds(r, 100, exhausted) }, ""},
		{"one worker was free all the time", func(r *results.Record) {
			one := int64(1)
			late(r, 10_000, 100)
			healthSeconds(r, 100, func(_ *results.Interval, v *results.Health) { v.FreeWorkers = &one })
		}, ""},
		{"nobody knows of the workers", func(r *results.Record) {
			late(r, 10_000, 100)
			healthSeconds(r, 100, func(_ *results.Interval, v *results.Health) { v.FreeWorkers = nil })
		}, ""},
		{"what was exhausted outside the steps does not count", func(r *results.Record) {
			late(r, 10_000, 100)
			r.Intervals[0].Generator.FreeWorkers = &none
			for i := range r.Intervals[101:] {
				r.Intervals[101+i].Generator.FreeWorkers = &none
			}
		}, ""},
		{"just above four fifths of the ceiling", func(r *results.Record) {
			late(r, 101, 2)
			r.Generator.Ceiling.Operations = 1249
			r.Generator.Ceiling.Took = 10 * time.Second
		}, "in 100 of 100 seconds the generator sent late at more than 80.0 % of the 125 operations/s that it can send flat out"},
		{"at four fifths of the ceiling", func(r *results.Record) {
			late(r, 10_000, 100)
			r.Generator.Ceiling.Operations = 1250
			r.Generator.Ceiling.Took = 10 * time.Second
		}, ""},
		{"retries count against the ceiling", func(r *results.Record) {
			late(r, 101, 2)
			crowd(r, 2, 801)
		}, "in 2 of 100 seconds the generator sent late at more than 80.0 % of the 1,000 operations/s that it can send flat out"},
		{"retries up to it do not", func(r *results.Record) {
			late(r, 101, 2)
			crowd(r, 2, 800)
		}, ""},
		{"at the ceiling, and in time", func(r *results.Record) {
			late(r, 101, 1)
			r.Generator.Ceiling.Operations = 100
		}, ""},
		{"a ceiling that nobody tried", func(r *results.Record) { late(r, 10_000, 100); r.Generator.Ceiling = nil }, ""},
		{"a ceiling of nothing", func(r *results.Record) { late(r, 10_000, 100); r.Generator.Ceiling.Took = 0 }, ""},
		{"all of its CPU in two seconds", func(r *results.Record) { late(r, 101, 2); healthSeconds(r, 2, full) },
			"in 2 of 100 seconds the generator sent late while its process used all of the 2 cores it has"},
		{"all of its CPU in one second", func(r *results.Record) { late(r, 101, 2); healthSeconds(r, 1, full) }, ""},
		{"all of its CPU, and in time", func(r *results.Record) { late(r, 101, 1); healthSeconds(r, 100, full) }, ""},
		{"CPU alone is no doubt", func(r *results.Record) { late(r, 100, 1); healthSeconds(r, 100, full) }, ""},
		{"a little less than all of its CPU", func(r *results.Record) {
			late(r, 10_000, 100)
			healthSeconds(r, 100, func(_ *results.Interval, v *results.Health) { v.CPU = 1899 * time.Millisecond })
		}, ""},
		{"as much in a longer second", func(r *results.Record) {
			late(r, 10_000, 100)
			healthSeconds(r, 100, func(_ *results.Interval, v *results.Health) {
				v.CPU, v.Lasted = 1900*time.Millisecond, 1001*time.Millisecond
			})
		}, ""},
		{"stood still for a fifth of the time", func(r *results.Record) {
			late(r, 101, 1)
			healthSeconds(r, 100, func(_ *results.Interval, v *results.Health) { v.StoodStill = 200 * time.Millisecond })
		}, "the generator stood still for 20.0 % of the time, in which nothing was sent"},
		{"stood still for a little less", func(r *results.Record) {
			late(r, 10_000, 100)
			healthSeconds(r, 100, func(_ *results.Interval, v *results.Health) { v.StoodStill = 199 * time.Millisecond })
		}, ""},
		{"stood still while nothing was due", func(r *results.Record) {
			late(r, 100, 1)
			healthSeconds(r, 100, func(_ *results.Interval, v *results.Health) { v.StoodStill = time.Second })
		}, ""},
		{"nobody looked", func(r *results.Record) { late(r, 10_000, 100); healthSeconds(r, 100, exhausted); r.Generator = nil }, ""},
		{"nobody looked at any second", func(r *results.Record) {
			late(r, 10_000, 100)
			for i := range r.Intervals {
				r.Intervals[i].Generator = nil
			}
		}, ""},
	} {
		record := afresh(played)
		row.change(record)
		got := verdict.Judge(record)
		want, worth := []string{}, results.Valid
		if row.reason != "" {
			want, worth = []string{row.reason}, results.ClientLimited
		}
		if got.Validity != worth || !slices.Equal(got.Reasons, want) {
			t.Errorf("%s: validity = %s for %q; want %s for %q", row.name, got.Validity, got.Reasons, worth, want)
		}
		if row.reason != "" && !strings.Contains(got.Verdict, "served at least 100 entities/s") {
			t.Errorf("%s: verdict = %q; want what was served as a lower bound", row.name, got.Verdict)
		}
	}
}

func TestSeveralClientSaturationsAreAllTold(t *testing.T) {
	record := healthy(t)
	late(record, 10_000, 100)
	none := int64(0)
	record.Generator.Ceiling.Operations = 100
	healthSeconds(record, 100, func(_ *results.Interval, v *results.Health) {
		v.FreeWorkers, v.CPU, v.StoodStill = &none, 2*time.Second, time.Second
	})
	got := verdict.Judge(record).Reasons
	for i, want := range []string{"none of its 16 workers", "80.0 % of the 100 operations/s", "all of the 2 cores", "stood still for 100 %"} {
		if len(got) != 4 || !strings.Contains(got[i], want) {
			t.Fatalf("reasons = %q; want four, of which number %d says %q", got, i+1, want)
		}
	}
}

// What was held back and then sent at once is served faster than it was offered,
// which no lower bound may say.
func TestLowerBoundIsNoMoreThanWasOffered(t *testing.T) {
	record := healthy(t)
	late(record, 10_000, 100)
	healthSeconds(record, 100, func(row *results.Interval, v *results.Health) { row.Served, v.StoodStill = 130, time.Second/2 })
	if got := verdict.Judge(record).Verdict; !strings.Contains(got, "served at least 100 entities/s") {
		t.Errorf("verdict of 100/s offered and 130/s served in most seconds = %q; want no more than 100 claimed", got)
	}
}
