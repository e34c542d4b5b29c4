package clock

import (
	"time"
	"unsafe"
)

// Woken returns a clock as NewReal does on a machine that has slept for so many whole
// seconds since: its start has the monotonic time of now, and the wall time of before.
// package time lets nobody take the two apart, so this reaches into a time.Time, which
// has the seconds of the wall time above the 30 bits of its nanoseconds where it has a
// monotonic time.
func Woken(slept time.Duration) Real {
	start := time.Now()
	*(*uint64)(unsafe.Pointer(&start)) -= uint64(slept/time.Second) << 30
	return Real{start: start}
}
