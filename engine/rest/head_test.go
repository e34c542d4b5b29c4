package rest

import (
	"bufio"
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// usual is a head as clients of the service send it.
const usual = "POST /devstoreaccount1/Races HTTP/1.1\r\nHost: 127.0.0.1:10002\r\nUser-Agent: loadgen/1\r\nAccept: application/json;odata=minimalmetadata\r\n" +
	"x-ms-version: 2019-02-02\r\nx-ms-date: Fri, 20 Nov 2026 11:48:19 GMT\r\nAuthorization: SharedKeyLite devstoreaccount1:abc=\r\nContent-Length: 5\r\n\r\n"

// What is out of the ordinary is net/http's, all else is read.
func TestWhichHeadsAreReadDirectly(t *testing.T) {
	line := "GET /a HTTP/1.1\r\nHost: h\r\n"
	var known head // it knows the names of the head before
	for _, row := range []struct {
		sentence, sent string
		want           bool
	}{
		{"a usual one", usual, true},
		{"a usual one, and its body", usual + "hello", true},
		{"two fields and no length", line + "X: y\r\n\r\n", true},
		{"a field twice", line + "X: y\r\nx: z\r\n\r\n", true},
		{"a connection that is to last", line + "Connection: Keep-Alive\r\n\r\n", true},
		{"keys in a path", "GET /a/T(PartitionKey='%20',RowKey='O''X')?$select=a HTTP/1.1\r\nHost: h\r\n\r\n", true},
		{"nothing", "", false},
		{"half of it", usual[:40], false},
		{"all but the last byte", usual[:len(usual)-1], false},
		{"no host", "GET /a HTTP/1.1\r\nX: y\r\n\r\n", false},
		{"two hosts", line + "Host: h\r\n\r\n", false},
		{"a host with a user", "GET /a HTTP/1.1\r\nHost: u@h\r\n\r\n", false},
		{"the older protocol", "GET /a HTTP/1.0\r\nHost: h\r\n\r\n", false},
		{"a protocol of the next century", "GET /a HTTP/1.10\r\nHost: h\r\n\r\n", false},
		{"a method nobody knows", "BREW /a HTTP/1.1\r\nHost: h\r\n\r\n", false},
		{"a method in small letters", "get /a HTTP/1.1\r\nHost: h\r\n\r\n", false},
		{"a target with a host", "GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n", false},
		{"a target that is a star", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", false},
		{"a target with a blank", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", false},
		{"a target with half an escape", "GET /%2 HTTP/1.1\r\nHost: h\r\n\r\n", false},
		{"two blanks", "GET  /a HTTP/1.1\r\nHost: h\r\n\r\n", false},
		{"a length twice", line + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", false},
		{"a length with a sign", line + "Content-Length: +5\r\n\r\n", false},
		{"a length without digits", line + "Content-Length:\r\n\r\n", false},
		{"a length beyond fifteen digits", line + "Content-Length: 1000000000000000\r\n\r\n", false},
		{"chunks", line + "Transfer-Encoding: chunked\r\n\r\n", false},
		{"chunks and a length", line + "Content-Length: 5\r\ntransfer-encoding: chunked\r\n\r\n", false},
		{"a body that waits to be asked for", line + "Expect: 100-continue\r\n\r\n", false},
		{"a connection that is to end", line + "Connection: close\r\n\r\n", false},
		{"another protocol", line + "Connection: upgrade\r\n\r\n", false},
		{"trailers", line + "Trailer: X\r\n\r\n", false},
		{"a line that goes on", line + "X: a\r\n b\r\n\r\n", false},
		{"a blank before the colon", line + "X : a\r\n\r\n", false},
		{"no colon", line + "X\r\n\r\n", false},
		{"no name", line + ": a\r\n\r\n", false},
		{"a line end without a carriage return", line + "X: a\nY: b\r\n\r\n", false},
		{"a carriage return alone", line + "X: a\rb\r\n\r\n", false},
		{"a tab", line + "X:\ta\r\n\r\n", false},
		{"a NUL", line + "X: a\x00\r\n\r\n", false},
		{"a letter beyond ASCII", line + "X: ä\r\n\r\n", false},
		{"33 fields", line + strings.Repeat("X: y\r\n", 32) + "\r\n", false},
		{"32 fields", line + strings.Repeat("X: y\r\n", 31) + "\r\n", true},
	} {
		for _, h := range []*head{&known, new(head)} {
			if _, _, got := readHead(h, row.sent); got != row.want {
				t.Errorf("%s: read = %t; want %t", row.sentence, got, row.want)
			}
		}
	}
}

// readHead reads a head into a request of its own.
func readHead(h *head, sent string) (*http.Request, int, bool) {
	r := &http.Request{Header: make(http.Header)}
	end, ok := h.read([]byte(sent), r)
	return r, end, ok
}

// FuzzHead holds what is read directly to what net/http reads, and where it ends to
// what framing says: what one takes for a request no other may take for anything else.
func FuzzHead(f *testing.F) {
	f.Add(usual+"hello", usual)
	f.Add("GET /a HTTP/1.1\r\nHost: h\r\nX: y\r\nx: z\r\n\r\n", "GET /a?%20#b HTTP/1.1\r\nHost: h\r\n\r\n")
	f.Add("PUT //h/a HTTP/1.1\r\nHOST: h\r\nContent-Length: 007\r\n\r\n", usual)
	f.Fuzz(func(t *testing.T, first, second string) {
		// One after the other, and texts that are views: nothing of the first may show.
		var copies, views head
		views.transient = true
		for _, sent := range []string{first, second} {
			got, end, ok := readHead(&copies, sent)
			same, sameEnd, sameOK := readHead(&views, sent)
			if ok != sameOK || ok && (end != sameEnd || !alike(got, same)) {
				t.Fatalf("%q: read = %v, and with views %v", sent, got, same)
			}
			if ok {
				asNetHTTP(t, sent, got, end)
			}
		}
	})
}

func asNetHTTP(t *testing.T, sent string, got *http.Request, end int) {
	want, err := http.ReadRequest(bufio.NewReader(strings.NewReader(sent)))
	if err != nil || !alike(got, want) || want.Close || len(want.TransferEncoding) > 0 {
		t.Fatalf("%q: read = %+v; net/http reads %+v, %v", sent, got, want, err)
	}
	var f framing
	all := []byte(sent[:end])
	all = append(all, bytes.Repeat([]byte("x"), int(min(got.ContentLength, 1<<10)))...)
	if taken := f.follow(append(slices.Clone(all), "GET"...)); f.stage == doubtful || got.ContentLength <= 1<<10 && (f.stage != whole || taken != len(all)) {
		t.Fatalf("%q: ends after %d of %d bytes, stage %d", sent, taken, len(all), f.stage)
	}
}

func alike(a, b *http.Request) bool {
	return a.Method == b.Method && a.RequestURI == b.RequestURI && a.Host == b.Host && a.Proto == b.Proto &&
		a.ContentLength == b.ContentLength && sameURL(a.URL, b.URL) &&
		maps.EqualFunc(a.Header, b.Header, func(x, y []string) bool { return slices.Equal(x, y) })
}

func sameURL(a, b *url.URL) bool {
	return a.Path == b.Path && a.RawPath == b.RawPath && a.RawQuery == b.RawQuery
}
