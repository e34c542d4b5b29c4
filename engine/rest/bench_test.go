package rest_test

import (
	"fmt"
	"net/http"
	"strings"

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

// marathon is the partition of the registrations in an address, marathonPage a query of it.
const (
	marathon     = "2011%20New%20York%20City%20Marathon__Full"
	marathonPage = races + "()?$filter=PartitionKey%20eq%20'" + marathon + "'"
)

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
