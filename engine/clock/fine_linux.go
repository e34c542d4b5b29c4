package clock

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Fine returns a sleeper that wakes within some tens of microseconds of its
// instant. The Go runtime rounds a wait that begins while the process is idle up
// to a whole millisecond; a timer of the kernel that the runtime polls like a
// connection is not rounded, holds no thread, and leaves the processors to
// others. While the process is busy it is the other way about: connections are
// polled when nothing else is left to do, the runtime's own timers before that.
// The sleeper therefore has both, and the first to ring ends its sleep.
//
// Where the system has no timer to give, or where time is not the machine's, as in
// a test's bubble, the sleeper is that of [NewSleeper].
func (r Real) Fine() Sleeper {
	// That the process does not go by the time of the machine shows in years between the two.
	const oneTime = time.Hour
	var machine syscall.Timeval
	if err := syscall.Gettimeofday(&machine); err != nil || time.Since(time.Unix(machine.Unix())).Abs() >= oneTime {
		return NewSleeper(r)
	}
	const nonBlocking = syscall.O_NONBLOCK | syscall.O_CLOEXEC
	handle, _, fault := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, monotonic, nonBlocking, 0)
	if fault != 0 {
		return NewSleeper(r)
	}
	file := os.NewFile(handle, "timer")
	conn, err := file.SyscallConn()
	// What the runtime cannot poll has no deadlines either.
	if err = errors.Join(err, file.SetReadDeadline(time.Time{})); err != nil {
		file.Close()
		return NewSleeper(r)
	}
	f := &fine{clock: r, file: file, conn: conn}
	f.wait = f.ready
	return f
}

// monotonic is CLOCK_MONOTONIC.
const monotonic = 1

// fine sleeps by a timer of the kernel, and by the runtime's at the same time.
type fine struct {
	clock Real
	file  *os.File
	conn  syscall.RawConn
	// wait is the method ready as a value that is made once.
	wait func(handle uintptr) bool
	// left is how long the present sleep is to last, armed says that the timer is
	// set for it. They belong to the goroutine that sleeps.
	left  time.Duration
	armed bool
	// woken says that Wake was called since the last Sleep.
	woken atomic.Bool
}

// Sleep implements [Sleeper].
func (f *fine) Sleep(until Instant) {
	f.left, f.armed = min(until.Sub(f.clock.Now()), maxNap), false
	if f.left > 0 {
		f.deadline(time.Now().Add(f.left))
		if err := f.conn.Read(f.wait); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			panic("clock: a timer of the kernel cannot be waited for: " + err.Error())
		}
	}
	f.woken.Store(false)
}

// ready reports whether the sleep is over. The runtime asks once before it waits
// for the timer and again whenever that may have rung. What rang before the first
// time is forgotten by then: only here can the timer be set.
func (f *fine) ready(handle uintptr) bool {
	// Wake sets woken before the deadline: if woken is set after this check, its
	// deadline is set after ours.
	if f.armed || f.woken.Load() {
		return true
	}
	f.armed = true
	// The interval, none, and the first expiry.
	spec := [2]syscall.Timespec{1: syscall.NsecToTimespec(int64(f.left))}
	if _, _, fault := syscall.Syscall6(syscall.SYS_TIMERFD_SETTIME, handle, 0,
		uintptr(unsafe.Pointer(&spec)), 0, 0, 0); fault != 0 {
		panic("clock: a timer of the kernel cannot be set: " + fault.Error())
	}
	return false
}

// Wake implements [Sleeper].
func (f *fine) Wake() {
	f.woken.Store(true)
	f.deadline(time.Unix(1, 0))
}

// deadline has the runtime end the wait at an instant, at once where that is past.
func (f *fine) deadline(at time.Time) {
	if err := f.file.SetReadDeadline(at); err != nil && !errors.Is(err, os.ErrClosed) {
		panic("clock: a timer of the kernel takes no deadline: " + err.Error())
	}
}

// Close implements [Sleeper].
func (f *fine) Close() { f.file.Close() }
