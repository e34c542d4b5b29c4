package contest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/report/compare/contest"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/run/runtest"
	"loadgen/target"
)

// logged is a target that keeps what it was asked, and what it answered.
type logged struct {
	*target.InProcess
	requests, throttled, entities int64
}

func (l *logged) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, at := l.InProcess.Submit(now, op)
	l.requests++
	l.entities += outcome.Counted
	if outcome.Status == 503 {
		l.throttled++
	}
	return outcome, at
}

// parsed reads a scenario of testdata with a seed and with settings, each path=value.
func parsed(t testing.TB, name string, seed uint64, set ...string) *scenarios.Scenario {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
	require.NoError(t, err)
	s := runtest.Parse(t, string(text), set...)
	s.Seed = seed
	return s
}

// simulated carries a scenario out on the virtual clock, through the real engine.
func simulated(t testing.TB, s *scenarios.Scenario) (*results.Record, *logged) {
	t.Helper()
	m, err := s.PartitionModel()
	require.NoError(t, err)
	to := &logged{InProcess: target.NewInProcess(runtest.Engine(t, s), runtest.Account, nil)}
	run := runtest.Campaign{Options: campaign.Options{Scenario: s}, Target: to, Manifest: results.Manifest{
		Profile: m.Profile, Targets: results.Targets{Partition: m.PartitionTarget, Account: m.AccountTarget}}}
	return run.MustRun(t).Record, to
}

// measured runs a scenario and measures it.
func measured(t testing.TB, s *scenarios.Scenario, needs figure.Needs) (contest.Trial, *results.Record) {
	t.Helper()
	record, _ := simulated(t, s)
	return contest.Measure(record, record.Summary, needs), record
}
