package rest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// wall is a calendar that somebody turns while the clock beside it stands still.
type wall struct{ time.Time }

func (w *wall) Date(i clock.Instant) time.Time { return w.Add(i.Offset()) }

// A machine sleeps for 20 minutes: its monotonic clock stands still, and nobody else's.
func TestDatesAfterTheMachineSlept(t *testing.T) {
	w := &wall{time.Time(resttest.Epoch)}
	s := withTable(t, resttest.Options{Rest: rest.Options{Calendar: w}})
	signedAt := func(date string) []string {
		return []string{"X-Ms-Date: " + date, "Authorization: " + contoso.Lite(date, races)}
	}
	before, after := date, w.Time.Add(20*time.Minute).Format(http.TimeFormat)
	soon := "tn=Races&sv=2019-02-02&sp=r&se=" + w.Date(0).Add(10*time.Minute).Format(time.RFC3339)
	late := "tn=Races&sv=2019-02-02&sp=r&st=" + w.Date(0).Add(19*time.Minute).Format(time.RFC3339) + "&se=2030-01-01T00:00:00Z"
	for _, step := range []struct {
		slept time.Duration
		// signed before the sleep, after it, by a signature that expires meanwhile and by one that begins
		want [4]int
	}{{0, [4]int{200, 403, 200, 403}}, {20 * time.Minute, [4]int{403, 200, 403, 200}}} {
		w.Time = w.Time.Add(step.slept)
		reply := s.Do("GET", races, "", signedAt(after)...)
		assert.Equal(t, w.Date(s.Clock.Now()).UTC().Format(http.TimeFormat), reply.Header().Get("Date"), "Date")
		expiring, _, _ := s.bearer("GET", races, soon, "")
		beginning, _, _ := s.bearer("GET", races, late, "")
		got := [4]int{s.Do("GET", races, "", signedAt(before)...).Code, reply.Code, expiring, beginning}
		assert.Equalf(t, step.want, got, "after %v of sleep", step.slept)
	}
}
