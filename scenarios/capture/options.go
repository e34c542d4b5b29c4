package capture

import (
	"errors"
	"time"

	"loadgen/results"
)

// Options says where an observer writes and how much it keeps. A bound that is 0
// is the default.
type Options struct {
	// Recorder is of a run whose manifest's operations are [Kinds].
	Recorder *results.Recorder
	// Partitions, Shapes and Tables are how many of each are told apart at a
	// time.
	Partitions, Shapes, Tables int
	// Retries is how many operations may wait for a retry at a time, and Window
	// how long one waits after its last attempt until it counts as given up. It
	// should outlast the longest wait between two attempts of a client.
	Retries int
	Window  time.Duration
	// Hold is how long a second stays open after its end.
	Hold time.Duration
}

// The defaults of [Options].
const (
	DefaultPartitions = 1024
	DefaultShapes     = 256
	defaultTables     = 64
	DefaultRetries    = 1 << 16
	defaultWindow     = 2 * time.Minute
	defaultHold       = 5 * time.Second
)

// The greatest bounds, so that memory stays within a gigabyte.
const (
	mostPartitions = 1 << 16
	mostShapes     = 1 << 14
	mostTables     = 1 << 12
	mostRetries    = 1 << 20
	longestWindow  = time.Hour
	longestHold    = time.Minute
)

// bounded complains of a bound that is not from 0 to the most.
func bounded[N int | time.Duration](complain func(string, ...any), name string, given, most N) {
	if given < 0 || given > most {
		complain("%s: %v is not from %v to %v", name, given, N(0), most)
	}
}

// ErrOptions is wrapped by every fault of [Options]; test for it with errors.Is.
var ErrOptions = errors.New("capture: impossible options")
