package run

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

func TestOperationsOfSeveralRequests(t *testing.T) {
	query := func(class string, rows, top, pages int) scenarios.OperationSpec {
		return scenarios.OperationSpec{Verb: entity.Query, Class: class, Rows: rows, Top: top, Pages: pages}
	}
	for _, row := range []struct {
		name string
		op   scenarios.OperationSpec
		want bool
	}{
		{"a get", scenarios.OperationSpec{Verb: entity.Get}, false},
		{"a transaction of a hundred", scenarios.OperationSpec{Verb: entity.Batch, Entities: 100}, false},
		{"a workflow", scenarios.OperationSpec{Verb: entity.Insert, Workflow: "transfer"}, true},
		{"an update of what was read", scenarios.OperationSpec{Verb: entity.Replace, ReadFirst: true}, true},
		{"an update of what was looked for", scenarios.OperationSpec{Verb: entity.Merge, By: []string{"age"}}, true},
		{"rows that a filter may pick", scenarios.OperationSpec{Verb: entity.Query, Class: scenarios.ClassBy, By: []string{"age"}, Rows: 10}, true},
		{"one page of them", scenarios.OperationSpec{Verb: entity.Query, Class: scenarios.ClassBy, By: []string{"age"}, Rows: 10, Pages: 1}, false},
		{"a point query", query(scenarios.ClassPoint, 0, 0, 0), false},
		{"a scan", query(scenarios.ClassPartitionScan, 0, 0, 0), true},
		{"one page of a scan", query(scenarios.ClassPartitionScan, 0, 0, 1), false},
		{"two pages of a scan", query(scenarios.ClassPartitionScan, 0, 0, 2), true},
		{"as many rows as are on a page", query(scenarios.ClassRows, 1000, 0, 0), false},
		{"a row more", query(scenarios.ClassRows, 1001, 0, 0), true},
		{"rows within a page of its own", query(scenarios.ClassRows, 50, 50, 0), false},
		{"a row more than that", query(scenarios.ClassRows, 51, 50, 0), true},
	} {
		assert.Equalf(t, row.want, severalRequests(&row.op) != nil, "%s: severalRequests(%+v)", row.name, row.op)
	}
}

func TestRunnerIsTheOneThatWasChosen(t *testing.T) {
	s, clk := library(t, "stress"), clock.NewReal()
	d, err := (&Plan{Scenario: s, On: Embedded}).open(t.Context(), clk, "run")
	require.NoError(t, err)
	defer d.close()
	for _, driver := range []string{Native, Vegeta} {
		for _, to := range []target.Target{d.target, &budgeted{Target: d.target}} {
			p := &Plan{Scenario: s, On: Embedded, Driver: driver}
			live := &drive.Live{Clock: clk, Target: to, Workers: s.Workers}
			runner, letGo := p.runner(live, clk, d)
			letGo()
			v, is := runner.(*drive.Vegeta)
			require.Truef(t, is == (driver == Vegeta) && (is || runner == live), "runner() of --driver %s = %T", driver, runner)
			if !is {
				continue
			}
			_, spends := v.Wire.(budgetedWire)
			assert.Truef(t, v.Live == live && v.Epoch.Equal(clk.Started()) && spends == (to != d.target),
				"runner() = %+v for a target %T; want it from the clock's beginning, within a budget", v, to)
		}
	}
}

// The client's line lies between the driving loop and the target, where vegeta does not pass.
func TestVegetaSendsPastNoLine(t *testing.T) {
	s := library(t, "thin-line")
	for _, bounded := range []bool{true, false} {
		if !bounded {
			s.Model.Overrides = nil
		}
		err := (&Plan{Scenario: s, On: Embedded, Driver: Vegeta}).driverFault()
		assert.Truef(t, bounded == (err != nil), "a line that is bounded %t: driverFault() = %v", bounded, err)
	}
}
