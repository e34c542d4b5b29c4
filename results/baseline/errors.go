package baseline

import "errors"

// What can be wrong with a baseline, to be told by errors.Is. None of these is a
// difference of the runs: there is nothing to hold them against.
var (
	// ErrCorrupt: it is no baseline that can be read.
	ErrCorrupt = errors.New("no baseline")
	// ErrVersion: it was written by an earlier or a later version of the tool.
	ErrVersion = errors.New("a baseline of another version")
	// ErrEdited: it is not what was accepted.
	ErrEdited = errors.New("the baseline was changed by hand")
	// ErrForeign: it is of another scenario.
	ErrForeign = errors.New("the baseline is of another scenario")
	// ErrRecord: the run cannot be held against a baseline.
	ErrRecord = errors.New("the run does not repeat")
)
