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

// marathon is the partition of the registrations in an address, marathonPage a query of it.
const (
	marathon     = "2011%20New%20York%20City%20Marathon__Full"
	marathonPage = races + "()?$filter=PartitionKey%20eq%20'" + marathon + "'"
)

// registration is an entity of about a kilobyte.
func registration(row int) string {
	return fmt.Sprintf(`{"PartitionKey":"2011 New York City Marathon__Full","RowKey":"%08d__Kim__F__37","Name":"Kim",`+
		`"Number":7,"Fee":255.0,"Paid@odata.type":"Edm.Int64","Paid":"9007199254740993","Fast":true,`+
		`"Born@odata.type":"Edm.DateTime","Born":"1974-05-01T00:00:00Z","Notes":"%s"}`, row, strings.Repeat("n", 700))
}

// withThousand returns a service with a page of registrations.
func withThousand(t *testing.T) *service {
	s := withTable(t)
	for i := range 1000 {
		s.Want(t, 201, "POST", races, registration(i))
	}
	return s
}

// What a request allocates beyond what the store keeps is counted, since that is what
// makes a server slow without anybody's notice: an insert stores an entity and a key,
// a get nothing. The header of a reply takes two.
func TestAllocationsOfRequests(t *testing.T) {
	s := withThousand(t)
	// request returns a function that returns the same request each time, with the next body.
	request := func(method, target string, bodies []string, headers ...string) func() *http.Request {
		r, reused, sent := resttest.NewRequest(method, target, "", headers...), &again{}, 0
		return func() *http.Request {
			if len(bodies) > 0 {
				text := bodies[sent%len(bodies)]
				reused.Reset(text)
				r.Body, r.ContentLength = reused, int64(len(text))
				sent++
			}
			return r
		}
	}
	var inserts, upserts []string
	for i := range 1000 {
		inserts = append(inserts, registration(10_000+i))
	}
	for i := range 100 {
		upserts = append(upserts, fmt.Sprintf("PUT http://127.0.0.1:10002/contoso/Races(PartitionKey='%s',RowKey='%08d__Kim__F__37') HTTP/1.1\r\n"+
			"Content-Type: application/json\r\nAccept: application/json;odata=minimalmetadata\r\n\r\n%s", marathon, i, registration(i)))
	}
	const json = "Content-Type: application/json"
	for _, row := range []struct {
		name         string
		status, runs int
		most         float64
		next         func() *http.Request
	}{
		{"an insert", 204, 500, 4, request("POST", races, inserts, "Prefer: return-no-content", json)},
		{"a get", 200, 100, 3, request("GET", races+"(PartitionKey='"+marathon+"',RowKey='00000001__Kim__F__37')", nil)},
		{"a page of a thousand", 200, 10, 13, request("GET", marathonPage, nil)},
		{"a transaction of a hundred", 202, 10, 218, request("POST", "/contoso/$batch", []string{batchOf(upserts...)}, batchType)},
	} {
		w := &discard{header: make(http.Header)}
		got := testing.AllocsPerRun(row.runs, func() {
			s.ServeHTTP(w, row.next())
			if w.status != row.status {
				t.Fatalf("%s: status = %d; want %d", row.name, w.status, row.status)
			}
		})
		assert.LessOrEqual(t, got, row.most, row.name)
	}
}

// Room that grows with a page is copied again and again, and comes to several times what
// the page takes.
func TestTheRoomOfAPageIsMadeOnce(t *testing.T) {
	s, page := withThousand(t), resttest.NewRequest("GET", marathonPage, "")
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
