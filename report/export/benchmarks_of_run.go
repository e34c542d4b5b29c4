package export

import (
	"io"

	"loadgen/results"
	"loadgen/results/figure"
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
	b.Run(record, summary)
	return b.Write(w)
}

// Run adds the lines of a run, as [Benchmarks] has them.
func (b *BenchmarkText) Run(record *results.Record, summary *results.Summary) {
	for _, one := range measures() {
		d, _ := figure.Find(one.figure)
		b.Better(one.unit, d.Better == figure.Higher)
	}
	m := &record.Manifest
	for _, of := range []struct{ key, value string }{
		{"target", m.Target}, {"profile", m.Profile}, {"start", m.Start}, {"retry", m.Retry}, {"time", m.Time}, {"validity", summary.Validity},
	} {
		if value := short(of.value); value != "" {
			b.Set(of.key, value)
		}
	}
	name, figures := "scenario="+Word(short(m.Scenario.Name)), figure.Of(record)
	b.Add(name, measured(figures, nil)...)
	for k, word := range namesOf(m.Operations, Word) {
		b.Add(name+"/of="+word, measured(figures, func(other results.Kind) bool { return other.Name == m.Operations[k].Name })...)
	}
}

// measure is a figure as benchmarks have it: in which unit, and how many of that are to
// one of the figure's own.
type measure struct {
	figure, unit string
	in           figure.Unit
}

func measures() []measure {
	return []measure{
		{"p50", "p50-ns", figure.Nanoseconds}, {"p90", "p90-ns", figure.Nanoseconds}, {"p99", "p99-ns", figure.Nanoseconds},
		{"p99.9", "p99.9-ns", figure.Nanoseconds}, {"served", "served-entities/s", figure.PerSecond}, {"throttled", "throttled/attempt", figure.Share},
		{"tries", "tries/op", figure.Ratio}, {"share_lost", "share-lost", figure.Share}, {"saturation", "saturation-entities/s", figure.PerSecond},
	}
}

// measured returns the values of a line, none where nothing was measured.
func measured(figures *figure.Figures, want func(results.Kind) bool) []Measured {
	if figures.OfKinds("scheduled", want).Value+figures.OfKinds("requests", want).Value == 0 {
		return nil
	}
	var values []Measured
	for _, one := range measures() {
		if one.figure == "saturation" && want != nil {
			continue
		}
		if v := figures.InKinds(one.figure, one.in, want); v.Told {
			values = append(values, Measured{Value: v.Value, Unit: one.unit})
		}
	}
	return values
}
