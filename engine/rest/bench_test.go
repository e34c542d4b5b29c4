package rest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"loadgen/engine/model"

	"loadgen/engine/rest/resttest"
)

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

// benchmark sends one request again and again, past any network.
func benchmark(b *testing.B, s *service, status int, next func(i int) *http.Request) {
	b.Helper()
	w := &discard{header: make(http.Header)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r := next(i)
		clear(w.header)
		s.ServeHTTP(w, r)
		if w.status != status {
			b.Fatalf("status = %d; want %d", w.status, status)
		}
	}
	if w.bytes > 0 {
		b.ReportMetric(float64(w.bytes)/float64(b.N), "B/reply")
	}
}

// registration is an entity of about a kilobyte.
func registration(row int) string {
	return fmt.Sprintf(`{"PartitionKey":"2011 New York City Marathon__Full","RowKey":"%08d__Kim__F__37","Name":"Kim",`+
		`"Number":%d,"Fee":255.0,"Paid@odata.type":"Edm.Int64","Paid":"9007199254740993","Fast":true,`+
		`"Born@odata.type":"Edm.DateTime","Born":"1974-05-01T00:00:00Z","Notes":"%s"}`, row, row, strings.Repeat("n", 700))
}

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

func BenchmarkInsert(b *testing.B) {
	s := withTable(b)
	send := sends("POST", races, "Prefer: return-no-content", "Content-Type: application/json")
	body := registration(0)
	before, after, _ := strings.Cut(body, "00000000")
	benchmark(b, s, 204, func(i int) *http.Request { return send(fmt.Sprintf("%s%08d%s", before, i, after)) })
}

func BenchmarkUpsert(b *testing.B) {
	s := withTable(b)
	send := sends("PUT", "/contoso/Races(PartitionKey='2011%20New%20York%20City%20Marathon__Full',RowKey='00000000__Kim__F__37')",
		"Content-Type: application/json")
	body := registration(0)
	benchmark(b, s, 204, func(int) *http.Request { return send(body) })
}

func BenchmarkGet(b *testing.B) {
	s := withTable(b)
	s.Want(b, 201, "POST", races, registration(0))
	r := resttest.NewRequest("GET", "/contoso/Races(PartitionKey='2011%20New%20York%20City%20Marathon__Full',RowKey='00000000__Kim__F__37')", "")
	benchmark(b, s, 200, func(int) *http.Request { return r })
}

func BenchmarkPage(b *testing.B) {
	s := withTable(b)
	for i := range 1000 {
		s.Want(b, 201, "POST", races, registration(i))
	}
	r := resttest.NewRequest("GET", races+"()?$filter=PartitionKey%20eq%20'2011%20New%20York%20City%20Marathon__Full'", "", "Accept: application/json;odata=minimalmetadata")
	benchmark(b, s, 200, func(int) *http.Request { return r })
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/row")
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

func BenchmarkBatch(b *testing.B) {
	s := withTable(b)
	send := sends("POST", "/contoso/$batch", batchType)
	body := hundredUpserts()
	benchmark(b, s, 202, func(int) *http.Request { return send(body) })
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/entity")
}

func BenchmarkRefusal(b *testing.B) {
	s := withTable(b, resttest.Options{Profile: model.Documented, Settings: []string{"partition_target=1", "partition_burst=1s"}})
	r := resttest.NewRequest("GET", runner, "")
	s.ServeHTTP(&discard{header: make(http.Header)}, r)
	s.Clock.Set(0)
	benchmark(b, s, 503, func(int) *http.Request {
		s.Clock.Set(0)
		return r
	})
}

var _ io.ReadCloser = (*again)(nil)
