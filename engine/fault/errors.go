package fault

import "errors"

// ErrInvalid is the error for a plan that contradicts itself, to be tested for
// with [errors.Is].
var ErrInvalid = errors.New("fault: invalid plan")
