package runs

import "errors"

// What makes runs incomparable, to be told by errors.Is.
var (
	// ErrEmpty: a run is of no length, or a side has no run.
	ErrEmpty = errors.New("nothing to compare")
	// ErrTooMany: a side has more runs than can be compared.
	ErrTooMany = errors.New("too many runs")
)
