package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// cpuOf reads the clock that the kernel has of each process: CPUCLOCK_SCHED of all its
// threads, whose number is made of the process's (include/linux/posix-timers.h).
func cpuOf(pid int) (time.Duration, error) {
	const ofProcess = 2 // CPUCLOCK_SCHED, without CPUCLOCK_PERTHREAD
	var used syscall.Timespec
	number := uintptr(int32(^pid<<3 | ofProcess))
	if _, _, fault := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, number, uintptr(unsafe.Pointer(&used)), 0); fault != 0 {
		return 0, fmt.Errorf("the CPU of process %d: %w", pid, fault)
	}
	return time.Duration(used.Nano()), nil
}

// memoryOf reads the second number of statm: pages that are resident.
func memoryOf(pid int) (int64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0, fmt.Errorf("the memory of process %d: %w", pid, err)
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, ErrUntold
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// Busy is for how long the CPUs of the machine have worked since it began, for whomever, the
// time that a host took from them included; false where the system does not tell.
func Busy() (time.Duration, bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	return busyOf(text)
}

// busyOf adds up the line of all CPUs: user, nice, system, irq, softirq and steal, in
// hundredths of a second; idle and iowait are not work, and guests are users already.
func busyOf(stat []byte) (time.Duration, bool) {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, false
	}
	var ticks int64
	for _, at := range []int{1, 2, 3, 6, 7, 8} {
		n, err := strconv.ParseInt(fields[at], 10, 64)
		if err != nil || n < 0 {
			return 0, false
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, true
}
