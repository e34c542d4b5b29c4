// Package runtest runs scenarios in tests. It parses a text, applies settings and runs the
// scenario, in virtual time by default, against the engine of the scenario's model or a
// target of the test.
package runtest

import (
	"cmp"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/target"
)

// Must returns a value, and panics if there is an error.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// SkipIfShort skips a test with -short: the race detector is slow, and finds nothing in what one
// goroutine does alone or a shorter test covers.
func SkipIfShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long run")
	}
}

// Account is the account name of [Engine].
const Account = "account"

// Parse parses a scenario and applies settings of the form path=value.
func Parse(t testing.TB, text string, settings ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("test.yaml", []byte(text))
	require.NoErrorf(t, err, "%v\n%s", err, text)
	return Set(t, s, settings...)
}

// Builtin returns a scenario of the library with settings of the form path=value.
func Builtin(t testing.TB, name string, settings ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Builtin(name)
	require.NoError(t, err)
	return Set(t, s, settings...)
}

// Set applies settings of the form path=value to a scenario and returns it.
func Set(t testing.TB, s *scenarios.Scenario, settings ...string) *scenarios.Scenario {
	t.Helper()
	require.NoError(t, s.SetAll(scenarios.Settings(settings...)))
	if faults := s.Validate(); len(faults) > 0 {
		t.Fatalf("%v: %v", settings, errors.Join(faults...))
	}
	return s
}

// Record is a record with its files.
type Record struct {
	*results.Record
	Folder *results.Memory
}

// Run runs a plan and fails the test if the run returns an error. The record stays in memory
// unless the plan has a folder.
func Run(t testing.TB, p run.Plan) Record {
	t.Helper()
	if p.Memory == nil {
		p.Memory = new(results.Memory)
	}
	record, err := run.Run(t.Context(), p)
	require.NoError(t, err)
	return Record{record, p.Memory}
}

// Simulate runs a scenario in virtual time.
func Simulate(t testing.TB, s *scenarios.Scenario) Record {
	t.Helper()
	return Run(t, run.Plan{Scenario: s})
}

// Engine returns an engine with the scenario's model and one account.
func Engine(t testing.TB, s *scenarios.Scenario) *engine.Engine {
	t.Helper()
	m, err := s.PartitionModel()
	require.NoError(t, err)
	return engine.New(engine.Options{Model: m, Accounts: []string{Account}, Seed: s.Seed, Cold: s.Start == scenarios.StartCold})
}

// Campaign runs a campaign without a [run.Plan], with targets, runners and observers that a
// plan cannot name.
type Campaign struct {
	// Options must have the scenario. Table defaults to the scenario's; Find makes it a search.
	campaign.Options
	// Target receives the load in virtual time; nil means an [Engine].
	Target target.Immediate
	// Runner replaces virtual time and Target.
	Runner    drive.Runner
	Observers []drive.Observer
	// Manifest holds fields of the manifest that do not follow from the scenario.
	Manifest results.Manifest
}

// Run runs the campaign. It returns the judged record, with the target's counts if the target
// is a [target.Counter], and the error that ended the run.
func (c Campaign) Run(ctx context.Context, t testing.TB) (Record, error) {
	t.Helper()
	s := c.Scenario
	c.Table = cmp.Or(c.Table, s.Table)
	made, err := campaign.NewCampaign(c.Options)
	require.NoError(t, err)
	runner, at := c.Runner, c.Target
	if runner == nil {
		if at == nil {
			at = target.NewInProcess(Engine(t, s), Account, nil)
		}
		runner = &drive.Virtual{Target: at}
	}
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, c.manifest(made))
	require.NoError(t, err)
	ended := made.Run(ctx, runner, &drive.Ledger{Recorder: recorder, Observers: c.Observers})
	validity := results.Valid
	if ended != nil {
		validity = results.Partial
	}
	var counts *results.TargetCounts
	if counter, keeps := at.(target.Counter); keeps {
		own := results.TargetCounts(counter.Counts())
		counts = &own
	}
	require.NoError(t, recorder.Finish(runner.Now().Offset(), validity, nil, counts))
	record, err := results.Read(folder)
	require.NoError(t, err)
	record.Summary = verdict.Judge(record)
	return Record{record, folder}, ended
}

// MustRun runs the campaign and fails the test if the run ends with an error.
func (c Campaign) MustRun(t testing.TB) Record {
	t.Helper()
	record, err := c.Run(t.Context(), t)
	require.NoError(t, err)
	return record
}

func (c Campaign) manifest(made *campaign.Campaign) results.Manifest {
	s, m := c.Scenario, c.Manifest
	m.Operations = made.Kinds()
	m.Scenario.Name = cmp.Or(m.Scenario.Name, s.Name)
	m.Target = cmp.Or(m.Target, results.InProcess)
	m.Time = cmp.Or(m.Time, "virtual")
	m.Start = cmp.Or(m.Start, s.Start)
	m.Retry = cmp.Or(m.Retry, s.Retry)
	m.Seed = cmp.Or(m.Seed, s.Seed)
	if m.Checks == nil {
		m.Checks = s.Expect
	}
	return m
}
