//go:build unix

package run

import (
	"syscall"
	"time"
)

// CPU returns the user and system time of this process since its start, if known. It is safe for concurrent use.
func CPU() (time.Duration, bool) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, false
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), true
}

// OpenFiles returns the maximum number of open files of this process, if known.
func OpenFiles() (uint64, bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return uint64(limit.Cur), true
}
