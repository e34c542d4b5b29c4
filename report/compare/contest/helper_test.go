package contest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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

// inTwelve returns a text whose numbers have twelve digits at most: what a p-value has
// beyond them goes by how the library and the processor come to it.
func inTwelve(text []byte) []byte {
	long := regexp.MustCompile(`\d\.\d{12,}(e[-+]?\d+)?|\d{2,}\.\d{11,}`)
	return long.ReplaceAllFunc(text, func(number []byte) []byte {
		value, _ := strconv.ParseFloat(string(number), 64)
		return strconv.AppendFloat(nil, value, 'g', 12, 64)
	})
}
