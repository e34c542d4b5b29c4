package rest

import (
	"strings"
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

// parseDate returns the instant that a date header names: RFC 1123, in GMT.
func parseDate(text string) (entity.Ticks, bool) {
	if len(text) != len(httpDate) {
		return 0, false
	}
	t, err := time.Parse(httpDate, text)
	return entity.TicksOf(t), err == nil
}

// tagger writes entity tags. Most versions fall into the same second as the one
// before, whose date it keeps.
type tagger struct {
	second entity.Ticks
	// start is the tag of the second up to where a fraction begins.
	start string
}

// tagEnd is what follows the fraction in a tag.
const tagEnd = `Z'"`

func (t *tagger) append(dst []byte, version entity.Ticks) []byte {
	fraction := version % ticksPerSecond
	if second := version - fraction; t.start == "" || second != t.second {
		t.second, t.start = second, strings.TrimSuffix(second.ETag(), tagEnd)
	}
	dst = append(dst, t.start...)
	if fraction > 0 {
		dst = append(dst, '.')
		for unit := ticksPerSecond / 10; fraction > 0; unit /= 10 {
			dst = append(dst, '0'+byte(fraction/unit))
			fraction %= unit
		}
	}
	return append(dst, tagEnd...)
}
