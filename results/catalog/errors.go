package catalog

import (
	"errors"
	"io/fs"
)

var (
	// ErrAge is wrapped where a text is no age.
	ErrAge = errors.New("no age; expected one such as 30d, 2w or 12h")
	// ErrTags is wrapped where a file of tags holds none.
	ErrTags = errors.New("tags.json does not hold the tags of a run")
)

// Fault is what is wrong with what was asked for.
type Fault struct {
	// Field is the argument, or the field of the options, that is at fault.
	Field string
	// Err says what is wrong in one line, and what was expected.
	Err error
}

// Error returns the field and what is wrong with it.
func (f *Fault) Error() string { return f.Field + ": " + f.Err.Error() }

// Unwrap returns what is wrong.
func (f *Fault) Unwrap() error { return f.Err }

// Reason returns what is wrong with a file, without its path.
func Reason(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}
