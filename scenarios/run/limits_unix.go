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

// OpenFiles returns how many files this process may have open at once, if the
// system says so.
func OpenFiles() (uint64, bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return uint64(limit.Cur), true
}
