package backoff

import (
	"errors"
	"fmt"
)

// Errors of the package, to be tested for with [errors.Is].
var (
	// ErrUnknown is the error for a name that no preset bears.
	ErrUnknown = errors.New("backoff: unknown policy")
	// ErrInvalid is the error for a policy that contradicts itself.
	ErrInvalid = errors.New("backoff: invalid policy")
)

// faultList is what is wrong with a policy, a delay or a limiter.
type faultList []error

// when adds a fault, wrapped around [ErrInvalid], where something is wrong.
func (l *faultList) when(wrong bool, format string, args ...any) {
	if wrong {
		*l = append(*l, fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...))
	}
}
