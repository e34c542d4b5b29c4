package target_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/target"
)

// Of two bounds each is kept, and the first that both let in follows one that leaves.
func TestGateBoundsAccountAndPartition(t *testing.T) {
	g := target.NewGate(target.Parallel{Account: 3, Partition: 2})
	var entered []string
	at := func(partition string) *target.Operation {
		return &target.Operation{Verb: entity.Get, Table: "Races", Change: entity.Change{Key: entity.Key{Partition: partition}}}
	}
	for _, partition := range []string{"a", "a", "a", "b", "c"} {
		if g.Enter(at(partition), func() { entered = append(entered, "later "+partition) }) {
			entered = append(entered, partition)
		}
	}
	assert.Equal(t, []string{"a", "a", "b"}, entered)
	g.Leave(at("b"))
	assert.Equal(t, "later c", entered[len(entered)-1], "the third of a has no room in its partition")
	g.Leave(at("a"))
	assert.Equal(t, "later a", entered[len(entered)-1])
	assert.Nil(t, target.NewGate(target.Parallel{}))
}
