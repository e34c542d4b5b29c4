package export

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// BenchmarkText is a text of benchmarks: which way its units are better, then its lines, with
// what they are of above those that are of something else. The zero value is empty. It
// belongs to one goroutine.
type BenchmarkText struct {
	units, lines strings.Builder
	// known are the units that have a direction, settings what holds of the next line.
	known    map[string]bool
	settings map[string]string
}

// Measured is a value and its unit, which is one word. Values in nanoseconds have a unit
// that ends in "-ns", by which benchstat shows them as times.
type Measured struct {
	Value float64
	Unit  string
}

// Set says what the lines from now on are of, unless it has been said: by a key of small
// letters, such as "build".
func (b *BenchmarkText) Set(key, value string) {
	value = Plain(value)
	if was, set := b.settings[key]; set && was == value {
		return
	}
	if b.settings == nil {
		b.settings = make(map[string]string)
	}
	b.settings[key] = value
	b.lines.WriteString(strings.TrimRight(key+": "+value, " ") + "\n")
}

// Add adds the line of one run, unless it has no value. The name is made of words, with
// slashes between them, of the form key=value.
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

// Better says of a unit whether more of it is better, the first time that it is called
// with it.
func (b *BenchmarkText) Better(unit string, more bool) {
	if b.known[unit] {
		return
	}
	if b.known == nil {
		b.known = make(map[string]bool)
	}
	b.known[unit] = true
	way := "lower"
	if more {
		way = "higher"
	}
	fmt.Fprintf(&b.units, "Unit %s better=%s\n", unit, way)
}

// Write writes the text. Its error is the writer's, wrapped.
func (b *BenchmarkText) Write(w io.Writer) error {
	if _, err := io.WriteString(w, b.units.String()+b.lines.String()); err != nil {
		return fmt.Errorf("forms: writing benchmarks: %w", err)
	}
	return nil
}

// Decimal returns a number as it is.
func Decimal(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// Word returns a text as one word, which a path of names may hold: no space, no slash.
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
