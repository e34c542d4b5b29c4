//go:build !unix

package run

import (
	"time"
)

// CPU returns false: the CPU time is unknown.
func CPU() (time.Duration, bool) { return 0, false }

// OpenFiles returns false: the limit is unknown.
func OpenFiles() (uint64, bool) { return 0, false }
