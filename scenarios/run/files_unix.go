//go:build unix

package run

import "syscall"

// OpenFiles returns how many files this process may have open at once, if the
// system says so.
func OpenFiles() (uint64, bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return uint64(limit.Cur), true
}
