package run_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

const rehearsable = `name: rehearsed
seed: 4
retry: short
model: {profile: documented, partition_target: 100}
attributes: {place: {list: [east, west]}, id: {sequence: 1}}
design: {partition_key: "{place}", row_key: "{id}"}
phases:
  - {name: load, load: {entities: 50}}
  - {name: work, traffic: {arrivals: {constant: 300}, for: 4s, operations: [{name: save, verb: insert}]}}
`

// A rehearsal is the simulation that it stands for, retries included, and the forecast is
// what that sends.
func TestRehearsalIsTheSimulation(t *testing.T) {
	s := runtest.Parse(t, rehearsable)
	plan := run.Plan{Scenario: s, On: run.Embedded}
	r, err := plan.Rehearse(t.Context(), 1_000_000)
	require.Truef(t, err == nil && r.Whole, "Rehearse() = %+v, %v; want all of it", r, err)
	want, got := runtest.Simulate(t, s).Total(results.Everything), r.Record.Total(results.Everything)
	assert.Truef(t, got.Attempts == want.Attempts && got.Throttled == want.Throttled && want.Throttled != 0,
		"rehearsed: %d attempts, %d throttled; simulated: %d and %d", got.Attempts, got.Throttled, want.Attempts, want.Throttled)
	f, err := plan.Forecast(t.Context())
	assert.Truef(t, err == nil && f.Requests == want.Attempts && f.Entities == want.Counted && f.AtMost >= f.Requests,
		"Forecast() = %+v, %v; want %d requests and %d entities", f, err, want.Attempts, want.Counted)
}

// A rehearsal ends at its bound, or with its context.
func TestRehearsalIsBounded(t *testing.T) {
	plan := run.Plan{Scenario: runtest.Parse(t, rehearsable)}
	r, err := plan.Rehearse(t.Context(), 400)
	require.Truef(t, err == nil && !r.Whole, "Rehearse() of 400 attempts = %+v, %v; want a part", r, err)
	attempts := r.Record.Total(results.Everything).Attempts
	assert.Truef(t, attempts >= 400 && attempts <= 1500, "a rehearsal of 400 attempts made %d", attempts)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = plan.Rehearse(gone, 400)
	assert.ErrorIs(t, err, context.Canceled, "Rehearse() with an ended context")
}

// Of a load that is too long to be rehearsed, the rest goes on as it began, closed loops
// included.
func TestForecastOfAPart(t *testing.T) {
	t.Parallel()
	for _, load := range []string{"arrivals: {constant: 210}, for: 40s", "clients: 10, think: 5ms, for: 20s", "clients: 8, count: 6000"} {
		s := runtest.Parse(t, strings.Replace(rehearsable, "arrivals: {constant: 300}, for: 4s", load, 1))
		plan := run.Plan{Scenario: s}
		r, err := plan.Rehearse(t.Context(), 3000)
		require.Truef(t, err == nil && !r.Whole, "%s: Rehearse() of a part = %+v, %v", load, r, err)
		made, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "loadgentest", NewName: true, RunMark: "run", Blank: true})
		require.NoError(t, err)
		f, want := r.Forecast(made), runtest.Simulate(t, s).Total(results.Everything)
		near := math.Abs(float64(f.Requests)/float64(want.Attempts)-1) < 0.1
		assert.Truef(t, near || strings.Contains(load, "count"), "%s: Forecast() of a part has %d requests", load, f.Requests)
		assert.Truef(t, f.Sent > r.Sent && f.Requests >= 4000, "%s: Forecast() of a part = %+v", load, f)
	}
}

// What a rehearsal weighs is what a run over a socket sends and receives, whatever it is.
func TestRehearsalWeighsWhatIsSent(t *testing.T) {
	t.Parallel()
	const all = "{name: a, verb: insert}, {name: b, verb: get}, {name: c, verb: replace}, " +
		"{name: d, verb: batch, entities: 3, together: [region]}, {name: e, verb: query, by: [region]}"
	const number = `properties: [{name: Doc, type: Int64, value: "{doc}"}]`
	operations := []string{
		all, "{verb: insert}", "{verb: get}", "{verb: merge, " + number + "}", "{verb: replace}",
		"{verb: insert-or-merge, " + number + "}", "{verb: delete}", "{verb: batch, entities: 7, together: [region]}",
		"{verb: query, by: [region]}", "{verb: query, by: [region], rows: 20, select: [Doc]}",
	}
	for i, operation := range operations[:run.Tier(1, len(operations))] {
		plan := run.Plan{Scenario: runtest.Parse(t, `name: weight
seed: 1
retry: none
model: {profile: "off"}
attributes: {region: {list: [north, "the south"]}, doc: {sequence: 1}}
entity: {size: `+[]string{"300", "3000"}[i%2]+`, filler: Notes, `+number+`}
design: {partition_key: "{region}", row_key: "{doc:09d}"}
phases:
  - {name: load, load: {entities: 200}}
  - {name: work, traffic: {clients: 4, count: 100, operations: [`+operation+`]}}
`)}
		r, err := plan.Rehearse(t.Context(), 10_000)
		require.NoError(t, err)
		plan.On, plan.NoProbe = run.Embedded, true
		sum := runtest.Run(t, plan).Total(results.Everything)
		off := func(got, want int64) bool { return math.Abs(float64(got-want)) > 0.05*float64(want) }
		assert.Truef(t, !off(r.Sent, sum.BytesOut) && !off(r.Received, sum.BytesIn),
			"%s: %d sent and %d received; %d and %d on the wire", operation, r.Sent, r.Received, sum.BytesOut, sum.BytesIn)
	}
}
