package check

import (
	"loadgen/results/figure"

	"errors"
	"fmt"
	"strings"
)

// ErrSyntax is wrapped by every [Fault].
var ErrSyntax = errors.New("expectation: no such claim")

// Fault is what is wrong with a claim, and where.
type Fault struct {
	// Offset is the byte of the text at which it shows.
	Offset int
	// What says what was found and what was expected.
	What string
	// Name is a figure that is not known, so that the caller may suggest the
	// nearest of [figure.Names]; empty for any other fault.
	Name string
}

// Error returns what is wrong, with the names that are known where one is not.
func (f *Fault) Error() string {
	what := f.What
	if f.Name != "" {
		what += "; expected one of " + strings.Join(figure.Names(), ", ")
	}
	return fmt.Sprintf("byte %d: %s", f.Offset, what)
}

// Unwrap returns [ErrSyntax].
func (f *Fault) Unwrap() error { return ErrSyntax }
