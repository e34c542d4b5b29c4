//go:build !invariants && !race

package rest_test

import (
	"net/http"
	"runtime"
	"testing"

	"loadgen/engine/rest/resttest"
)

// What a request allocates beyond what the store keeps is counted, since that is what
// makes a server slow without anybody's notice: an insert stores an entity and a key,
// a get nothing. The header of a reply takes two.
func TestAllocationsOfRequests(t *testing.T) {
	s := withTable(t)
	for i := range 1000 {
		s.Want(t, 201, "POST", races, registration(i))
	}
	for _, row := range requestsOf(s) {
		w := &discard{header: make(http.Header)}
		got := testing.AllocsPerRun(row.runs, func() {
			s.ServeHTTP(w, row.next())
			if w.status != row.status {
				t.Fatalf("%s: status = %d; want %d", row.name, w.status, row.status)
			}
		})
		t.Logf("%s allocates %.0f times", row.name, got)
		if got > row.most {
			t.Errorf("%s allocates %.0f times; want %.0f at most", row.name, got, row.most)
		}
	}
}

// Room that grows with a page is copied again and again, and comes to several times what
// the page takes.
func TestTheRoomOfAPageIsMadeOnce(t *testing.T) {
	s := withTable(t)
	for i := range 1000 {
		s.Want(t, 201, "POST", races, registration(i))
	}
	page := resttest.NewRequest("GET", marathonPage, "")
	w := discard{header: make(http.Header)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.ServeHTTP(&w, page)
	runtime.ReadMemStats(&after)
	const rows, slack = 160 << 10, 16
	if got, most := int64(after.TotalAlloc-before.TotalAlloc), w.bytes+w.bytes/slack+rows; got > most {
		t.Errorf("a first page of %d bytes allocates %d; want at most %d", w.bytes, got, most)
	}
}
