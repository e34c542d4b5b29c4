package scenarios_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/keys"
)

// attributing is the race with one more attribute, x, on line 11.
func attributing(spelled string) string {
	return strings.Replace(race, "entity:\n", "  x: "+spelled+"\nentity:\n", 1)
}

func TestAttributesAreReadAndWritten(t *testing.T) {
	for _, tt := range []struct {
		name, spelled string
		want          keys.Distribution
	}{
		{"zipf over numbers", "{zipf: {of: 100000, exponent: 1.1}}", keys.Zipf{Ranked: keys.Ranked{Of: 100_000}, Exponent: 1.1}},
		{"zipf over texts, scrambled", "{zipf: {list: [gold, 2], exponent: 0, scramble: true}}",
			keys.Zipf{Ranked: keys.Ranked{List: []string{"gold", "2"}, Scramble: true}}},
		{"a hot set", "{hot_set: {of: 1000, hot: 10%, share: 90%}}", keys.HotSet{Ranked: keys.Ranked{Of: 1000}, Hot: 0.1, Share: 0.9}},
		{"a hot set of texts", "{hot_set: {list: [a, b], hot: 50%, share: 99.5%, scramble: false}}",
			keys.HotSet{Ranked: keys.Ranked{List: []string{"a", "b"}}, Hot: 0.5, Share: 0.995}},
		{"partitions and rows as plain numbers", "{partitions: 1000, rows: 100}", keys.Partitions{Of: 1000, Rows: 100}},
		{"partitions of several sizes", `{partitions: 1000, rows: 100, sizes: ["70% x1", 20%x2.5, "10% x 3.5"]}`,
			keys.Partitions{Of: 1000, Rows: 100, Sizes: []keys.Size{{Share: 0.7, Weight: 1}, {Share: 0.2, Weight: 2.5}, {Share: 0.1, Weight: 3.5}}}},
		{"partitions that are drawn", "{partitions: 5}", keys.Partitions{Of: 5}},
		{"a bell", "{gaussian: {mean: -38.5, sd: 9, low: -60, high: 79}}", keys.Gaussian{Mean: -38.5, Deviation: 9, Low: -60, High: 79}},
		{"the latest, with what is usual", "{latest: {window: 1000}}", keys.Latest{Window: 1000, Exponent: 1, Every: 1}},
		{"the latest of a sequence that begins at one", "{latest: {window: 50, exponent: 0, every: 10, start: 1}}", keys.Latest{Window: 50, Every: 10, Start: 1}},
		{"a file", "{csv: {file: events.csv, column: city}}", keys.CSV{File: "events.csv", Column: "city"}},
		{"a file with weights", "{csv: {file: events.csv, column: city, weight: count}}", keys.CSV{File: "events.csv", Column: "city", Weight: "count"}},
	} {
		got := reread(t, attributing(tt.spelled)).Attributes[3].Values
		assert.Emptyf(t, cmp.Diff(tt.want, got), "%s: the attribute", tt.name)
	}
}

// Scenarios that share attributes do not share what was read.
func TestReadFilesLeavesCopiesAlone(t *testing.T) {
	s := parsed(t, edited(t, "race.yaml", "\n    list: [NYC, Berlin]\n    weights: [3, 1]", " {csv: {file: events.csv, column: city}}"))
	copied := *s
	require.NoError(t, copied.ReadFiles(opened("city\nNYC\n")), "ReadFiles")
	assert.Nil(t, s.Attributes[0].Values.(keys.CSV).Set, "what the scenario has where the files of a copy were read")
	assert.Equal(t, string(s.Text()), string(copied.Text()), "Text() after the files were read")
}
