//go:build unix

package run

import (
	"syscall"
	"time"
)

// CPU returns what the present process has used since it began, user and system,
// and false where the system does not tell. It is safe for concurrent use.
func CPU() (time.Duration, bool) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, false
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), true
}
