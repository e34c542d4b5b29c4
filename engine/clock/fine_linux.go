package clock

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Fine returns a sleeper that wakes within some tens of microseconds of its
// instant. The Go runtime rounds a wait that begins while the process is idle up
// to a whole millisecond; a timer of the kernel that the runtime polls like a
// connection is rounded by nobody, holds no thread, and leaves the processors to
// others. Where the system has none to give, or where time is not the machine's, as
// in a test's bubble, the sleeper is that of [NewSleeper].
func (r Real) Fine() Sleeper {
	if !machineTime() {
		return NewSleeper(r)
	}
	const nonBlocking = syscall.O_NONBLOCK | syscall.O_CLOEXEC
	handle, _, fault := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, monotonic, nonBlocking, 0)
	if fault != 0 {
		return NewSleeper(r)
	}
	file := os.NewFile(handle, "timer")
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return NewSleeper(r)
	}
	f := &fine{clock: r, file: file, conn: conn}
	f.wait = f.ready
	return f
}

// machineTime reports whether the process goes by the time of the machine. That
// they differ by years shows a time that does not pass by itself.
func machineTime() bool {
	const oneTime = time.Hour
	var machine syscall.Timeval
	if err := syscall.Gettimeofday(&machine); err != nil {
		return false
	}
	return time.Since(time.Unix(machine.Unix())).Abs() < oneTime
}

// monotonic is CLOCK_MONOTONIC.
const monotonic = 1

// fine sleeps by a timer of the kernel.
type fine struct {
	clock Real
	file  *os.File
	conn  syscall.RawConn
	// wait is the method ready as a value that is made once.
	wait func(handle uintptr) bool
	// until is when the present sleep is to end, armed says that the timer is
	// set for it. They belong to the goroutine that sleeps.
	until Instant
	armed bool
	// woken says that Wake was called since the last Sleep.
	woken atomic.Bool
}

// Sleep implements [Sleeper].
func (f *fine) Sleep(until Instant) {
	f.until, f.armed = until, false
	if err := f.conn.Read(f.wait); err != nil {
		panic("clock: a timer of the kernel cannot be waited for: " + err.Error())
	}
	f.woken.Store(false)
}

// ready reports whether the sleep is over. The runtime asks once before it waits
// for the timer and again whenever that may have rung. What rang before the first
// time is forgotten by then: only here can the timer be set.
func (f *fine) ready(handle uintptr) bool {
	left := f.until.Sub(f.clock.Now())
	if f.armed || left <= 0 {
		return true
	}
	f.armed = true
	set(handle, min(left, longestNap))
	// Whoever wakes sets the mark first and the timer then: where the mark comes
	// after this look, its timer comes after ours.
	return f.woken.Load()
}

// Wake implements [Sleeper].
func (f *fine) Wake() {
	f.woken.Store(true)
	// The error is that of a closed sleeper.
	_ = f.conn.Control(func(handle uintptr) { set(handle, 1) })
}

// Close implements [Sleeper].
func (f *fine) Close() { f.file.Close() }

// set has the timer ring once, after a positive time.
func set(handle uintptr, after time.Duration) {
	// The interval, none, and the first expiry.
	spec := [2]syscall.Timespec{1: syscall.NsecToTimespec(int64(after))}
	if _, _, fault := syscall.Syscall6(syscall.SYS_TIMERFD_SETTIME, handle, 0,
		uintptr(unsafe.Pointer(&spec)), 0, 0, 0); fault != 0 {
		panic("clock: a timer of the kernel cannot be set: " + fault.Error())
	}
}
