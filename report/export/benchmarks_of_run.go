package export

import (
	"io"

	"loadgen/report/verdict"
	"loadgen/results"
)

// Benchmarks writes a run in the format of Go's benchmarks, which benchstat reads: a line
// for the run, with all operations together, and one for each kind of operation that was
// measured. Files of several runs are set side by side by `benchstat before.bench
// after.bench`; those of another target, profile, start, retry policy, kind of time or
// validity come into tables of their own. Times are in nanoseconds, rates in entities per
// second, and all figures are of the reported phases, as in the report. Its error is the
// writer's, wrapped.
func Benchmarks(w io.Writer, record *results.Record, summary *results.Summary) error {
	var b BenchmarkText
	for _, unit := range []string{"p50-ns", "p90-ns", "p99-ns", "p99.9-ns", "refused/op", "attempts/op", "share-lost"} {
		b.Better(unit, false)
	}
	b.Better("served-entities/s", true)
	if summary.Saturation != nil {
		b.Better("saturation-entities/s", true)
	}
	m := &record.Manifest
	for _, of := range []struct{ key, value string }{
		{"target", m.Target}, {"profile", m.Profile}, {"start", m.Start}, {"retry", m.Retry}, {"time", m.Time}, {"validity", summary.Validity},
	} {
		if value := short(of.value); value != "" {
			b.Set(of.key, value)
		}
	}
	name := "scenario=" + Word(short(m.Scenario.Name))
	values := measured(verdict.Whole(record, nil))
	if summary.Saturation != nil && len(values) > 0 {
		values = append(values, Measured{Value: *summary.Saturation, Unit: "saturation-entities/s"})
	}
	b.Add(name, values...)
	for k, word := range namesOf(m.Operations, Word) {
		this := func(other results.Kind) bool { return other.Name == m.Operations[k].Name }
		b.Add(name+"/of="+word, measured(verdict.Whole(record, this))...)
	}
	return b.Write(w)
}

// measured returns the values of a line, none where nothing was measured.
func measured(f results.PhaseOperationSummary, sum results.KindStats) []Measured {
	if sum.Scheduled == 0 && sum.Attempts == 0 {
		return nil
	}
	var values []Measured
	add := func(value float64, unit string) { values = append(values, Measured{Value: value, Unit: unit}) }
	const nanoseconds = 1000
	for _, q := range []struct {
		micros *int64
		unit   string
	}{{f.Response.P50, "p50-ns"}, {f.Response.P90, "p90-ns"}, {f.Response.P99, "p99-ns"}, {f.Response.P999, "p99.9-ns"}} {
		if q.micros != nil {
			add(float64(*q.micros)*nanoseconds, q.unit)
		}
	}
	add(f.Served, "served-entities/s")
	if sum.Operations > 0 {
		add(float64(sum.Refused)/float64(sum.Operations), "refused/op")
	}
	if f.AttemptsPerOperation != nil {
		add(*f.AttemptsPerOperation, "attempts/op")
	}
	if f.ShareLost != nil {
		add(*f.ShareLost, "share-lost")
	}
	return values
}
