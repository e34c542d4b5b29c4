package run

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"loadgen/results"
	"loadgen/scenarios"
)

const rehearsable = `name: rehearsed
seed: 4
retry: short
model: {profile: documented, partition_target: 100}
attributes:
  place: {list: [east, west]}
  id: {sequence: 1}
design: {partition_key: "{place}", row_key: "{id}"}
phases:
  - name: load
    load: {entities: 50}
  - name: work
    traffic: {arrivals: {constant: 300}, for: 4s, operations: [{name: save, verb: insert}]}
`

func rehearsableScenario(t *testing.T) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("rehearsed.yaml", []byte(rehearsable))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A rehearsal is the simulation that it stands for, retries included, and the forecast is
// what that sends.
func TestRehearsalIsTheSimulation(t *testing.T) {
	s := rehearsableScenario(t)
	record, err := Run(context.Background(), Plan{Scenario: s})
	if err != nil {
		t.Fatal(err)
	}
	plan := Plan{Scenario: s, On: Embedded}
	r, err := plan.Rehearse(context.Background(), 1_000_000)
	if err != nil || !r.Whole {
		t.Fatalf("Rehearse() = %+v, %v; want all of it", r, err)
	}
	want, got := record.Total(results.Everything), r.Record.Total(results.Everything)
	if got.Attempts != want.Attempts || got.Throttled != want.Throttled || want.Throttled == 0 {
		t.Errorf("rehearsed: %d attempts, %d throttled; simulated: %d and %d, some of them", got.Attempts, got.Throttled, want.Attempts, want.Throttled)
	}
	f, err := plan.Forecast(context.Background())
	if err != nil || f.Requests != want.Attempts || f.Entities != want.Counted || f.AtMost < f.Requests {
		t.Errorf("Forecast() = %+v, %v; want %d requests and %d entities", f, err, want.Attempts, want.Counted)
	}
}

// A rehearsal ends at its bound, or as somebody wants it to.
func TestRehearsalIsBounded(t *testing.T) {
	plan := Plan{Scenario: rehearsableScenario(t)}
	r, err := plan.Rehearse(context.Background(), 400)
	if err != nil || r.Whole {
		t.Fatalf("Rehearse() of 400 attempts = %+v, %v; want a part", r, err)
	}
	if attempts := r.Record.Total(results.Everything).Attempts; attempts < 400 || attempts > 1500 {
		t.Errorf("a rehearsal of 400 attempts made %d", attempts)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := plan.Rehearse(gone, 400); !errors.Is(err, context.Canceled) {
		t.Errorf("Rehearse() of somebody who left = %v; want %v", err, context.Canceled)
	}
}

// Of a load that is too long to be rehearsed, the rest goes on as it began, closed loops
// included.
func TestForecastOfAPart(t *testing.T) {
	for _, load := range []string{"arrivals: {constant: 210}, for: 40s", "clients: 10, think: 5ms, for: 20s", "clients: 8, count: 6000"} {
		s, err := scenarios.Parse("rehearsed.yaml", []byte(strings.Replace(rehearsable, "arrivals: {constant: 300}, for: 4s", load, 1)))
		if err != nil {
			t.Fatal(err)
		}
		plan := Plan{Scenario: s}
		record, err := Run(context.Background(), plan)
		if err != nil {
			t.Fatal(err)
		}
		r, err := plan.Rehearse(context.Background(), 3000)
		if err != nil || r.Whole {
			t.Fatalf("%s: Rehearse() of a part = %+v, %v", load, r, err)
		}
		made, err := campaignOf(plan.options("loadgentest"))
		if err != nil {
			t.Fatal(err)
		}
		f, want := r.Forecast(made), record.Total(results.Everything)
		if near := math.Abs(float64(f.Requests)/float64(want.Attempts)-1) < 0.1; !near && !strings.Contains(load, "count") {
			t.Errorf("%s: Forecast() of a part has %d requests; want about %d", load, f.Requests, want.Attempts)
		}
		if f.Sent <= r.Sent || f.Requests < 4000 {
			t.Errorf("%s: Forecast() of a part = %+v; want more than the part sent, %d bytes", load, f, r.Sent)
		}
	}
}
