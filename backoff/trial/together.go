package trial

import (
	"time"

	"loadgen/scenarios/arrival"
)

// together is the schedule of an experiment whose trouble finds every client with
// one operation due at its first instant.
type together struct {
	lead, tail *arrival.Jittered
	clients    uint64
	at, begins time.Duration
}

var _ arrival.Schedule = (*together)(nil)

// At implements [arrival.Schedule].
func (t *together) At(n uint64) time.Duration {
	switch before := t.lead.Len(); {
	case n < before:
		return t.lead.At(n)
	case n < before+t.clients:
		return t.at
	default:
		return t.begins + t.tail.At(n-before-t.clients)
	}
}

// Len implements [arrival.Schedule].
func (t *together) Len() uint64 { return t.lead.Len() + t.clients + t.tail.Len() }

// Rate implements [arrival.Schedule]; in the trouble it is 0.
func (t *together) Rate(at time.Duration) float64 {
	if at < t.begins {
		return t.lead.Rate(at)
	}
	return t.tail.Rate(at - t.begins)
}

// Length implements [arrival.Schedule].
func (t *together) Length() time.Duration { return t.begins + t.tail.Length() }
