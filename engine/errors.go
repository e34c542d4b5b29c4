package engine

import "errors"

// ErrInvalidFault is the error for a plan that contradicts itself, to be tested for
// with [errors.Is].
var ErrInvalidFault = errors.New("engine: invalid plan")
