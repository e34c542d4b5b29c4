package nearest

import "fmt"

// Fault is an error about a given value. It wraps Kind, the sentinel of the
// package that refuses the value; What says what is wrong, without the text of Kind.
type Fault struct {
	Kind error
	What string
}

// Faultf returns a [*Fault] with a formatted What.
func Faultf(kind error, format string, args ...any) error {
	return &Fault{kind, fmt.Sprintf(format, args...)}
}

// Error implements error: the kind, then what is wrong.
func (f *Fault) Error() string { return f.Kind.Error() + ": " + f.What }

// Unwrap returns the kind.
func (f *Fault) Unwrap() error { return f.Kind }

// What returns what is wrong of a [*Fault], and all of what any other error says.
func What(err error) string {
	if f, ok := err.(*Fault); ok {
		return f.What
	}
	return err.Error()
}
