package rest_test

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest"
)

const (
	head   = "POST /first HTTP/1.1\r\nHost: h\r\n"
	second = "GET /second HTTP/1.1\r\nHost: h\r\n\r\n"
	chunks = "5\r\nhello\r\n0\r\n\r\n"
)

// twoInOne are bytes that one reader may take for one request and another for two.
// Status is that of the one answer, after which the connection ends; 200 is that of
// a request that was carried out.
var twoInOne = []struct {
	sentence, sent string
	status         int
}{
	{"a length, then chunks", head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + second, 200},
	{"chunks, then a length", head + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + chunks + second, 200},
	{"a length that ends before the chunks do", head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + second, 200},
	{"a length that covers the second request", head + "Content-Length: 51\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second, 200},
	{"chunks alone", head + "Transfer-Encoding: chunked\r\n\r\n" + chunks + second, 200},
	{"chunks twice", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + second, 501},
	{"chunks, and identity", head + "Transfer-Encoding: chunked, identity\r\n\r\n" + chunks + second, 501},
	{"identity, then chunks", head + "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + second, 501},
	{"chunks of another spelling", head + "Transfer-Encoding: xchunked\r\n\r\n" + chunks + second, 501},
	{"chunks behind a vertical tab", head + "Transfer-Encoding:\x0bchunked\r\n\r\n" + chunks + second, 400},
	{"chunks behind a tab", head + "Transfer-Encoding:\tchunked\r\nContent-Length: 5\r\n\r\n" + chunks + second, 200},
	{"chunks in another case", head + "tRANSFER-eNCODING: Chunked\r\ncONTENT-lENGTH: 5\r\n\r\n" + chunks + second, 200},
	{"a name with an underscore, which is no name of this", head + "Transfer_Encoding: chunked\r\nContent-Length: 0\r\n\r\n" + chunks + second, 200},
	{"an extension of a chunk with a line end in it", head + "Transfer-Encoding: chunked\r\n\r\n5;a=\"\n\"\r\nhello\r\n0\r\n\r\n" + second, 400},
	{"an extension of a chunk", head + "Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0;" + strings.Repeat("x", 99) + "\r\n\r\n" + second, 200},
	{"a trailer with a length", head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nContent-Length: 51\r\n\r\n" + second, 200},
	{"a chunk without a length", head + "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n" + second, 400},
	{"a line that goes on", head + "X: a\r\n Content-Length: 51\r\nContent-Length: 0\r\n\r\n" + second, 200},
	{"a length that goes on", head + "Content-Length: 5\r\n 1\r\n\r\nhello" + second, 400},
	{"a length that begins on the next line", head + "Content-Length:\r\n 5\r\n\r\nhello" + second, 200},
	{"a blank before the colon", head + "Content-Length : 5\r\n\r\nhello" + second, 400},
	{"a blank before the colon of chunks", head + "Content-Length: 5\r\nTransfer-Encoding : chunked\r\n\r\nhello" + second, 400},
	{"line ends without a carriage return", "POST /first HTTP/1.1\nHost: h\nContent-Length: 5\n\nhello" + second, 200},
	{"one line end without it", head + "Content-Length: 5\r\nX: y\n\r\nhello" + second, 200},
	{"a carriage return alone", head + "X: y\rContent-Length: 5\r\n\r\nhello" + second, 400},
	{"a length twice", head + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello" + second, 200},
	{"two lengths", head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello" + second, 400},
	{"two lengths in one", head + "Content-Length: 5, 5\r\n\r\nhello" + second, 400},
	{"a length with a sign", head + "Content-Length: +5\r\n\r\nhello" + second, 400},
	{"a length below none", head + "Content-Length: -5\r\n\r\nhello" + second, 400},
	{"a length in hexadecimals", head + "Content-Length: 0x5\r\n\r\nhello" + second, 400},
	{"a length beyond all numbers", head + "Content-Length: 18446744073709551621\r\n\r\nhello" + second, 400},
	{"no length", head + "Content-Length:\r\n\r\nhello" + second, 400},
	{"a length behind many blanks", head + "Content-Length:" + strings.Repeat(" ", 99) + "5\r\n\r\nhello" + second, 200},
	{"a length that is too short", head + "Content-Length: 5\r\n\r\nhello" + second, 200},
	{"two gets at once", get("/first") + second, 200},
	{"a hundred", strings.Repeat(get("/first"), 100), 200},
	{"a post, and the line end that old browsers add", post("/first", "hello") + "\r\n", 200},
	{"a post, that line end, and another request", post("/first", "hello") + "\r\n" + second, 200},
	{"a body that waits to be asked for, and does not wait", head + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello" + second, 200},
	{"the older protocol", "GET /first HTTP/1.0\r\n\r\n" + second, 200},
	{"the older protocol that is to last", "GET /first HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + second, 200},
	{"chunks in the older protocol, which has none", "POST /first HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n" + chunks + second, 200},
	{"a protocol that there is not", "GET /first HTTP/2.0\r\nHost: h\r\n\r\n" + second, 505},
	{"nothing, then a request", "\r\n" + get("/first"), 400},
	{"half of the next request", get("/first") + second[:20], 200},
}

// answers reads replies to the end and returns their statuses.
func answers(in *bufio.Reader) (statuses []int, err error) {
	for {
		if _, err := in.Peek(1); err == io.EOF {
			return statuses, nil
		}
		reply, err := http.ReadResponse(in, nil)
		if err == nil {
			_, err = io.Copy(io.Discard, reply.Body)
		}
		if err != nil {
			return statuses, err
		}
		if reply.StatusCode != http.StatusContinue {
			statuses = append(statuses, reply.StatusCode)
		}
	}
}

// Whatever comes behind a request that has no answer yet is not carried out, and where
// it is unclear what comes behind, there is no second answer; however the network cuts
// the bytes, as long as they come before the answer.
func TestTwoRequestsInOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	for _, row := range twoInOne {
		for cut := range cuts {
			var pieces []string
			for rest := row.sent; rest != ""; {
				n := 1 + rng.IntN(len(rest))
				if cut == 0 {
					n = len(rest)
				} else if rng.IntN(3) == 0 {
					n = min(n, 1+rng.IntN(3))
				}
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			synctest.Test(t, func(t *testing.T) { cutUp(t, pieces, row.status) })
			require.Falsef(t, t.Failed(), "%s, in pieces %q", row.sentence, pieces)
		}
	}
}

// cutUp sends a request in pieces over a pipe, and releases its answer once the
// server takes no more.
func cutUp(t *testing.T, pieces []string, status int) {
	e := newEcho()
	server, pipes := openPipes(t, rest.ListenOptions{Handler: e})
	client := pipes.Dial()
	var sending sync.WaitGroup
	sending.Go(func() {
		for _, piece := range pieces {
			if _, err := io.WriteString(client, piece); err != nil {
				return // the server has ended it
			}
		}
	})
	var got []int
	var err error
	var reading sync.WaitGroup
	reading.Go(func() { got, err = answers(bufio.NewReader(client)) })
	synctest.Wait()
	close(e.released)
	reading.Wait()
	_ = client.Close()
	sending.Wait()
	assert.NoError(t, err)
	assert.Equal(t, []int{status}, got, "answers before the end")
	carried := e.carried.Load()
	assert.Falsef(t, carried > 1 || status == 200 && carried == 0 || status > 400 && carried > 0, "%d requests were carried out", carried)
	shut(t, server)
}

// A client may have all of a reply before the handler returns, and go on.
func TestNextRequestBeforeTheHandlerReturns(t *testing.T) {
	sent := make(chan struct{})
	s := open(t, rest.ListenOptions{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Length", "100000")
		_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
		<-sent
	})})
	c := dial(t, s)
	for range 20 {
		c.Send(post("/x", "hello"))
		reply, body, err := c.Reply()
		require.Truef(t, err == nil && !reply.Close && len(body) == 100_000,
			"reply = %v, %d bytes, %v; want all of it, and the connection to last", reply, len(body), err)
		c.Send(post("/y", "hello"))
		sent <- struct{}{}
		c.Want(200)
		sent <- struct{}{}
	}
}

// Who sends one request after the other keeps the connection, whatever comes of
// them.
func TestRequestsInTurnKeepTheConnection(t *testing.T) {
	e := newReleased()
	server := open(t, rest.ListenOptions{Handler: e})
	c := dial(t, server)
	inner := get("/inner")
	for i, row := range []struct{ sent, want string }{
		{get("/a"), "/a 0"},
		{post("/b", "hello"), "/b 5"},
		{post("/c", strings.Repeat("x", 100<<10)), "/c 102400"},
		{strings.Replace(post("/d", inner), "POST", "GET", 1), "/d 32"},
		{"PUT /e HTTP/1.1\r\nHost: h\r\ncontent-length:\t 2 \r\nX: " + strings.Repeat("y", 5000) + "\r\n\r\nhi", "/e 2"},
		{post("/f", ""), "/f 0"},
	} {
		c.Send(row.sent)
		assert.Equalf(t, row.want, c.Want(200), "answer %d", i)
		assert.EqualValues(t, i+1, e.carried.Load(), "requests were carried out")
	}
	c.Send("POST /g HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
	reply, _, err := c.Reply()
	require.Truef(t, err == nil && reply.StatusCode == 100, "reply = %v, %v; want to be asked for the body", reply, err)
	c.Send("hi")
	c.Want(200)
	c.Send(get("/h"))
	c.Want(200)
}
