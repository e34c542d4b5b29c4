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

// After 20 minutes of sleep a service takes no request of the date from before.
func TestRequestsAreDatedAnewAfterTheMachineSlept(t *testing.T) {
	server := serve(t, always(framed("HTTP/1.1 204 No Content\n\n", false)))
	w := new(wall)
	client, err := azure.New(azure.Options{Endpoint: endpointAt(t, server.url()), Clock: still{clock.NewReal()}, Calendar: w})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i, want := range []string{"11:48:19", "12:08:19", "11:48:20"} {
		w.turned.Store(int64([]time.Duration{0, 20 * time.Minute, time.Second}[i]))
		op := single(entity.Insert, "1", entity.Match{})
		client.Do(t.Context(), &op)
		if got := string(server.requests()[i]); !containsDate(got, want) {
			t.Errorf("turned by %v: sent %.300q; want it dated %s", time.Duration(w.turned.Load()), got, want)
		}
	}
}
