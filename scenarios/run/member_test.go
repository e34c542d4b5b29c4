package run_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

const sharedRaces = `name: races
seed: 11
workers: 20
retry: short
attributes: {event: {list: [NYC, Berlin, Oslo]}, bib: {sequence: 1}}
entity: {size: 600, filler: Notes}
design: {partition_key: "{event}", row_key: "{bib}"}
phases:
  - {name: load, load: {entities: 60}}
  - {name: rush, traffic: {arrivals: {poisson: 150}, for: 1s, drain: 1s, operations: [{verb: get, weight: 4}, {verb: insert}]}}
  - {name: after, traffic: {clients: 6, count: 50, operations: [{verb: get}]}}
`

// together offers a scenario by so many members of this process, each with a connection of its
// own to the leader's engine.
func together(t *testing.T, members int) (*results.Record, []results.MergePart) {
	t.Helper()
	s := runtest.Parse(t, sharedRaces)
	parts := make([]results.MergePart, members)
	offer := func(ctx context.Context, _ *run.Plan, h run.Handed) (*results.Record, error) {
		var all sync.WaitGroup
		var waiting sync.WaitGroup
		waiting.Add(members)
		begins, failures := time.Now().Add(200*time.Millisecond), make([]error, members)
		for i := range members {
			all.Go(func() {
				var record *results.Record
				record, failures[i] = run.Run(ctx, run.Plan{Scenario: s, On: run.Embedded, NoProbe: true, Table: h.Table,
					Member: &run.Member{Share: drive.Share{Index: i, Of: members}, From: h.From, Mark: h.Mark, Engine: h.Engine,
						Ready: func(context.Context, uint64) (time.Time, error) {
							waiting.Done()
							waiting.Wait()
							return begins, nil
						}}})
				parts[i] = results.MergePart{Name: fmt.Sprint("member ", i), Record: record}
			})
		}
		all.Wait()
		if err := errors.Join(failures...); err != nil {
			return nil, err
		}
		return results.Merge(parts)
	}
	return runtest.Run(t, run.Plan{Scenario: s, On: run.Embedded, Elsewhere: &run.Elsewhere{Processes: members, Offer: offer}}).Record, parts
}

// A scenario that several members offer against the engine of who has them do so comes to what
// the plan says of each of them, and its books close against what the engine has counted.
func TestMembersOfARun(t *testing.T) {
	t.Parallel()
	record, parts := together(t, 3)
	assert.Truef(t, record.Validity == results.Valid && record.Target != nil && record.Manifest.Merged == nil,
		"the run is %s, %v, with the target's counts %v", record.Validity, record.Reasons, record.Target)
	s := runtest.Parse(t, sharedRaces)
	p := run.Plan{Scenario: s}
	plan, err := p.Offered(nil, 3)
	require.Truef(t, err == nil && len(plan) == 2 && len(record.Phases) == 2,
		"%v: %d phases planned, %d recorded; want 2", err, len(plan), len(record.Phases))
	for at, one := range plan {
		for i := range parts {
			got := int64(0)
			for _, kind := range parts[i].Record.Phases[at].Kinds {
				got += kind.Scheduled
			}
			assert.Equalf(t, one.Shares[i], got, "member %d has operations in %s", i, one.Name)
		}
		got := record.Phases[at]
		assert.Truef(t, got.Begin == one.Begin && got.Name == one.Name, "phase %s begins at %v", got.Name, got.Begin)
	}
}

// What several processes cannot offer is refused before anything is sent, by its field.
func TestRunElsewhereRefuses(t *testing.T) {
	s := runtest.Parse(t, sharedRaces)
	offer := func(context.Context, *run.Plan, run.Handed) (*results.Record, error) {
		t.Error("it was offered")
		return nil, nil
	}
	for field, change := range map[string]func(*run.Plan){
		"target":        func(p *run.Plan) { p.On = run.InProcess },
		"client":        func(p *run.Plan) { p.Driver = run.Vegeta; p.Scenario.Retry = "none" },
		"verify-writes": func(p *run.Plan) { p.Verify = true },
		"record":        func(p *run.Plan) { p.Attempts = "x" },
		"hlog":          func(p *run.Plan) { p.HistogramLog = "x" },
		"clients":       func(p *run.Plan) { p.Elsewhere.Processes = 7 },
	} {
		one := *s
		p := run.Plan{Scenario: &one, On: run.Embedded, Elsewhere: &run.Elsewhere{Processes: 2, Offer: offer}}
		change(&p)
		var fault fields.Fault
		record, err := run.Run(context.Background(), p)
		assert.Truef(t, errors.As(err, &fault) && strings.HasSuffix(fault.Path, field) && record == nil, "%s: %v", field, err)
	}
}
