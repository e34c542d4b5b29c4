package rest

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestAddressOf(t *testing.T) {
	for _, tt := range []struct{ typed, want string }{
		{":9464", "127.0.0.1:9464"},
		{"9464", "127.0.0.1:9464"},
		{"0", "127.0.0.1:0"},
		{"127.0.0.1:0", "127.0.0.1:0"},
		{"[::1]:9464", "[::1]:9464"},
		{"0.0.0.0:9464", "0.0.0.0:9464"},
		{"localhost:1", "localhost:1"},
		{"", ""}, {":", ""}, {":65536", ""}, {":http", ""}, {"::1", ""}, {"localhost", ""}, {":-1", ""}, {"1:2:3", ""},
	} {
		if got, err := addressOf(tt.typed); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q is %q, %v; want %q", tt.typed, got, err, tt.want)
		}
	}
}

// followed follows bytes, so many at a time, until the request is whole or doubtful.
func followed(sent []byte, step int) (f framing, taken int) {
	for taken < len(sent) && f.stage < whole {
		piece := sent[taken:min(taken+step, len(sent))]
		taken += f.follow(piece)
	}
	return f, taken
}

// FuzzFraming holds the framing to net/http's: where both know the end of a request
// it is the same, and in whatever pieces the bytes come.
func FuzzFraming(f *testing.F) {
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: h\r\n\r\nGET",
		"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET",
		"POST / HTTP/1.0\r\ncontent-length:\t3 \r\nX:y\r\n\r\nabcGET",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\n\r\n",
		"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
		"POST / HTTP/1.1\nContent-Length: 3\n\nabc",
		"POST / HTTP/1.1\r\nA: b\r\n Content-Length: 3\r\n\r\nabc",
		"POST / HTTP/1.1\r\nContent-Length : 3\r\n\r\nabc",
		"GET /" + strings.Repeat("x", 99) + " HTTP/1.1\r\nX: " + strings.Repeat("y", 200) + "\r\n\r\nGET",
		"PUT / HTTP/1.1\r\nContent-Length: 500\r\n\r\nhello",
		"PUT / HTTP/1.1\r\nContent-Length: 9223372036854775807\r\n\r\n",
		"PUT / HTTP/1.1\r\nContent-Length: 9223372036854775808\r\n\r\n",
		"PUT / HTTP/1.1\r\nContent-Lengthy: 9\r\nTransfer-Encodings: x\r\nContent: 1\r\n\r\nGET",
		"\r\nPUT / HTTP/1.1\r\n\r\n",
	} {
		for step := range byte(8) {
			f.Add([]byte(seed), step)
		}
	}
	f.Fuzz(func(t *testing.T, sent []byte, step byte) {
		one, taken := followed(sent, len(sent)+1)
		if cut, again := followed(sent, int(step)+1); cut.stage != one.stage || one.stage == whole && again != taken {
			t.Fatalf("%q: stage %d after %d bytes, in pieces %d after %d", sent, one.stage, taken, cut.stage, again)
		}
		text := bytes.NewReader(sent)
		buffered := bufio.NewReader(text)
		r, err := http.ReadRequest(buffered)
		if err != nil || one.stage == doubtful {
			return
		}
		_, err = io.Copy(io.Discard, r.Body)
		ends := len(sent) - text.Len() - buffered.Buffered()
		if err == nil && (one.stage != whole || taken != ends) {
			t.Fatalf("%q: net/http ends it after %d bytes; framing is at stage %d after %d", sent, ends, one.stage, taken)
		}
		if err != nil && one.stage == whole {
			t.Fatalf("%q: net/http finds it cut short (%v); framing has it whole after %d", sent, err, taken)
		}
	})
}

// Whatever is typed, it is throttled, or an address of which the host is not empty.
func FuzzAddressOf(f *testing.F) {
	for _, seed := range []string{":9464", "127.0.0.1:0", "[::1]:1", "9464", "a:b", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		full, err := addressOf(typed)
		if err != nil {
			return
		}
		if host, port, err := net.SplitHostPort(full); err != nil || host == "" || port == "" {
			t.Errorf("%q is %q: host %q, port %q, %v", typed, full, host, port, err)
		}
	})
}
