//go:build !unix

package run

import (
	"time"
)

// CPU returns that nothing is known of what the process has used.
func CPU() (time.Duration, bool) { return 0, false }

// OpenFiles returns that a bound on open files is not known here.
func OpenFiles() (uint64, bool) { return 0, false }
