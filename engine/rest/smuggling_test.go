package rest_test

import (
	"bufio"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/results/resultstest"
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
		for cut := range resultstest.Cases(6, 300) {
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

// FuzzHandler sends arbitrary requests, signed or not: each is answered, by a
// success or by an error of the documented form, and counted once.
func FuzzHandler(f *testing.F) {
	for _, row := range badRequests {
		f.Add(row.method, row.target, strings.Join(row.headers, "\n"), row.body, true)
	}
	f.Add("GET", "//", "", "", false)
	f.Add("GET", "http://", "Host: .", "", false)
	f.Add("POST", "/contoso/$batch", batchType, insertBatch("p", "1", "2"), true)
	f.Add("POST", "/contoso/$batch", batchType, deleteBatch, true)
	f.Add("POST", "/contoso/Tables", "Prefer: return-no-content", `{"TableName":"Races"}`, true)
	f.Add("PUT", races+"?comp=acl", "", policies("<Id>a</Id><AccessPolicy><Permission>r</Permission></AccessPolicy>"), true)
	f.Add("PUT", "/contoso/?restype=service&comp=properties", "", "<StorageServiceProperties><Cors/></StorageServiceProperties>", true)
	f.Add("OPTIONS", races, "Origin: http://a\nAccess-Control-Request-Method: GET\nAccess-Control-Request-Headers: x-ms-date", "", false)
	f.Add("GET", signed(races+"?", "tn=Races&sp=r&se=2030-01-01&sv=2019-02-02&spk=a&epk=z"), "Authorization:", "", false)
	f.Add("POST", signed("/contoso/Tables?", "ss=t&srt=sco&sp=rwdlacu&se=2030-01-01&sv=2019-02-02"), "Authorization:", `{"TableName":"Boats"}`, false)
	f.Add("PUT", runner, "If-Match: *", `{"A@odata.type":"Edm.Guid","A":"00000000-0000-0000-0000-000000000000"}`, true)
	f.Add("GET", races+"()?$filter=A%20gt%205&$top=3&$select=A&NextPartitionKey=1!0!&NextRowKey=1!0!", "Accept: application/json;odata=fullmetadata", "", true)
	f.Fuzz(func(t *testing.T, method, target, headers, body string, signed bool) {
		s := withTable(t)
		s.insert(t, "full", "1234", 1)
		before := s.Counts()
		r := resttest.NewRequest(method, target, body)
		for line := range strings.SplitSeq(headers, "\n") {
			name, value, _ := strings.Cut(line, ":")
			r.Header[textproto.CanonicalMIMEHeaderKey(name)] = []string{strings.TrimSpace(value)}
		}
		if signed {
			r.Header.Set("Authorization", contoso.Lite(r.Header.Get("X-Ms-Date"), target))
		}
		w := s.Send(r)
		if method == http.MethodHead {
			if w.Body.Len() > 0 || w.Code >= 400 && w.Header().Get("x-ms-error-code") == "" {
				t.Errorf("HEAD = %d %s; want no body, and a code where it failed", w.Code, w.Body)
			}
		} else if wellFormed(t, w.Code, w.Header(), w.Body.String()); w.Code >= 400 {
			resttest.CodeOf(t, w)
		}
		after := s.Counts()
		assert.Truef(t, after.Requests == before.Requests+1 && after.Requests == after.Ok+after.Throttled+after.Failed && after.Throttled == 0,
			"Counts() = %+v after %+v; want one request more", after, before)
		if w.Code >= 400 && after.Ok != before.Ok || w.Code < 300 && w.Code != 202 && after == (engine.Counts{}) {
			t.Errorf("Counts() = %+v after %+v and %d; want it to count as what it was", after, before, w.Code)
		}
	})
}

func wellFormed(t *testing.T, status int, header http.Header, body string) {
	t.Helper()
	for _, name := range []string{"x-ms-request-id", "x-ms-version", "Date", "Server", "Cache-Control", "X-Content-Type-Options"} {
		assert.NotEmptyf(t, header.Get(name), "%d without a %s", status, name)
	}
	for name, values := range header {
		for _, value := range values {
			assert.Falsef(t, strings.ContainsAny(name+value, "\r\n\x00"), "header %q: %q; want one line", name, value)
		}
	}
	switch status {
	case 200, 201:
		isXML := header.Get("Content-Type") == "application/xml" && strings.HasPrefix(body, "\ufeff<?xml")
		isPreflight := header.Get("Access-Control-Allow-Methods") != "" && body == ""
		assert.Truef(t, json.Valid([]byte(body)) || isXML || isPreflight,
			"%d %s; want JSON, XML or the answer to a preflight", status, body)
	case 202:
		// Properties are accepted without a word.
		if body != "" && (!strings.HasPrefix(body, "--batchresponse_") || !strings.HasPrefix(header.Get("Content-Type"), "multipart/mixed; boundary=batchresponse_")) {
			t.Errorf("202 %s; want a reply of many parts", body)
		}
	case 204:
		assert.Empty(t, body, "204")
	case 400, 403, 404, 405, 409, 411, 412, 413, 415, 501:
	default:
		t.Errorf("status = %d; want one that is documented", status)
	}
}
