package serve

import (
	"errors"
	"fmt"
)

// ErrKnownKey is wrapped by the [Fault] of a service that others reach with the
// key that every emulator has.
var ErrKnownKey = errors.New("the emulators' key is known to all; an address that others reach needs one of your own")

// Fault is what is wrong with one of [Options].
type Fault struct {
	// Field is its name in lower case, such as "listen".
	Field string
	// Value is what it holds that is wrong, of a key its KeyName; empty where Err
	// says it.
	Value string
	// Known are the names that Value is to be one of, nil where it is no name.
	Known []string
	// Err says why.
	Err error
}

// Error implements error.
func (f Fault) Error() string {
	if f.Value == "" {
		return fmt.Sprintf("serve: %s: %v", f.Field, f.Err)
	}
	return fmt.Sprintf("serve: %s %s: %v", f.Field, f.Value, f.Err)
}

// Unwrap returns the reason.
func (f Fault) Unwrap() error { return f.Err }
