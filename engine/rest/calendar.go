package rest

import (
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// calendar writes the dates of instants as the wire has them. It is safe for concurrent
// use.
type calendar struct {
	of clock.Calendar
	// latest is the text of the second that was asked for last: almost every
	// reply falls into the same second as the one before it.
	latest atomic.Pointer[dated]
}

// dated is a second of the calendar, and the value of a header Date for it.
type dated struct {
	second int64
	value  string
}

// httpDate is the form of the headers Date and x-ms-date.
const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"

const ticksPerSecond = entity.Ticks(time.Second / 100)

func (c *calendar) ticks(i clock.Instant) entity.Ticks { return entity.TicksOf(c.of.Date(i)) }

// header returns the value of a header Date at an instant.
func (c *calendar) header(i clock.Instant) string {
	t := c.ticks(i)
	second := int64(t / ticksPerSecond)
	if known := c.latest.Load(); known != nil && known.second == second {
		return known.value
	}
	fresh := &dated{second, t.Time().Format(httpDate)}
	c.latest.Store(fresh)
	return fresh.value
}
