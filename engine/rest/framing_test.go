package rest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhereARequestEnds(t *testing.T) {
	const next = "GET /next"
	for _, row := range []struct {
		sentence, sent string
		// ends is where, -1 for doubt, -2 for not yet.
		ends int
	}{
		{"nothing yet", "", -2},
		{"a head that has not ended", "GET / HTTP/1.1\r\nHost: h\r\n", -2},
		{"a head", "GET / HTTP/1.1\r\n\r\n" + next, 18},
		{"a head with long lines", "GET /" + strings.Repeat("x", 99) + " HTTP/1.1\r\nX: " + strings.Repeat("y", 200) + "\r\n\r\n" + next, 322},
		{"a length of nothing", "GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n" + next, 37},
		{"a body", "PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello" + next, 42},
		{"half a body", "PUT / HTTP/1.1\r\nContent-Length: 500\r\n\r\nhello", -2},
		{"the greatest length", fmt.Sprintf("PUT / HTTP/1.1\r\nContent-Length: %d\r\n\r\n", int64(1<<63-1)), -2},
		{"a length beyond that", "PUT / HTTP/1.1\r\nContent-Length: 9223372036854775808\r\n\r\n", -1},
		{"names that begin alike", "PUT / HTTP/1.1\r\nContent-Lengthy: 9\r\nTransfer-Encodings: x\r\nContent: 1\r\n\r\n", 73},
		{"chunks", "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", -1},
		{"a line that goes on", "PUT / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", -1},
		{"a bare line end", "PUT / HTTP/1.1\r\nA: b\n\r\n", -1},
		{"an empty line first", "\r\nPUT / HTTP/1.1\r\n\r\n", -1},
		{"a bare line end first", "\nPUT / HTTP/1.1\r\n\r\n", -1},
	} {
		for step := 1; step <= len(row.sent)+1; step++ {
			f, taken := followed([]byte(row.sent), step)
			got := taken
			switch f.stage {
			case doubtful:
				got = -1
			case inHead, inBody:
				got = -2
			}
			require.Equalf(t, row.ends, got, "%s, %d bytes at a time: ends at", row.sentence, step)
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
	} {
		f.Add([]byte(seed), byte(3))
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
