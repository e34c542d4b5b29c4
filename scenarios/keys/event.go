package keys

import (
	"time"

	"loadgen/engine/entity"
)

// Event is what an entity records: one that was there before the load, or one
// that came about while the load ran.
type Event struct {
	// Number is the entity's own, below 2⁶².
	Number uint64
	// Lead is the number that decides those attributes which Shared names, in place
	// of Number: events of one lead have the same values of them.
	Lead   uint64
	Shared Shared
	// Run is how long after the beginning of the measured load the event came
	// about. It counts only where Offered is set, and is not negative.
	Run time.Duration
	// Offered says that the event came about during the load. Without it the
	// entity was loaded beforehand.
	Offered bool
}

// loaded returns the event of an entity that was loaded.
func loaded(n uint64) Event { return Event{Number: n} }

// occurrence is an event as one placeholder sees it: with the time set back by so
// much. A planner looks at a span of time through its two ends.
type occurrence struct {
	Event
	back entity.Ticks
}
