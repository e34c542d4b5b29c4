package arrival

import (
	"errors"
	"time"
)

// ErrSchedule is wrapped by errors about arrivals that cannot be.
var ErrSchedule = errors.New("arrival: impossible schedule")

// Schedule says when operations are due. It is a pure function of the
// operation's number, safe for concurrent use.
type Schedule interface {
	// At returns the intended instant of operation n, from 0, as the time
	// since the start of the stage. It does not fall with n. n must be below
	// Len.
	At(n uint64) time.Duration
	// Len returns how many operations are due.
	Len() uint64
	// Rate returns the operations due per second at a time since the start.
	Rate(at time.Duration) float64
	// Length returns how long the schedule lasts.
	Length() time.Duration
}

// The bounds of a schedule: the greatest rate, in operations per second, and the
// longest stretch of one.
const (
	MaxRate   = 10_000_000
	MaxLength = 30 * 24 * time.Hour
)
