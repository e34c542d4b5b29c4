package keys

import (
	"errors"
	"fmt"
)

// ErrInvalidOptions is wrapped by every fault of [Options] and by the error of [New].
var ErrInvalidOptions = errors.New("keys: invalid options")

// ErrInvalidRow is wrapped by every fault of a file of values.
var ErrInvalidRow = errors.New("keys: invalid row")

// ValueFault is one thing that is wrong with [Options].
type ValueFault struct {
	// Path names the field: "attributes.age.uniform.0", "row_key",
	// "properties.2.value". Attributes go by name, properties by position.
	Path string
	// Offset is where in a template the fault is, in bytes; negative where it
	// concerns the whole field.
	Offset int
	// What is wrong, and what was expected.
	What string
}

// Error returns the path and what is wrong there.
func (f *ValueFault) Error() string { return "keys: " + f.Path + ": " + f.What }

// Unwrap returns [ErrInvalidOptions].
func (f *ValueFault) Unwrap() error { return ErrInvalidOptions }

// valueFaultf returns a [ValueFault] at a path, with what is wrong as by [fmt.Sprintf].
func valueFaultf(path, format string, args ...any) error {
	return &ValueFault{Path: path, Offset: -1, What: fmt.Sprintf(format, args...)}
}

// between is the fault of a number that has to lie between two bounds, or none.
func between(path, name string, number, least, most int64) []error {
	if number < least || number > most {
		return []error{valueFaultf(path, "%s is %d; expected %d to %d", name, number, least, most)}
	}
	return nil
}

// TemplateError says where a template's text goes wrong.
type TemplateError struct {
	// Offset is the position in the text, in bytes from 0.
	Offset int
	// What is wrong, and what was expected.
	What string
}

// Error returns the position and what is wrong there.
func (e *TemplateError) Error() string {
	return fmt.Sprintf("keys: template: byte %d: %s", e.Offset, e.What)
}
