//go:build !invariants

package rest

import (
	"io"
	"net/http"
	"testing"
)

// A request that is read directly allocates nothing beyond what its handler does, or a
// copy of its head and its URL where the handler may keep them.
func TestAllocationsOfARequest(t *testing.T) {
	fields := [][2]string{{"Content-Length", "5"}, {"Content-Type", "text/plain"}, {"Date", "today"}, {"Etag", "1"}}
	room, hello := make([]byte, 8), []byte("hello")
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := r.Body.Read(room)
		if n != 5 || err != io.EOF {
			t.Errorf("body = %d bytes, %v; want 5, and the end", n, err)
		}
		w.(interface {
			Reply(int, [][2]string, []byte)
		}).Reply(http.StatusOK, fields, hello)
	})
	for _, row := range []struct {
		transient bool
		most      float64
	}{{true, 0}, {false, 3}} {
		const few, many = 100, 1100
		o := ListenOptions{Handler: h, Transient: row.transient}
		count := func(times int) float64 {
			return testing.AllocsPerRun(1, func() { serveTimes(t, o, usual+"hello", times) })
		}
		if got := (count(many) - count(few)) / (many - few); got > row.most+0.05 {
			t.Errorf("transient %t: %.2f allocations for each request; want %g at most", row.transient, got, row.most)
		}
	}
}
