package backoff

import "errors"

// Errors of the package, to be tested for with [errors.Is].
var (
	// ErrUnknown is the error for a name that no preset bears.
	ErrUnknown = errors.New("backoff: unknown policy")
	// ErrInvalid is the error for a policy that contradicts itself.
	ErrInvalid = errors.New("backoff: invalid policy")
)
