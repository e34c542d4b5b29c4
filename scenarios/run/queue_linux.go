package run

import (
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// Linux's files of times spent waiting for a CPU. Each thread has a schedstat; that of /proc/self is the first thread's.
const (
	threadsFolder = "/proc/self/task"
	pressureFile  = "/proc/pressure/cpu"
)

// queue adds up how long the threads of this process waited for a CPU. The last wait of a thread that ends between two
// readings is lost.
type queue struct {
	waited map[string]time.Duration
	total  time.Duration
}

// read returns the sum since the first reading, nil if unknown.
func (q *queue) read() *time.Duration {
	threads, err := os.ReadDir(threadsFolder)
	if err != nil {
		return nil
	}
	now := make(map[string]time.Duration, len(threads))
	for _, thread := range threads {
		text, err := os.ReadFile(threadsFolder + "/" + thread.Name() + "/schedstat")
		if err != nil {
			continue // it has ended, or the kernel does not count
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

// add adds the waits of threads since the last reading.
func (q *queue) add(now map[string]time.Duration) {
	for thread, waited := range now {
		// A new thread can have the number of an old one.
		if before := q.waited[thread]; waited >= before && q.waited != nil {
			q.total += waited - before
		}
	}
	q.waited = now
}

// waitedOf returns the second number of a schedstat: the nanoseconds in which the thread was ready but did not run.
func waitedOf(text string) (time.Duration, bool) {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return 0, false
	}
	nanos, err := strconv.ParseInt(fields[1], 10, 64)
	return time.Duration(nanos), err == nil && nanos >= 0
}

// pressure returns the time since the machine's start in which any thread waited for a CPU, nil if unknown.
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

// pressureOf returns the total of the line "some" of a pressure file.
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
