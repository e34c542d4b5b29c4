package advise

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/run/runtest"
)

// rehearsed explains the design in use alone, by one seed.
func rehearsed(t *testing.T, s *scenarios.Scenario) *Design {
	t.Helper()
	d, err := (&Options{Scenario: s, Seeds: 1}).rehearsed(t.Context(), s.Use)
	require.NoError(t, err)
	return d
}

// counted returns the entities of a phase by whole seconds, each operation counted: of
// every partition, and of the account.
func counted(t *testing.T, s *scenarios.Scenario, phase int) (partitions map[place][]float64, account []float64) {
	t.Helper()
	given, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: s.Table, NewName: true})
	require.NoError(t, err)
	p, err := given.Preview(phase)
	require.NoError(t, err)
	length := int(math.Ceil(p.Length.Seconds()))
	partitions, account = make(map[place][]float64), make([]float64, length)
	for k := range p.Count() {
		second := min(int(p.DueTime(k)/time.Second), length-1)
		_, entities := p.Operation(k, s.Table, func(touch campaign.Touch) {
			at := place{touch.Table, touch.Key.Partition}
			if partitions[at] == nil {
				partitions[at] = make([]float64, length)
			}
			partitions[at][second] += float64(touch.Entities)
		})
		account[second] += float64(entities)
	}
	return partitions, account
}

// The rates of a load are those of counting every operation.
func TestRatesAreThoseOfCountingEverything(t *testing.T) {
	users := strings.Replace(file(t, "hours"), "{uniform: [1, 5000]}", "{zipf: {of: 500, exponent: 1.1}}", 1)
	const alone = "phases.reports.operations.site.weight=0"
	for name, s := range map[string]*scenarios.Scenario{
		"an hour key":  runtest.Parse(t, file(t, "hours"), alone),
		"three sites":  runtest.Parse(t, file(t, "hours"), "use=by-site", alone),
		"few":          runtest.Parse(t, file(t, "hours"), "phases.reports.arrivals.poisson=20", "phases.reports.for=30s", alone),
		"uneven users": runtest.Parse(t, users, "designs.by-site.partition_key={device}", "use=by-site", alone),
		"a ramp":       runtest.Parse(t, file(t, "hours"), "phases.reports.arrivals={ramp: {from: 100, to: 4000}}", "phases.reports.for=6s", alone),
	} {
		got := rehearsed(t, s).Loads[0]
		partitions, account := counted(t, s, 1)
		most := 0.0
		for _, seconds := range partitions {
			most = max(most, slices.Max(seconds))
		}
		assert.Equalf(t, []float64{most, slices.Max(account)}, []float64{got.Hottest.Value, got.Account.Value}, "%s: the hottest partition and the account", name)
	}
}

func TestLoadsOfNamedPartitions(t *testing.T) {
	for _, row := range []struct {
		sentence, phase string
		hottest, all    float64
		off             float64
	}{
		{"the peak of one partition", "peak: {partition_key: north, rates: [100, 700], each: 2s, operations: [{verb: get}]}", 700, 700, .03},
		{"a spread over two", "spread: {partitions: [north, south], rate: 300, for: 4s, operations: [{verb: get}]}", 300, 600, .03},
		{"clients in a closed loop", "spread: {partitions: [east], clients: 50, think: 100ms, for: 4s, operations: [{verb: get}]}", 481, 481, .03},
		{"all that were loaded", "traffic: {partitions: all, arrivals: {constant: 900}, for: 4s, operations: [{verb: get}]}", 300, 900, .03},
		{"transactions count their entities", "spread: {partitions: [east], rate: 20, for: 4s, operations: [{verb: batch, entities: 40}]}", 800, 800, .03},
		{"whole partitions", "traffic: {partitions: [east], arrivals: {constant: 10}, for: 4s, operations: [{verb: query, class: partition-scan}]}", 8000, 8000, .08}, // a fifth of 4,000, more or less
	} {
		text, _, _ := strings.Cut(file(t, "hours"), "  - name: reports")
		s := runtest.Parse(t, strings.Replace(text, "use: by-hour", "use: by-site", 1)+"  - name: it\n    "+row.phase+"\n")
		got := rehearsed(t, s).Loads[0]
		if h, a := got.Hottest.Value, got.Account.Value; math.Abs(h/row.hottest-1) > 0.12 || math.Abs(a/row.all-1) > row.off {
			t.Errorf("%s: the hottest partition counts %.0f/s and the account %.0f/s; want %.0f and %.0f", row.sentence, h, a, row.hottest, row.all)
		}
		assert.Truef(t, !got.Events && got.Keys.order.Verdict.String() != "",
			"%s: Events = %v; want false, for the phase names its partitions", row.sentence, got.Events)
	}
}

func TestRatesAreOfTheBusiestAccount(t *testing.T) {
	text, _, _ := strings.Cut(file(t, "hours"), "        - {name: site")
	one, two := runtest.Parse(t, text, "use=by-bucket"), runtest.Parse(t, text, "use=by-bucket", "accounts={number: 2}")
	of, each := rehearsed(t, one).Loads[0], rehearsed(t, two).Loads[0]
	if share := each.Account.Value / of.Account.Value; share < 0.45 || share > 0.65 {
		t.Errorf("the busiest of two accounts counts %.0f/s of %.0f/s; want about half", each.Account.Value, of.Account.Value)
	}
}

// Copies of entities are writes of their own, in partitions of their own.
func TestCopiesCount(t *testing.T) {
	text := strings.Replace(file(t, "hours"), `row_key: "{device:05d}_{at:inverted}_{id}"}`,
		`row_key: "{device:05d}_{at:inverted}_{id}", copies: [{name: all, table: Copies, partition_key: everything, row_key: "{id}"}]}`, 1)
	s := runtest.Parse(t, text, "use=by-site", "phases.reports.operations.site.weight=0")
	d := rehearsed(t, s)
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
