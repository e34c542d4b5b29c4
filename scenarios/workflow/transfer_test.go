package workflow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
)

// transfers returns so many between five accounts, of whose clients the half dies.
func (w *world) transfers(count int, keyed string) []workflow.Workflow {
	given := args{"from": "payer", "to": "payee", "killed": "50%", "keyed": keyed}
	return several(count, func(k int) workflow.Workflow {
		about := thing{number: uint64(k), keys: map[string]entity.Key{"": {Partition: fmt.Sprintf("t%04d", k), Row: "transfer"}},
			values: map[string]string{"payer": fmt.Sprint(k % 5), "payee": fmt.Sprint((k + 1) % 5)}}
		return w.op("transfer", k, given, about)
	})
}

// However attempts interleave and get lost, transfers keyed by their own id sum to zero,
// also those whose client gave up.
func TestTransfersSumToZero(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(t)
		w.race(seed, 6, 30, w.transfers(40, "by-transfer"))
		w.holds("transfer", nil, 30)
	}
}

// Keyed by account, a client that dies leaves a leg without its other.
func TestTransfersByAccountDoNot(t *testing.T) {
	w := newWorld(t)
	killed := total(w.runAll(w.transfers(40, "by-account")), "killed")
	w.finds("transfer", nil, killed, 40)
	assert.GreaterOrEqual(t, killed, int64(10))
}
