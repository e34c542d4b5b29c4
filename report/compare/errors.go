package compare

import "errors"

// ErrOptions is wrapped by every fault of a [Gate], ErrFigures by every fault of the
// figures to compare, and ErrTree by every fault of a text that [Diff] cannot read; test
// for them with errors.Is.
var (
	ErrOptions = errors.New("compare: impossible options")
	ErrFigures = errors.New("compare: figures that cannot be compared")
	ErrTree    = errors.New("compare: not a tree of JSON values")
)
