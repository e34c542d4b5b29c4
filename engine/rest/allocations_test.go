//go:build !invariants && !race

package rest_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
		assert.LessOrEqual(t, got, row.most, row.name)
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
	assert.LessOrEqual(t, int64(after.TotalAlloc-before.TotalAlloc), w.bytes+w.bytes/slack+rows, "bytes allocated for a first page")
}

// discard is a ResponseWriter that is used again and keeps nothing.
type discard struct {
	header http.Header
	status int
	bytes  int64
}

func (d *discard) Header() http.Header { return d.header }

func (d *discard) WriteHeader(status int) { d.status = status }

func (d *discard) Write(p []byte) (int, error) {
	d.bytes += int64(len(p))
	return len(p), nil
}

// again is a body that can be read over and over.
type again struct{ strings.Reader }

func (*again) Close() error { return nil }

// sends returns a function that has the request sent with the body given.
func sends(method, target string, headers ...string) func(body string) *http.Request {
	r := resttest.NewRequest(method, target, "x", headers...)
	room := &again{}
	r.Body = room
	return func(body string) *http.Request {
		room.Reset(body)
		r.ContentLength = int64(len(body))
		return r
	}
}

// hundredUpserts is a transaction of a hundred entities.
func hundredUpserts() string {
	var t strings.Builder
	t.WriteString("--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n")
	for i := range 100 {
		fmt.Fprintf(&t, "--changeset_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"+
			"PUT http://127.0.0.1:10002/contoso/Races(PartitionKey='2011%%20New%%20York%%20City%%20Marathon__Full',RowKey='%08d__Kim__F__37') HTTP/1.1\r\n"+
			"Content-Type: application/json\r\nAccept: application/json;odata=minimalmetadata\r\n\r\n%s\r\n", i, registration(i))
	}
	return t.String() + "--changeset_1--\r\n--batch_1--\r\n"
}

// measured is a request that may be sent over and over, or one after another.
type measured struct {
	name         string
	status, runs int
	// most is how often it may allocate.
	most float64
	next func() *http.Request
}

func requestsOf(s *service) []measured {
	before, after, _ := strings.Cut(registration(0), "00000000")
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = fmt.Sprintf("%s%08d%s", before, 10_000+i, after)
	}
	insert := sends("POST", races, "Prefer: return-no-content", "Content-Type: application/json")
	get := resttest.NewRequest("GET", races+"(PartitionKey='"+marathon+"',RowKey='00000001__Kim__F__37')", "")
	page := resttest.NewRequest("GET", marathonPage, "")
	send, transaction, sent := sends("POST", "/contoso/$batch", batchType), hundredUpserts(), 0
	return []measured{
		{"an insert", 204, 500, 4, func() *http.Request { sent++; return insert(texts[sent%len(texts)]) }},
		{"a get", 200, 100, 3, func() *http.Request { return get }},
		{"a page of a thousand", 200, 10, 13, func() *http.Request { return page }},
		{"a transaction of a hundred", 202, 10, 216, func() *http.Request { return send(transaction) }},
	}
}
