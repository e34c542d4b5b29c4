package campaign

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// mixOf returns a mix of one operation of these on prepared entities of a built-in scenario.
func mixOf(t *testing.T, spec scenarios.OperationSpec) *mix {
	t.Helper()
	s, err := scenarios.Builtin("simulate")
	require.NoError(t, err)
	spec.Properties, spec.Name, spec.Weight = s.Phases[0].Operations()[0].Properties, "one", 1
	s.Phases[0].Traffic.Operations = []scenarios.OperationSpec{spec}
	c, err := NewCampaign(Options{Scenario: s, Table: "simulate"})
	require.NoError(t, err)
	partitions, err := c.spreadOver(0)
	require.NoError(t, err)
	m, err := c.newMix(0, partitions[:2]...)
	require.NoError(t, err)
	m.prepare()
	return m
}

// What is reckoned beforehand of a merge is what it weighs; of what is altered on its way,
// and of all else, nothing is.
func TestMergesWeighWhatWasReckoned(t *testing.T) {
	for _, row := range []struct {
		name     string
		spec     scenarios.OperationSpec
		reckoned bool
	}{
		{"a merge", scenarios.OperationSpec{Verb: entity.Merge}, true},
		{"one that inserts", scenarios.OperationSpec{Verb: entity.InsertOrMerge}, true},
		{"one that reads first, and writes what it read", scenarios.OperationSpec{Verb: entity.Merge, ReadFirst: true}, false},
		{"a transaction of merges", scenarios.OperationSpec{Verb: entity.Batch, Change: entity.Merge, Entities: 2}, false},
		{"a read", scenarios.OperationSpec{Verb: entity.Get}, false},
	} {
		m := mixOf(t, row.spec)
		for k := range uint64(500) {
			var w drive.Work
			m.work(k, &w)
			op := &w.Operation
			if !row.reckoned {
				require.Truef(t, op.Sizes == (target.Sizes{}), "%s: %+v is reckoned; want nothing", row.name, op.Sizes)
				continue
			}
			got := fmt.Sprint(op.Sizes.Request, op.RequestBytes(), op.WrittenBytes(), op.Sizes.Billed)
			op.Sizes = target.Sizes{}
			request := op.RequestBytes()
			require.Equalf(t, fmt.Sprint(request, request, op.WrittenBytes(), entity.Size(op.Change.Key, op.Change.Properties)), got,
				"%s %d: weighs", row.name, k)
		}
	}
}
