package rest_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// wall is a calendar that somebody turns while the clock beside it goes on or stands
// still: forwards where the machine slept, back where it was put right.
type wall struct {
	epoch  time.Time
	turned atomic.Int64
}

func (w *wall) Date(i clock.Instant) time.Time {
	return w.epoch.Add(i.Offset() + time.Duration(w.turned.Load()))
}

func (w *wall) turn(by time.Duration) { w.turned.Add(int64(by)) }

// onTheWall is a service with a table whose dates come from a wall.
func onTheWall(t *testing.T) (*service, *wall) {
	w := &wall{epoch: time.Time(resttest.Epoch)}
	return withTable(t, resttest.Options{Rest: rest.Options{Calendar: w}}), w
}

// signedAt returns the headers of a request that is signed at a date.
func signedAt(date, target string) []string {
	return []string{"X-Ms-Date: " + date, "Authorization: " + contoso.Lite(date, target)}
}

// A machine sleeps for 20 minutes: its monotonic clock stands still, and nobody else's.
func TestDatesAfterTheMachineSlept(t *testing.T) {
	s, w := onTheWall(t)
	soon := "tn=Races&sv=2019-02-02&sp=r&se=" + w.Date(0).Add(10*time.Minute).Format(time.RFC3339)
	late := "tn=Races&sv=2019-02-02&sp=r&st=" + w.Date(0).Add(19*time.Minute).Format(time.RFC3339) + "&se=2030-01-01T00:00:00Z"
	for _, step := range []struct {
		slept                          time.Duration
		key, before, after, soon, late int
	}{
		{0, 200, 200, 403, 200, 403},
		{20 * time.Minute, 403, 403, 200, 403, 200},
	} {
		w.turn(step.slept)
		before, after := date, w.epoch.Add(20*time.Minute).Format(http.TimeFormat)
		check := func(what string, got, want int) {
			assert.Equalf(t, want, got, "%v of sleep on: %s", step.slept, what)
		}
		check("signed before the sleep", s.Do("GET", races, "", signedAt(before, races)...).Code, step.before)
		reply := s.Do("GET", races, "", signedAt(after, races)...)
		check("signed after it", reply.Code, step.after)
		assert.Equalf(t, w.Date(s.Clock.Now()).UTC().Format(http.TimeFormat), reply.Header().Get("Date"),
			"%v of sleep on: Date", step.slept)
		status, _, _ := s.bearer("GET", races, soon, "")
		check("a shared access signature that expires meanwhile", status, step.soon)
		status, _, _ = s.bearer("GET", races, late, "")
		check("one that begins meanwhile", status, step.late)
	}
}
