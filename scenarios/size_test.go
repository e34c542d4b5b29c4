package scenarios_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// readSize reads sizes as the value of a field.
func readSize(text string) (most int, by keys.SizeDistribution, faults fields.Faults) {
	faults = readField(text, scenarios.SizeBinding{Size: &most, By: &by})
	return most, by, faults
}

func TestSizesAreReadAsTheyAreWritten(t *testing.T) {
	for _, row := range []struct {
		text        string
		least, most int
	}{
		{"1024", 1024, 1024},
		{"{p50: 900, p99: 4000}", 900, 4000},
		{"{uniform: [600, 4000]}", 600, 4000},
		{"{lognormal: {p50: 900, p99: 4000, max: 40000}}", 900, 40_000},
		{"{lognormal: {p50: 900, sigma: 0.5, min: 200, max: 3000}}", 200, 3000},
		{"{pareto: {min: 300, tail: 1.5}}", 300, entity.MaxEntityBytes},
		{"{zipf: {min: 300, max: 1000, exponent: 0.99}}", 300, 1000},
		{"{list: [900, 300], weights: [9, 1]}", 300, 900},
		{"{list: [300]}", 300, 300},
		{"{csv: {file: sizes.csv, column: bytes, weight: count}}", 1, 1},
	} {
		most, by, faults := readSize(row.text)
		least := most
		if by != nil {
			least, _ = by.Ends()
		}
		require.Emptyf(t, faults, "size: %s", row.text)
		assert.Equalf(t, []int{row.least, row.most}, []int{least, most}, "size: %s goes from and to", row.text)
		again, other, faults := readSize(writtenField(scenarios.SizeBinding{Size: &most, By: &by}))
		assert.Emptyf(t, faults, "size: %s, written and read", row.text)
		assert.Equalf(t, most, again, "size: %s, written and read", row.text)
		assert.Equalf(t, by, other, "size: %s, written and read", row.text)
	}
}

// The sizes of a file count as often as their weights say, and what is none is told by its line.
func TestSizesOfAFile(t *testing.T) {
	curve := &keys.Curve{Kind: keys.CurveCSV, High: entity.MaxEntityBytes, File: keys.CSV{File: "sizes.csv", Column: "bytes", Weight: "count"}}
	got, err := scenarios.ReadCurve(curve, strings.NewReader("op,bytes,count\na,900,3\nb,4000,1\nc,900,2\n"))
	require.NoError(t, err)
	if least, most := got.Ends(); least != 900 || most != 4000 || len(got.List) != 2 || got.Weights[0] != 5 || got.Weights[1] != 1 || !curve.Unread() || got.Unread() {
		t.Errorf("the file has sizes %v with weights %v; want 900 five times, 4000 once", got.List, got.Weights)
	}
	for _, row := range []struct {
		name, text string
		line       int
	}{
		{"no byte", "bytes,count\n900,1\n0,1\n", 3},
		{"more than an entity may have", "bytes,count\n1048577,1\n", 2},
		{"no number", "bytes,count\n900,1\nlarge,1\n", 3},
		{"no weight", "bytes,count\n900,0\n", 2},
		{"no such column", "size,count\n900,1\n", 1},
		{"no row", "bytes,count\n", 1},
	} {
		_, err := scenarios.ReadCurve(curve, strings.NewReader(row.text))
		if fault, located := errors.AsType[*csvfile.Fault](err); !located || fault.Line != row.line {
			t.Errorf("%s: Read(%q) = %v; want a fault of line %d", row.name, row.text, err, row.line)
		}
	}
}

// FuzzSizes: what is read lies within what an entity may have, and so does whatever is drawn.
func FuzzSizes(f *testing.F) {
	for _, text := range []string{"900", "{p50: 900}", "{uniform: [1, 2]}", "{lognormal: {p50: 9, sigma: 5}}", "{pareto: {min: 1, tail: 0.1}}",
		"{zipf: {min: 1, max: 2, exponent: 5}}", "{list: [1], weights: [1]}", "{csv: {file: f, column: c}}", "{lognormal: }", "{uniform: [0, 1]}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		most, by, faults := readSize(text)
		if len(faults) > 0 || by == nil {
			return
		}
		least, upTo := by.Ends()
		if least < 1 || upTo > entity.MaxEntityBytes || upTo < least || most != upTo {
			t.Fatalf("size: %q goes from %d to %d, and at most %d; want within 1 byte and 1 MiB", text, least, upTo, most)
		}
	})
}
