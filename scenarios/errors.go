package scenarios

import "errors"

// ErrUnknown is wrapped by the error for a built-in scenario that does not
// exist.
var ErrUnknown = errors.New("scenarios: unknown scenario")

// ErrNoPartition is wrapped by the error for a PartitionKey that a scenario's
// load does not yield.
var ErrNoPartition = errors.New("scenarios: no such partition")
