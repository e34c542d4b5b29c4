package filter

import (
	"fmt"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// fault is why a text is no filter that could be carried out.
type fault struct {
	code entity.Code
	// at is the offset of the place, in bytes.
	at   int
	what string
}

// detail returns the fault as one line. People count characters, from 1.
func (f *fault) detail(text string) string {
	return fmt.Sprintf("%s at character %d of the $filter", f.what, utf8.RuneCountInString(text[:f.at])+1)
}

func invalid(at int, format string, values ...any) *fault {
	return &fault{code: entity.InvalidInput, at: at, what: fmt.Sprintf(format, values...)}
}

// unsupported is a fault of the service's making rather than the client's: OData
// has it, the table service does not.
func unsupported(at int, format string, values ...any) *fault {
	return &fault{code: entity.NotImplemented, at: at, what: fmt.Sprintf(format, values...)}
}

// excerpt returns s as one line of bounded length.
func excerpt(s string) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
