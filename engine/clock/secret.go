package clock

import (
	"crypto/rand"
	"io"
)

// Secrets returns chance that nobody can foretell or repeat, for keys and nothing else:
// whatever is measured or simulated draws from a [Stream]. Safe for concurrent use.
func Secrets() io.Reader { return rand.Reader }
