// Package runtest carries scenarios out for tests: it reads a text with some values set to
// others, and plays it, on the virtual clock unless a runner is given, to the engine of the
// scenario's model or to a target of the test.
package runtest

import (
	"cmp"
	"context"
	"errors"
	"strings"
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

// Account is the name of the account of [Engine].
const Account = "account"

// Parse returns the scenario of a text with settings, each path=value.
func Parse(t testing.TB, text string, settings ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("test.yaml", []byte(text))
	require.NoErrorf(t, err, "%v\n%s", err, text)
	return Set(t, s, settings...)
}

// Builtin returns a scenario of the library with settings, each path=value.
func Builtin(t testing.TB, name string, settings ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Builtin(name)
	require.NoError(t, err)
	return Set(t, s, settings...)
}

// Set changes a scenario by settings, each path=value, and returns it.
func Set(t testing.TB, s *scenarios.Scenario, settings ...string) *scenarios.Scenario {
	t.Helper()
	for _, one := range settings {
		path, value, _ := strings.Cut(one, "=")
		require.NoError(t, s.Set(path, value))
	}
	if faults := s.Validate(); len(faults) > 0 {
		t.Fatalf("%v: %v", settings, errors.Join(faults...))
	}
	return s
}

// Record is a record with the files that it was read from.
type Record struct {
	*results.Record
	Folder *results.Memory
}

// Run carries out a plan that comes to its end; its record is kept in memory unless the plan
// names a folder.
func Run(t testing.TB, p run.Plan) Record {
	t.Helper()
	if p.Memory == nil {
		p.Memory = new(results.Memory)
	}
	record, err := run.Run(t.Context(), p)
	require.NoError(t, err)
	return Record{record, p.Memory}
}

// Simulate carries a scenario out by [run.Run] on the virtual clock.
func Simulate(t testing.TB, s *scenarios.Scenario) Record {
	t.Helper()
	return Run(t, run.Plan{Scenario: s})
}

// Engine returns an engine of the scenario's model with one account.
func Engine(t testing.TB, s *scenarios.Scenario) *engine.Engine {
	t.Helper()
	m, err := s.PartitionModel()
	require.NoError(t, err)
	return engine.New(engine.Options{Model: m, Accounts: []string{Account}, Seed: s.Seed, Cold: s.Start == scenarios.StartCold})
}

// Campaign is a campaign that is carried out without a plan: what [run.Plan] cannot ask for.
type Campaign struct {
	// Options need the scenario; the table is called like the scenario's unless it is given.
	// A search is asked for by Find.
	campaign.Options
	// Target is where the load goes on the virtual clock, nil for an [Engine].
	Target target.Immediate
	// Runner takes the place of the virtual clock and its target.
	Runner    drive.Runner
	Observers []drive.Observer
	// Manifest is what the record says beside what follows from the scenario.
	Manifest results.Manifest
}

// Run carries the campaign out and returns its judged record, with the target's own counts if
// it keeps books, and how it ended.
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

// MustRun is Run of a campaign that comes to its end.
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
