package workflow

import (
	"slices"
	"strings"

	"loadgen/target"
)

// Move is the next step of a workflow after an attempt.
type Move uint8

// The moves.
const (
	// Settle leaves the attempt to the driving loop: a success ends the operation, the retry policy
	// decides about everything else.
	Settle Move = iota
	// Proceed sends the next request. The attempt was as expected.
	Proceed
	// Succeed ends the operation with success, regardless of the attempt's outcome.
	Succeed
	// Fail ends the operation as failed, without a retry.
	Fail
)

// Attempt is the input of [Procedure.Next].
type Attempt struct {
	// Sent is the request. Workflows must not change or keep it.
	Sent *target.Operation
	// Outcome is the attempt's outcome. Workflows must not change it.
	Outcome *target.Outcome
	// Silent reports that this or an earlier attempt at the request may have been executed without a
	// reply: the reply was lost, or the service timed out.
	Silent bool
}

// kinds is the closed list, in the order of their names.
var kinds = slices.SortedFunc(slices.Values(slices.Concat(transferKinds, archiveKinds, indexKinds, seriesKinds, largeKinds,
	logKinds, moveKinds, groupKinds, sumKinds, bagKinds, relationKinds, purgeKinds, sealKinds,
	accessKinds, copyKinds)), func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })

// Names returns the names of all kinds.
func Names() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// Find returns the kind with a name, nil for none.
func Find(name string) *Kind {
	for _, k := range kinds {
		if k.Name == name {
			return &k
		}
	}
	return nil
}
