package run

import (
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// The files in which Linux tells who waits for a CPU. A schedstat is of one thread,
// that of /proc/self of the process's first one alone.
const (
	threadsFolder = "/proc/self/task"
	pressureFile  = "/proc/pressure/cpu"
)

// queue adds up for how long the threads of this process have waited for a CPU. Those
// that end between two readings take with them what they waited since the first.
type queue struct {
	waited map[string]time.Duration
	total  time.Duration
}

// read returns the sum since the first reading, nil where the system does not tell.
func (q *queue) read() *time.Duration {
	threads, err := os.ReadDir(threadsFolder)
	if err != nil {
		return nil
	}
	now := make(map[string]time.Duration, len(threads))
	for _, thread := range threads {
		text, err := os.ReadFile(threadsFolder + "/" + thread.Name() + "/schedstat")
		if err != nil {
			continue // it has ended, or nobody counts
		}
		if waited, told := waitedOf(string(text)); told {
			now[thread.Name()] = waited
		}
	}
	if len(now) == 0 {
		return nil
	}
	q.add(now)
	return new(q.total)
}

// add adds what the threads have waited since the reading before.
func (q *queue) add(now map[string]time.Duration) {
	for thread, waited := range now {
		// The number of a thread that has ended may be another one's now.
		if before := q.waited[thread]; waited >= before && q.waited != nil {
			q.total += waited - before
		}
	}
	q.waited = now
}

// waitedOf returns the second number of a schedstat: the nanoseconds in which the
// thread was ready to run and did not.
func waitedOf(text string) (time.Duration, bool) {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return 0, false
	}
	nanos, err := strconv.ParseInt(fields[1], 10, 64)
	return time.Duration(nanos), err == nil && nanos >= 0
}

// pressure returns for how long something on this machine has had to wait for a CPU
// since it began, nil where the system does not tell.
func pressure() *time.Duration {
	text, err := os.ReadFile(pressureFile)
	if err != nil {
		return nil
	}
	waited, told := pressureOf(string(text))
	if !told {
		return nil
	}
	return &waited
}

// pressureOf returns the total of the line "some" of a file of pressure.
func pressureOf(text string) (time.Duration, bool) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "some" {
			continue
		}
		total, told := strings.CutPrefix(fields[len(fields)-1], "total=")
		micros, err := strconv.ParseInt(total, 10, 64)
		return time.Duration(micros) * time.Microsecond, told && err == nil && micros >= 0 && micros <= math.MaxInt64/1000
	}
	return 0, false
}
