package azure_test

import (
	"sync/atomic"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target/azure"
)

// wall is a calendar that is turned while the clock beside it stands.
type wall struct{ turned atomic.Int64 }

func (w *wall) Date(i clock.Instant) time.Time {
	return epoch.Add(i.Offset() + time.Duration(w.turned.Load()))
}

// A request carries the second in which it is sent, and of the calendar's date what that is
// then: after 20 minutes of sleep a service takes no request of the date from before.
func TestDates(t *testing.T) {
	moved, w := &moving{}, new(wall)
	subject, server := openAt(t, always(created), azure.Options{Clock: moved, Calendar: w})
	op := single(entity.Insert, "1", entity.Match{})
	for n, row := range []struct {
		name       string
		at, turned time.Duration
		shown      string
	}{
		{"at first", 0, 0, "11:48:19"},
		{"within the second", 999 * time.Millisecond, 0, "11:48:19"},
		{"in the next", time.Second, 0, "11:48:20"},
		{"after a sleep", time.Second, 20 * time.Minute, "12:08:20"},
		{"set back", time.Second, time.Second, "11:48:21"},
		{"an hour later", time.Hour, 0, "12:48:19"},
		{"the next day", 24 * time.Hour, 0, "Sat, 21 Nov 2026 11:48:19 GMT"},
	} {
		moved.at.Store(int64(row.at))
		w.turned.Store(int64(row.turned))
		subject.Do(t.Context(), &op)
		if request := string(server.requests()[n]); !containsDate(request, row.shown) {
			t.Errorf("%s: sent %.300q; want the date %s", row.name, request, row.shown)
		}
	}
}
