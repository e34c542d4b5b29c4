package rest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/rest"
)

// tooLong refuses every body without reading it.
func tooLong(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "9")
	w.WriteHeader(http.StatusRequestEntityTooLarge)
	_, _ = io.WriteString(w, "too long\n")
}

// A client that sends all of its body before it reads hears why it was refused: it
// is read, in vain, up to a bound. One that waits for the reply hears it at once.
func TestRefusalsAreHeard(t *testing.T) {
	const mib = 1 << 20
	for _, row := range []struct {
		sentence      string
		claimed, sent int64
		chunked       bool
	}{
		{"a little, all of it", 100 << 10, 100 << 10, false},
		{"what net/http reads by itself, just about", 256 << 10, 256 << 10, false},
		{"a little more", 256<<10 + 1, 256<<10 + 1, false},
		{"five million bytes", 5_000_000, 5_000_000, false},
		{"five million bytes in chunks", -1, 5_000_000, true},
		{"16 MiB and a byte", 16*mib + 1, 16*mib + 1, false},
		{"24 MiB in chunks", -1, 24 * mib, true},
		{"a gibibyte is claimed, and nothing sent", 1 << 30, 0, false},
		{"a gibibyte is claimed, and a little sent", 1 << 30, 3 * mib, false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			e := open(t, rest.ListenOptions{Handler: http.HandlerFunc(tooLong)})
			c := dial(t, e)
			framing := fmt.Sprintf("Content-Length: %d", row.claimed)
			if row.chunked {
				framing = "Transfer-Encoding: chunked"
			}
			c.Send("POST /x HTTP/1.1\r\nHost: h\r\n" + framing + "\r\n\r\n")
			piece := strings.Repeat("x", 64<<10)
			for left := row.sent; left > 0; {
				n := min(left, int64(len(piece)))
				if left -= n; row.chunked {
					c.Send(fmt.Sprintf("%x\r\n%s\r\n", n, piece[:n]))
				} else {
					c.Send(piece[:n])
				}
			}
			if row.chunked {
				c.Send("0\r\n\r\n")
			}
			assert.Equal(t, "too long\n", c.Want(http.StatusRequestEntityTooLarge), "body")
		})
	}
}

// Nobody keeps a connection by sending a body without end: neither bytes nor time
// are without bound.
func TestEndlessBodiesAreCutOff(t *testing.T) {
	for _, row := range []struct {
		sentence string
		pause    time.Duration
		// most is how much may be read, within how long.
		most   int
		within time.Duration
	}{
		{"as fast as it can", 0, 34 << 20, time.Second},
		{"64 KiB each second", time.Second, 1 << 20, 12 * time.Second},
		{"nothing more", time.Hour, 1 << 20, 12 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, listener := openPipes(t, rest.ListenOptions{Handler: http.HandlerFunc(tooLong)})
			client := listener.Dial()
			began, ended := time.Now(), make(chan time.Duration, 1)
			go func() {
				_, _ = io.Copy(io.Discard, client)
				ended <- time.Since(began)
			}()
			sent := 0
			piece := strings.Repeat("x", 64<<10)
			_, err := io.WriteString(client, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1099511627776\r\n\r\n")
			for err == nil {
				var n int
				n, err = io.WriteString(client, piece)
				sent += n
				<-time.After(row.pause) // in the bubble's time
			}
			assert.LessOrEqualf(t, <-ended, row.within, "%s: read for", row.sentence)
			assert.LessOrEqualf(t, sent, row.most, "%s: bytes were read", row.sentence)
			_ = client.Close()
			shut(t, s)
		})
	}
}
