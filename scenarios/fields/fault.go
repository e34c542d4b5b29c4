package fields

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrInvalid is wrapped by every fault of a scenario.
var ErrInvalid = errors.New("fields: invalid scenario")

// Fault is one thing that is wrong with a scenario.
type Fault struct {
	// File is where the value came from: a file's name, or "--set path" for an
	// override; empty for a scenario that was put together by a program.
	File string
	// Line and Column count from 1, the column in characters; they are 0 where
	// there is no position.
	Line, Column int
	// Path names the field as Scenario.Set takes it, list items by position.
	Path string
	// What is wrong, and what was expected.
	What string
}

// Error returns "file:line:column: what", with as much of the place as there
// is; without any it names the path.
func (f Fault) Error() string {
	switch {
	case f.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.What)
	case f.File != "":
		return f.File + ": " + f.What
	case f.Path != "":
		return f.Path + ": " + f.What
	default:
		return f.What
	}
}

// Unwrap returns [ErrInvalid].
func (f Fault) Unwrap() error { return ErrInvalid }

// Faults is everything that is wrong with a scenario, in the order of the file.
type Faults []Fault

// Error returns one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return strings.Join(lines, "\n")
}

// FaultsOf returns what a Validate has found as one error, [Faults], nil where that is
// nothing.
func FaultsOf(found []error) error {
	var all Faults
	for _, err := range found {
		var one Fault
		if !errors.As(err, &one) {
			one.What = err.Error()
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Unwrap returns the faults one by one.
func (f Faults) Unwrap() []error {
	list := make([]error, len(f))
	for i := range f {
		list[i] = f[i]
	}
	return list
}

// maxFaults bounds how many faults of one scenario are reported.
const maxFaults = 1000

// Sorted returns the faults in the order of the file. If there are too
// many to read, the last one says how many were left out.
func (f Faults) Sorted() Faults {
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if more := len(f) - maxFaults; more > 0 {
		last := f[maxFaults-1]
		last.Path, last.What = "", fmt.Sprintf("%d more faults follow; expected none", more)
		f = append(f[:maxFaults:maxFaults], last)
	}
	return f
}

// ErrorOrNil returns the faults, sorted, as an error, and a true nil where there
// are none.
func (f Faults) ErrorOrNil() error {
	if len(f) == 0 {
		return nil
	}
	return f.Sorted()
}

// Concern reports whether any fault lies at, above or below one of the paths.
func (f Faults) Concern(paths ...string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		return slices.ContainsFunc(f, func(fault Fault) bool {
			return IsInside(fault.Path, path) || IsInside(path, fault.Path)
		})
	})
}

// Cover reports whether any fault lies at or above the path: what stands there
// was then not read.
func (f Faults) Cover(path string) bool {
	return slices.ContainsFunc(f, func(fault Fault) bool { return IsInside(path, fault.Path) })
}

// IsInside reports whether a path is another one or lies below it. Everything
// lies below the empty path.
func IsInside(path, above string) bool {
	return above == "" || path == above || strings.HasPrefix(path, above+".")
}
