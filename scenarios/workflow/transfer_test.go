package workflow_test

import (
	"fmt"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
)

// transfers returns so many between five accounts.
func transfers(t *testing.T, s *workflow.Setting, count int, given map[string]string) []workflow.Workflow {
	var all []workflow.Workflow
	for k := range count {
		about := thing{number: uint64(k), keys: map[string]entity.Key{"": {Partition: fmt.Sprintf("t%04d", k), Row: "transfer"}},
			values: map[string]string{"payer": fmt.Sprint(k % 5), "payee": fmt.Sprint((k + 1) % 5)}}
		all = append(all, perform(t, s, "transfer", uint64(k), given, about))
	}
	return all
}

// However attempts interleave and get lost, transfers keyed by their own id sum to zero,
// also those whose client gave up.
func TestTransfersSumToZero(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(t)
		s := w.setting(nil)
		all := transfers(t, s, 40, map[string]string{"from": "payer", "to": "payee", "killed": "50%"})
		w.race(seed, 6, 30, all)
		w.holds(workflow.Find("transfer").Check(s, nil), 30)
	}
}

// Keyed by account, a client that dies leaves a leg without its other, and the check
// says which.
func TestTransfersByAccountDoNot(t *testing.T) {
	w := newWorld(t)
	s := w.setting(nil)
	killed := int64(0)
	for _, p := range transfers(t, s, 40, map[string]string{"from": "payer", "to": "payee", "killed": "50%", "keyed": "by-account"}) {
		w.run(p)
		killed += counted(p)["killed"]
	}
	check := workflow.Find("transfer").Check(s, nil)
	w.run(check)
	if found := check.Findings(); killed < 10 || found.Faults != killed || found.Looked != 40 {
		t.Errorf("%d clients died, %d of %d transfers do not sum to zero; want ten at least, and as many", killed, found.Faults, found.Looked)
	}
}
