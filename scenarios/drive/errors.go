package drive

import (
	"errors"
	"fmt"
)

var (
	// ErrStopped is wrapped where a budget of the scenario was exceeded, so that it
	// ended the run.
	ErrStopped = errors.New("drive: stopped")
	// ErrSilent is wrapped where the target has stopped answering.
	ErrSilent = errors.New("drive: the target has not answered")
	// ErrSettled is wrapped where a stage has come to rest, so that it need not go on.
	ErrSettled = errors.New("drive: the load has come to rest")
)

// Stop is the end of a run whose scenario sets a budget that was exceeded. It wraps
// [ErrStopped].
type Stop struct {
	// Second is how long the run had lasted, Why the budget and what was observed.
	Second int64
	Why    error
}

// Error implements error.
func (s *Stop) Error() string { return "drive: " + s.Reason() }

// Reason says why the run was stopped, for a sentence.
func (s *Stop) Reason() string { return fmt.Sprintf("stopped %d s into the run: %v", s.Second, s.Why) }

// Unwrap returns [ErrStopped].
func (s *Stop) Unwrap() error { return ErrStopped }
