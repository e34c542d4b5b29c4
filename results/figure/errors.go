package figure

import (
	"errors"
	"fmt"
	"strings"
)

// ErrClaimSyntax is wrapped by every [ClaimFault].
var ErrClaimSyntax = errors.New("expectation: no such claim")

// ClaimFault is what is wrong with a claim, and where.
type ClaimFault struct {
	// Offset is the byte of the text at which it shows.
	Offset int
	// What says what was found and what was expected.
	What string
	// Name is a figure that is not known, so that the caller may suggest the
	// nearest of [Names]; empty for any other fault.
	Name string
}

// Error returns what is wrong, with the names that are known where one is not.
func (f *ClaimFault) Error() string {
	what := f.What
	if f.Name != "" {
		what += "; expected one of " + strings.Join(Names(), ", ")
	}
	return fmt.Sprintf("byte %d: %s", f.Offset, what)
}

// Unwrap returns [ErrClaimSyntax].
func (f *ClaimFault) Unwrap() error { return ErrClaimSyntax }
