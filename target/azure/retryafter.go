package azure

import (
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
)

// The headers with the time of a retry: that of Cosmos DB, in milliseconds, and that of HTTP, in seconds or
// as a date.
const (
	retryMillisHeader = "x-ms-retry-after-ms"
	retryHeader       = "Retry-After"
)

// maxRetryAfter limits the requested delay.
const maxRetryAfter = time.Hour

// retryAfter returns the delay that the service requests, 0 for none. The finer header has precedence. A date
// is relative to that of the reply, if it has one: this machine's clock may differ.
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
	now, err := http.ParseTime(r.firstValue(dateHeader))
	if err != nil {
		now = t.dates.calendar.Date(t.clock.Now())
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

// retryPause reads a number of units, and reports whether the text is one.
func retryPause(text string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n > uint64(maxRetryAfter/unit):
		return maxRetryAfter, true
	case err != nil:
		return 0, false
	default:
		return time.Duration(n) * unit, true
	}
}

// dates formats the header x-ms-date once per second. It is safe for concurrent use.
type dates struct {
	calendar clock.Calendar
	latest   atomic.Pointer[date]
}

type date struct {
	second int64
	text   string
}
