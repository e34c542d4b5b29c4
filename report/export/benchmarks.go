package export

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"loadgen/results"
	"loadgen/results/figure"
)

// BenchmarkText builds a text in the format of Go's benchmarks: units, then settings and
// lines. The zero value is empty. It is not safe for concurrent use.
type BenchmarkText struct {
	units, lines strings.Builder
	// known are the units so far, settings those of the next line.
	known    map[string]bool
	settings map[string]string
}

// Measured is a value and its unit, one word. benchstat shows units that end in "-ns" as times.
type Measured struct {
	Value float64
	Unit  string
}

// Set changes a setting of the following lines. Keys are lower case, such as "build".
func (b *BenchmarkText) Set(key, value string) {
	value = Plain(value)
	if previous, ok := b.settings[key]; ok && previous == value {
		return
	}
	if b.settings == nil {
		b.settings = make(map[string]string)
	}
	b.settings[key] = value
	b.lines.WriteString(strings.TrimRight(key+": "+value, " ") + "\n")
}

// Add adds the line of one run unless it has no value. Names have the form key=value/key=value.
func (b *BenchmarkText) Add(name string, values ...Measured) {
	if len(values) == 0 {
		return
	}
	fmt.Fprintf(&b.lines, "BenchmarkLoad/%s 1", name)
	for _, v := range values {
		fmt.Fprintf(&b.lines, " %s %s", Decimal(v.Value), v.Unit)
	}
	b.lines.WriteString("\n")
}

// Better declares a unit, if it is new, and whether more of it is better.
func (b *BenchmarkText) Better(unit string, more bool) {
	if b.known[unit] {
		return
	}
	if b.known == nil {
		b.known = make(map[string]bool)
	}
	b.known[unit] = true
	direction := "lower"
	if more {
		direction = "higher"
	}
	fmt.Fprintf(&b.units, "Unit %s better=%s\n", unit, direction)
}

// Write writes the text.
func (b *BenchmarkText) Write(w io.Writer) error {
	if _, err := io.WriteString(w, b.units.String()+b.lines.String()); err != nil {
		return fmt.Errorf("export: writing benchmarks: %w", err)
	}
	return nil
}

// Decimal returns a number with as many digits as it needs.
func Decimal(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// Word returns a text without spaces and slashes, as an element of a path.
func Word(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '/' {
			return '_'
		}
		return r
	}, strings.ReplaceAll(Plain(text), ", ", ","))
	if text == "" {
		return "-"
	}
	return text
}

// Benchmarks writes a run in the format of Go's benchmarks: a line for all operations, and
// one for each measured kind. Runs are compared by `benchstat before.bench after.bench`; a
// different target, profile, start, retry policy, kind of time or validity makes a separate
// table. Times are in nanoseconds, rates in entities per second, of the reported phases.
func Benchmarks(w io.Writer, record *results.Record, summary *results.Summary) error {
	var b BenchmarkText
	b.Run(record, summary)
	return b.Write(w)
}

// Run adds the lines of a run, see [Benchmarks].
func (b *BenchmarkText) Run(record *results.Record, summary *results.Summary) {
	for _, one := range measures() {
		d, _ := figure.Find(one.figure)
		b.Better(one.unit, d.Better == figure.Higher)
	}
	m := &record.Manifest
	for _, setting := range []struct{ key, value string }{
		{"target", m.Target}, {"profile", m.Profile}, {"start", m.Start}, {"retry", m.Retry}, {"time", m.Time}, {"validity", summary.Validity},
	} {
		if value := short(setting.value); value != "" {
			b.Set(setting.key, value)
		}
	}
	name, figures := "scenario="+Word(short(m.Scenario.Name)), figure.NewFigures(record)
	b.Add(name, measured(figures, nil)...)
	for k, word := range namesOf(m.Operations, Word) {
		b.Add(name+"/of="+word, measured(figures, func(other results.Kind) bool { return other.Name == m.Operations[k].Name })...)
	}
}

// measure maps a figure to a unit of benchmarks.
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

// measured returns the values of a line, none if no operation was due.
func measured(figures *figure.Figures, want func(results.Kind) bool) []Measured {
	if figures.OfKinds("scheduled", want).Value+figures.OfKinds("requests", want).Value == 0 {
		return nil
	}
	var values []Measured
	for _, one := range measures() {
		if one.figure == "saturation" && want != nil {
			continue
		}
		if v := figures.InKinds(one.figure, one.in, want); v.Known {
			values = append(values, Measured{Value: v.Value, Unit: one.unit})
		}
	}
	return values
}
