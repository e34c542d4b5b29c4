package survey

import (
	"errors"
	"fmt"
)

// ErrOptions is wrapped by every fault of [Options], and ErrKeys by every fault
// of a file of keys; test for them with errors.Is.
var (
	ErrOptions = errors.New("survey: impossible options")
	ErrKeys    = errors.New("survey: not a file of keys")
)

// RowFault is one thing that is wrong with a file of keys. It wraps [ErrKeys].
type RowFault struct {
	File string
	// Line counts from 1; it is the first of a row that takes several.
	Line int64
	// What is wrong, and what was expected.
	What string
}

// Error returns "file:line: what".
func (f *RowFault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What) }

// Unwrap returns [ErrKeys].
func (f *RowFault) Unwrap() error { return ErrKeys }
