package main

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/target/inprocess"
)

// simulated is a stress test in virtual time.
type simulated struct {
	*finished
	memory *results.Memory
	engine *engine.Engine
}

// simulate runs `loadgen stress` with these flags on the virtual clock.
func simulate(t testing.TB, args ...string) *simulated {
	t.Helper()
	var f stressFlags
	c := f.verb(nil, nil)
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	parsed, err := f.scenario(c)
	if err != nil {
		t.Fatal(err)
	}
	return simulateScenario(t, parsed, f.peak)
}

func simulateScenario(t testing.TB, s *scenarios.Scenario, peak float64) *simulated {
	t.Helper()
	m, err := modelOf(s)
	if err != nil {
		t.Fatal(err)
	}
	campaign, err := drive.NewCampaign(drive.Options{Scenario: s, Table: "stress"})
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := manifestOf(s, campaign, peak, []string{"loadgen", "stress"})
	if err != nil {
		t.Fatal(err)
	}
	manifest.Time, manifest.Started = "virtual", time.Date(2011, 11, 6, 9, 0, 0, 0, time.UTC)
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, manifest)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Model: m, Accounts: []string{account}, Seed: s.Seed})
	target := inprocess.New(e, account, nil)
	runner := &drive.Virtual{Target: target}
	if err := campaign.Run(context.Background(), runner, &drive.Ledger{Recorder: recorder}); err != nil {
		t.Fatal(err)
	}
	counts := target.Counts()
	if err := recorder.Finish(runner.Now().Offset(), results.Valid, []string{}, (*results.TargetCounts)(&counts)); err != nil {
		t.Fatal(err)
	}
	result, err := conclude(folder, recorder)
	if err != nil {
		t.Fatal(err)
	}
	return &simulated{result, folder, e}
}

func decode(t testing.TB, text []byte) *results.Summary {
	t.Helper()
	var s results.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return &s
}
