package report

import "io"

// Object writes any value as [JSON] does a summary; what is the word for it in an error.
func Object(w io.Writer, what string, value any) error { return object(w, what, value) }
