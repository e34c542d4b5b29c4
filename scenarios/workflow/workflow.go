package workflow

import (
	"slices"
	"strings"

	"loadgen/target"
)

// Move is what a workflow wants after an attempt.
type Move uint8

// The moves.
const (
	// Settle leaves the attempt to the driving loop: a success ends the operation,
	// anything else is tried again or given up as the retry policy says.
	Settle Move = iota
	// Proceed asks for the next request, at once. The attempt was as expected.
	Proceed
	// Succeed ends the operation with success, whatever the attempt's outcome.
	Succeed
	// Fail ends the operation as failed, without a retry.
	Fail
)

// Attempt is the input of [Workflow.Next].
type Attempt struct {
	// Sent is the request, which must not be altered or kept.
	Sent *target.Operation
	// Outcome is the attempt's outcome; callers must not change what it points to.
	Outcome *target.Outcome
	// Silent says that an attempt at this request, this or an earlier one, ended
	// without a word on whether it was carried out: a lost reply, or a time-out of
	// the service.
	Silent bool
}

// Workflow is one operation of several requests as a pure step machine.
type Workflow interface {
	// Begin returns the first request.
	Begin() target.Operation
	// Next handles an attempt and returns the next move; the operation is valid with Proceed only.
	// Proceed and Succeed are allowed for replies with a status below 500; the attempt then counts
	// as executed.
	Next(a Attempt) (Move, target.Operation)
}

// Stopping is a workflow that holds resources between attempts.
type Stopping interface {
	Workflow
	// Stop releases them. Callers must call it after the last attempt; counters and findings remain.
	Stop()
}

// Requests returns what a workflow sends where each request succeeds at once, as far
// as that is known beforehand: its first request at least.
func Requests(p Workflow) []target.Operation {
	if several, known := p.(interface{ Requests() []target.Operation }); known {
		return several.Requests()
	}
	return []target.Operation{p.Begin()}
}

// kinds is the closed list, in the order of their names.
var kinds = slices.SortedFunc(slices.Values(slices.Concat(transferKinds, archiveKinds, indexKinds, seriesKinds, largeKinds,
	logKinds, moveKinds, groupKinds, sumKinds, bagKinds, relationKinds, purgeKinds, sealKinds,
	viewKinds, accessKinds, copyKinds)), func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })

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
