package azure

import (
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
)

// The headers by which a service says when to try again: that of Cosmos DB, in
// milliseconds, and that of HTTP, in seconds or as a date.
const (
	retryMillisHeader = "x-ms-retry-after-ms"
	retryHeader       = "Retry-After"
)

// mostRetryAfter bounds how long a service can ask to be left alone.
const mostRetryAfter = time.Hour

// retryAfter returns how long the service asks to be left alone, 0 where it does
// not ask. The finer header goes first. A date is compared with the one that the
// reply bears, if it has one: this machine's clock may be another.
func (t *Target) retryAfter(r *reply) time.Duration {
	if text, found := r.header(retryMillisHeader); found {
		if wait, ok := retryPause(text, time.Millisecond); ok {
			return wait
		}
	}
	text, found := r.header(retryHeader)
	if !found {
		return 0
	}
	if wait, ok := retryPause(text, time.Second); ok {
		return wait
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(r.first(dateHeader))
	if err != nil {
		now = t.dates.calendar.Date(t.clock.Now())
	}
	return min(max(at.Sub(now), 0), mostRetryAfter)
}

// retryPause reads a number of units, and reports whether the text is one.
func retryPause(text string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n > uint64(mostRetryAfter/unit):
		return mostRetryAfter, true
	case err != nil:
		return 0, false
	default:
		return time.Duration(n) * unit, true
	}
}

// dates has the latest second of the clock as the header x-ms-date has it: the text of a second is
// made once. Safe for concurrent use.
type dates struct {
	calendar clock.Calendar
	latest   atomic.Pointer[date]
}

type date struct {
	second int64
	text   string
}
