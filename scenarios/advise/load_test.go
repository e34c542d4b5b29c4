package advise

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/run/runtest"
)

// used explains the design in use alone.
func used(t *testing.T, s *scenarios.Scenario) *Design {
	t.Helper()
	d, _, err := (&Options{Scenario: s, Targets: documented}).design(s.Use)
	require.NoError(t, err)
	return d
}

func TestLoadsOfNamedPartitions(t *testing.T) {
	for _, row := range []struct {
		sentence, phase string
		hottest, all    float64
		off             float64
	}{
		{"the peak of one partition", "peak: {partition_key: north, rates: [100, 700], each: 2s, operations: [{verb: get}]}", 700, 700, .03},
		{"a spread over two", "spread: {partitions: [north, south], rate: 300, for: 4s, operations: [{verb: get}]}", 300, 600, .03},
		{"clients in a closed loop", "spread: {partitions: [east], clients: 50, think: 100ms, for: 4s, operations: [{verb: get}]}", 500, 500, .03},
		{"all that were loaded", "traffic: {partitions: all, arrivals: {constant: 900}, for: 4s, operations: [{verb: get}]}", 300, 900, .03},
		{"transactions count their entities", "spread: {partitions: [east], rate: 20, for: 4s, operations: [{verb: batch, entities: 40}]}", 800, 800, .03},
		{"whole partitions", "traffic: {partitions: [east], arrivals: {constant: 10}, for: 4s, operations: [{verb: query, class: partition-scan}]}", 8000, 8000, .08}, // a fifth of 4,000, more or less
	} {
		text, _, _ := strings.Cut(file(t, "hours"), "  - name: reports")
		s := runtest.Parse(t, strings.Replace(text, "use: by-hour", "use: by-site", 1)+"  - name: it\n    "+row.phase+"\n")
		got := used(t, s).Loads[0]
		if h, a := got.Hottest.Value, got.Account.Value; math.Abs(h/row.hottest-1) > 0.12 || math.Abs(a/row.all-1) > row.off {
			t.Errorf("%s: the hottest partition counts %.0f/s and the account %.0f/s; want %.0f and %.0f", row.sentence, h, a, row.hottest, row.all)
		}
		assert.Truef(t, !got.Events && got.Keys.verdict.String() != "",
			"%s: Events = %v; want false, for the phase names its partitions", row.sentence, got.Events)
	}
}

func TestRatesAreOfTheBusiestAccount(t *testing.T) {
	text, _, _ := strings.Cut(file(t, "hours"), "        - {name: site")
	one, two := runtest.Parse(t, text, "use=by-bucket"), runtest.Parse(t, text, "use=by-bucket", "accounts={number: 2}")
	of, each := used(t, one).Loads[0], used(t, two).Loads[0]
	if share := each.Account.Value / of.Account.Value; share < 0.45 || share > 0.65 {
		t.Errorf("the busiest of two accounts counts %.0f/s of %.0f/s; want about half", each.Account.Value, of.Account.Value)
	}
}

// Copies of entities are writes of their own, in partitions of their own.
func TestCopiesCount(t *testing.T) {
	text := strings.Replace(file(t, "hours"), `row_key: "{device:05d}_{at:inverted}_{id}"}`,
		`row_key: "{device:05d}_{at:inverted}_{id}", copies: [{name: all, table: Copies, partition_key: everything, row_key: "{id}"}]}`, 1)
	s := runtest.Parse(t, text, "use=by-site", "phases.reports.operations.site.weight=0")
	d := used(t, s)
	got := d.Loads[0]
	assert.Truef(t, got.Hottest.PartitionKey == "everything" && got.Hottest.Table == "Copies",
		"the hottest partition is %q of table %q; want that of the copies", got.Hottest.PartitionKey, got.Hottest.Table)
	if report := got.Approaches[0]; report.Requests != 2 || report.Entities != 2 {
		t.Errorf("an insert with a copy takes %v requests and counts %v; want 2 and 2", report.Requests, report.Entities)
	}
	if last := d.Samples[len(d.Samples)-1]; last.Of != "copy all" || last.PartitionKey != "everything" {
		t.Errorf("the last sample is %+v; want the copy", last)
	}
}

// A table of one partition has all that scans read in it.
func TestScansOfOnePartitionAreItsOwn(t *testing.T) {
	s := runtest.Parse(t, file(t, "hours"), "attributes.at.every=1ms", "attributes.at.speed=1")
	got := used(t, s).Loads[0]
	if got.Hottest.Value != got.Account.Value || got.Scans.Value != 0 || got.Keys.Partitions != 1 {
		t.Errorf("one partition counts %.0f/s, the account %.0f/s, and scans %.0f/s; want the same, and none apart",
			got.Hottest.Value, got.Account.Value, got.Scans.Value)
	}
}

// What was never met in a sample can still be there now and then.
func TestUniqueKeysHaveABound(t *testing.T) {
	s := runtest.Parse(t, file(t, "hours"), "designs.by-site.partition_key={id}", "use=by-site", "phases.reports.operations.site.weight=0",
		"phases.reports.operations.latest.weight=0")
	if h := used(t, s).Loads[0].Hottest; h.Value > 1 || h.Most <= 0 || h.Most > 10 {
		t.Errorf("of unique keys the hottest counts %v (%v to %v) entities/s; want next to nothing, and a bound", h.Value, h.Least, h.Most)
	}
}
