package azure_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/azure"
)

// replyRow is a reply, and what it is made of.
type replyRow struct {
	name, text string
	status     int
	body       string
	header     string // the value of X-Say
	last       bool
}

// replyRows are replies in every form in which HTTP/1.1 lets them come.
func replyRows() []replyRow {
	const ok = "HTTP/1.1 200 OK\r\n"
	long := strings.Repeat("x", 40<<10)
	return []replyRow{
		{"a length", ok + "X-Say: a\r\nContent-Length: 3\r\n\r\nabc", 200, "abc", "a", false},
		{"a length said twice", ok + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 200, "abc", "", false},
		{"no more than line feeds", "HTTP/1.1 200\nX-Say: a\nContent-Length: 3\n\nabc", 200, "abc", "a", false},
		{"the first of two values", ok + "X-Say: a\r\nX-Say: b\r\nContent-Length: 0\r\n\r\n", 200, "", "a", false},
		{"a header larger than the buffer", ok + "X-Say: " + long + "\r\nContent-Length: 0\r\n\r\n", 200, "", long, false},
		{"chunks", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 200, "abcde", "", false},
		{"chunks with extensions and a trailer", ok + "Transfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\n00\r\nX-Say: a\r\n\r\n", 200, "abc", "", false},
		{"no content", "HTTP/1.1 204 No Content\r\nX-Say: a\r\n\r\n", 204, "", "a", false},
		{"no content, but a length", "HTTP/1.1 204 X\r\nContent-Length: 3\r\n\r\n", 204, "", "", true},
		{"no content, but chunks", "HTTP/1.1 204 X\r\nTransfer-Encoding: chunked\r\n\r\n", 204, "", "", true},
		{"not modified, with the length of what was not", "HTTP/1.1 304 X\r\nContent-Length: 9\r\n\r\n", 304, "", "", false},
		{"news of the way first", "HTTP/1.1 100 Continue\r\nX-Say: b\r\n\r\nHTTP/1.1 103 X\r\n\r\n" + ok + "Content-Length: 1\r\n\r\na", 200, "a", "", false},
		{"as much news as is heard", strings.Repeat("HTTP/1.1 102 X\r\nContent-Length: 7\r\nConnection: close\r\n\r\n", 5) + ok + "Content-Length: 1\r\n\r\na", 200, "a", "", false},
		{"no value, which goes on with nothing", ok + "X-Say:\r\n \r\nContent-Length: 1\r\n\r\na", 200, "a", "", false},
		{"no value, which begins in the line after the next", ok + "X-Say: \r\n \r\n\tb\r\n c\r\nContent-Length: 1\r\n\r\na", 200, "a", "b c", false},
		{"a value that goes on with nothing", ok + "X-Say: a\r\n \r\nContent-Length: 1\r\n\r\na", 200, "a", "a ", false},
		{"a farewell on two lines", ok + "Connection:\r\n close\r\nContent-Length: 1\r\n\r\na", 200, "a", "", true},
		{"a farewell in a second header", ok + "Connection: keep-alive\r\nConnection: \tClose , x\r\nContent-Length: 1\r\n\r\na", 200, "a", "", true},
		{"no farewell but a word like it", ok + "Connection: closed, close-not\r\nContent-Length: 1\r\n\r\na", 200, "a", "", false},
		{"the protocol before this one, that would stay", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", 200, "a", "", true},
		{"chunks in the protocol before this one are none", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, "0\r\n\r\n", "", true},
		{"content reset, which has a body", "HTTP/1.1 205 X\r\nContent-Length: 1\r\n\r\na", 205, "a", "", false},
		{"a size in capitals, with leading zeros", ok + "Transfer-Encoding: chunked\r\n\r\n000A\r\n0123456789\r\n0\r\n\r\n", 200, "0123456789", "", false},
		{"a trailer does not speak for the head", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\nX-Say: a\r\nContent-Length: 9\r\n\r\n", 200, "", "", false},
		{"a farewell in a list", ok + "Connection: x, CLOSE\r\nContent-Length: 1\r\n\r\na", 200, "a", "", true},
		{"to the end of the connection", ok + "\r\nabc", 200, "abc", "", true},
		{"both a length and chunks", ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", 200, "a", "", true},
		{"another protocol from here on", "HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n", 101, "", "", true},
	}
}

func TestReadReply(t *testing.T) {
	for _, row := range replyRows() {
		status, body, header, last, err := azure.ReadReply(bufio.NewReaderSize(strings.NewReader(row.text), 16<<10), "X-Say")
		assert.Truef(t, err == nil && status == row.status && body == row.body && header == row.header && last == row.last,
			"%s: ReadReply(%.60q) = %d, %.20q, %.20q, last %v, %v; want %d, %.20q, %.20q, last %v", row.name, row.text, status,
			body, header, last, err, row.status, row.body, row.header, row.last)
	}
}

func TestReadReplyFaults(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, row := range []struct {
		name, text string
		want       error
	}{
		{"nothing", "", io.EOF},
		{"another protocol", "SSH-2.0-OpenSSH_9.6\r\n", azure.ErrNotHTTP},
		{"an alert of TLS, and the end", "\x15\x03\x01\x00\x02\x02\x46", azure.ErrNotHTTP},
		{"a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", azure.ErrNotHTTP},
		{"a status below 100", "HTTP/1.1 099 OK\r\n\r\n", azure.ErrNotHTTP},
		{"an end within the first line", "HTTP/1.", io.ErrUnexpectedEOF},
		{"an end within the head", ok + "Content-Le", io.ErrUnexpectedEOF},
		{"an end before the body", ok + "Content-Length: 3\r\n\r\n", io.ErrUnexpectedEOF},
		{"an end within a chunk", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nab", io.ErrUnexpectedEOF},
		{"a chunk of a negative size", ok + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", azure.ErrNotHTTP},
		{"a chunk beyond all numbers", ok + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", azure.ErrNotHTTP},
		{"a chunk beyond the bound", ok + "Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n", azure.ErrReplyTooLong},
		{"a chunk that with the one before is beyond all numbers", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n7fffffffffffffff\r\n", azure.ErrReplyTooLong},
		{"a chunk that with the one before is beyond the bound", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n500000\r\n", azure.ErrReplyTooLong},
		{"a chunk that with the one before is just not", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n4fffff\r\n", io.ErrUnexpectedEOF},
		{"a chunk of a size with a prefix", ok + "Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n", azure.ErrNotHTTP},
		{"a chunk whose line ends in a line feed alone", ok + "Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n", azure.ErrNotHTTP},
		{"chunks, said twice", ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", azure.ErrNotHTTP},
		{"chunks after another encoding", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", azure.ErrNotHTTP},
		{"a list of lengths", ok + "Content-Length: 3, 3\r\n\r\nabc", azure.ErrNotHTTP},
		{"a length with an underscore", ok + "Content-Length: 1_0\r\n\r\n0123456789", azure.ErrNotHTTP},
		{"a blank between name and colon", ok + "Content-Length : 3\r\n\r\nabc", azure.ErrNotHTTP},
		{"carriage returns alone", "HTTP/1.1 200 OK\rContent-Length: 0\r\r", io.ErrUnexpectedEOF},
		{"two carriage returns at an end", ok + "X-Say: a\r\r\nContent-Length: 0\r\n\r\n", azure.ErrNotHTTP},
		{"an empty line first", "\r\n" + ok + "Content-Length: 0\r\n\r\n", azure.ErrNotHTTP},
		{"one piece of news too many", strings.Repeat("HTTP/1.1 102 X\r\n\r\n", 6) + ok + "Content-Length: 1\r\n\r\na", azure.ErrNotHTTP},
		{"a line of 5 KiB before a chunk", ok + "Transfer-Encoding: chunked\r\n\r\n1;" + strings.Repeat("x", 5<<10) + "\r\n", azure.ErrNotHTTP},
		{"another encoding", ok + "Transfer-Encoding: gzip\r\n\r\n", azure.ErrNotHTTP},
		{"two lengths", ok + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", azure.ErrNotHTTP},
		{"a length beyond all numbers", ok + "Content-Length: 99999999999999999999\r\n\r\n", azure.ErrNotHTTP},
		{"a length beyond the bound", ok + "Content-Length: 5242881\r\n\r\n", azure.ErrReplyTooLong},
		{"a header without a colon", ok + "X-Say\r\n\r\n", azure.ErrNotHTTP},
		{"a header without a name", ok + ": x\r\n\r\n", azure.ErrNotHTTP},
		{"a control character in a value", ok + "X-Say: \x00\r\n\r\n", azure.ErrNotHTTP},
		{"a line that goes on with none", ok + " x\r\n\r\n", azure.ErrNotHTTP},
		{"a head without an end", ok + strings.Repeat("X-Say: abc\r\n", 6<<10), azure.ErrHeadTooLong},
		{"a header without an end", ok + "X-Say: " + strings.Repeat("x", 70<<10), azure.ErrHeadTooLong},
		{"a trailer without an end", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X-Say: abc\r\n", 6<<10), azure.ErrHeadTooLong},
		{"news of the way without an end", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 10), azure.ErrNotHTTP},
	} {
		status, body, _, _, err := azure.ReadReply(bufio.NewReaderSize(strings.NewReader(row.text), 16<<10), "X-Say")
		assert.ErrorIsf(t, err, row.want, "%s: ReadReply(%.60q) = %d, %.20q", row.name, row.text, status, body)
	}
}

// FuzzReadReply: what is taken for a reply, net/http takes for the same one.
func FuzzReadReply(f *testing.F) {
	for _, row := range replyRows() {
		f.Add(row.text)
	}
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n7fffffffffffffff\r\n")
	f.Add("HTTP/1.1 503 \x80\r\nX-Say: \xff\r\nContent-Length: 1\r\n\r\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		status, body, header, last, err := azure.ReadReply(bufio.NewReaderSize(strings.NewReader(text), 16<<10), "X-Say")
		if err != nil {
			return
		}
		in := bufio.NewReader(strings.NewReader(text))
		request := &http.Request{Method: http.MethodGet}
		reply, err := http.ReadResponse(in, request)
		for err == nil && reply.StatusCode < 200 && reply.StatusCode != 101 {
			reply, err = http.ReadResponse(in, request)
		}
		require.NoErrorf(t, err, "net/http; ReadReply(%q) = %d, %q", text, status, body)
		if reply.StatusCode == 101 {
			return // what follows is a matter of taste
		}
		var theirs bytes.Buffer
		_, err = theirs.ReadFrom(reply.Body)
		require.NoErrorf(t, err, "net/http reads %q; ReadReply(%q) = %d, %q", &theirs, text, status, body)
		if status != reply.StatusCode || body != theirs.String() || header != reply.Header.Get("X-Say") || reply.Close && !last {
			t.Errorf("ReadReply(%q) = %d, %q, %q, last %v; net/http: %d, %q, %q, last %v",
				text, status, body, header, last, reply.StatusCode, &theirs, reply.Header.Get("X-Say"), reply.Close)
		}
	})
}

// canned is a connection on which the same bytes come back, whatever is sent,
// and then the end.
type canned struct {
	net.Conn
	reply *strings.Reader
}

func (canned) Write(p []byte) (int, error) { return len(p), nil }

func (c canned) Read(p []byte) (int, error) { return c.reply.Read(p) }

func (canned) Close() error { return nil }

func (canned) SetDeadline(time.Time) error { return nil }

// SyscallConn has the target write to it as to a socket of the system, which
// takes a small request at once: with no second goroutine, the same input takes
// the same way each time.
func (canned) SyscallConn() (syscall.RawConn, error) { return nothing{}, nil }

// nothing is a socket that cannot be looked at.
type nothing struct{ syscall.RawConn }

func (nothing) Read(func(uintptr) bool) error { return net.ErrClosed }

// FuzzReply has a target read whatever a network may bring: it always returns,
// and what it returns can be shown.
func FuzzReply(f *testing.F) {
	for n, file := range must(filepath.Glob(filepath.Join("testdata", "replies", "*.http"))) {
		name := strings.TrimSuffix(filepath.Base(file), ".http")
		f.Add(framed(golden(f, name), n%2 == 0), uint8(n))
	}
	f.Add("", uint8(0))
	f.Add("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", uint8(3))
	f.Add("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", uint8(0))
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}", uint8(0))
	f.Add("HTTP/1.1 503 \x80\r\nx-ms-error-code: \x80\xff\r\n\r\n\x00", uint8(3))
	f.Add("HTTP/1.1 999 \r\n\r\n", uint8(1))
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n7fffffffffffffff\r\n", uint8(0))
	subject := open(f, azure.Options{AskCounted: true})
	ops := every()
	f.Fuzz(func(t *testing.T, reply string, which uint8) {
		subject.DialWith(func(context.Context, string, string) (net.Conn, error) {
			return canned{reply: strings.NewReader(reply)}, nil
		})
		op := ops[int(which)%len(ops)]
		got := subject.Do(t.Context(), &op)
		checkShowable(t, op, got)
		if _, err := subject.Probe(t.Context()); err != nil && strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("Probe = %q; want one line", err)
		}
	})
}

func checkShowable(t *testing.T, op target.Operation, got target.Outcome) {
	t.Helper()
	ok := got.Status >= 200 && got.Status < 300 && got.Fault == ""
	switch {
	case got.Status != 0 && got.Status < 100:
		t.Errorf("%v = status %d; want one, or 0", op.Verb, got.Status)
	case ok != (got.Detail == "") || ok && got.Code != "":
		t.Errorf("%v = %d %q %q; want a detail for a failure, and none for a success", op.Verb, got.Status, got.Code, got.Detail)
	case (got.Status == 0) != (got.Fault != "" && got.Fault != target.Unreadable && got.Fault != target.WrongEntity) && op.Verb != entity.Batch:
		t.Errorf("%v = %d with the fault %q; want one where there is no reply", op.Verb, got.Status, got.Fault)
	case got.Fault != "" && got.Class(target.Expected{}) != results.Failed:
		t.Errorf("%v with the fault %q is %v; want failed", op.Verb, got.Fault, got.Class(target.Expected{}))
	case !utf8.ValidString(got.Detail) || len(got.Detail) > 400 || strings.ContainsFunc(got.Detail, unicode.IsControl):
		t.Errorf("%v has the detail %q; want one short line", op.Verb, got.Detail)
	case len(got.Code) > 100 || strings.ContainsFunc(string(got.Code), func(r rune) bool { return r <= ' ' || r > '~' }):
		t.Errorf("%v has the code %q; want a short word", op.Verb, got.Code)
	case got.Counted < 0 || got.Returned < 0 || int(got.Returned) < len(got.Rows):
		t.Errorf("%v counted %d, returned %d of %d rows", op.Verb, got.Counted, got.Returned, len(got.Rows))
	case !ok && (len(got.Rows) > 0 || got.Entity != nil):
		t.Errorf("%v failed with %d and holds entities", op.Verb, got.Status)
	}
}

// FuzzConnectionString: what is accepted is an address that is accepted again,
// and what is not is refused in one line that repeats no value.
func FuzzConnectionString(f *testing.F) {
	f.Add("DefaultEndpointsProtocol=https;AccountName=races;AccountKey=" + testKey + ";EndpointSuffix=core.windows.net")
	f.Add("TableEndpoint=http://[::1]:10002/races/;SharedAccessSignature=?" + signature)
	f.Add("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=https://azurite:1")
	f.Add("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://\xde")
	f.Add("AccountName=a;AccountKey=" + testKey + ";EndpointSuffix=blob.core.windows.net")
	f.Add("AccountNam=;=;;=x")
	for _, text := range []string{
		plantedKey, plantedSig, plantedSAS(), "?" + plantedSAS(), "AccountKey=" + plantedKey, "AccountNam=" + plantedKey,
		"AccountName=" + plantedKey, plantedKey + "=x;AccountName=races", "AccountName=races;AccountKey=!" + plantedKey,
		"AccountName=races;AccountKey=" + plantedKey + ";SharedAccessSignature=" + plantedSAS(),
		"TableEndpoint=https://h.example.org/?" + plantedSAS(), "TableEndpoint=https://x:" + plantedKey + "@h/",
		"AccountName=races;DefaultEndpointsProtocol=" + plantedKey, "AccountName=races;EndpointSuffix=" + plantedKey,
		"UseDevelopmentStorage=" + plantedKey, "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=" + plantedKey,
		"https://h.example.org/?" + plantedSAS(), "https://h.example.org/" + plantedKey, "https://" + plantedKey + "/",
		"https://x:" + plantedKey + "@h/", "https://h.example.org:" + plantedKey, "://" + plantedKey, "https://%" + plantedSig,
		"SharedAccessSignature=" + plantedSig, "AccountName=races;SharedAccessSignature=" + plantedSig,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkParsed(t, text, azure.ErrConnectionString, func() (azure.Endpoint, error) { return azure.ParseConnectionString(text) })
		checkParsed(t, text, azure.ErrURL, func() (azure.Endpoint, error) { return azure.ParseURL(text, "", nil) })
		_, account := azure.ParseURL(text, plantedKey, nil)
		search(t, "the error of an account", printed(account))
	})
}

func checkParsed(t *testing.T, text string, sentinel error, parse func() (azure.Endpoint, error)) {
	t.Helper()
	got, err := parse()
	if err == nil {
		again, err := azure.ParseURL(got.String(), got.Account(), nil)
		if err != nil || again.String() != got.String() || again.Account() != got.Account() {
			t.Errorf("%q is at %v of %q, which parses to %v of %q, %v; want the same", text, got, got.Account(), again, again.Account(), err)
		}
		return
	}
	assert.Truef(t, errors.Is(err, sentinel) && !strings.ContainsAny(err.Error(), "\r\n"),
		"%q: the error is %q; want one line of %v", text, err, sentinel)
	search(t, fmt.Sprintf("the error of %q", text), printed(err))
	if at := strings.IndexByte(text, '='); at >= 0 {
		if value := text[at+1:]; len(value) >= 16 && strings.Contains(err.Error(), value) {
			t.Errorf("%q: the error %q repeats it", text, err)
		}
	}
}

// chaos is a service that does to a request what its number says.
type chaos struct {
	mu sync.Mutex
	// seen is how often each request came.
	seen map[string]int
	// arrived are told that a request which is never answered is there.
	arrived map[string]func()
}

// What becomes of a request, by its number: the rest is answered as it should be.
const (
	hungUpOn = iota
	cutWithin
	garbled
	neverAnswered
	farewell
	hungUpAfter
	inDrops
	unframed
	inChunks
	fates = 16
)

// serve answers the requests of one connection.
func (c *chaos) serve(conn net.Conn) {
	converse(conn, conn, func(request *http.Request) (string, bool) {
		body, _ := io.ReadAll(request.Body)
		id := strings.TrimPrefix(request.Header.Get("x-ms-client-request-id"), "run7-")
		if !matchesRow(request, string(body), "row"+id) {
			return teapot, true
		}
		c.mu.Lock()
		c.seen[id]++
		told := c.arrived[id]
		c.mu.Unlock()
		return answerByNumber(conn, must(strconv.Atoi(id)), told)
	})
}

// matchesRow reports whether address, headers and body of a request are those of one operation, on
// that row.
func matchesRow(r *http.Request, body, row string) bool {
	switch r.Method {
	case http.MethodGet:
		return strings.Contains(r.URL.Path, "RowKey='"+row+"'") && body == ""
	case http.MethodPost:
		return strings.Contains(body, `"RowKey":"`+row+`"`) && r.Header.Get("Prefer") == "return-no-content" &&
			len(r.Header["If-Match"]) == 0
	default:
		return strings.Contains(r.URL.Path, "RowKey='"+row+"'") && r.Header.Get("If-Match") == "*" &&
			len(r.Header["Content-Type"]) == 0 && body == ""
	}
}

// answerByNumber returns the reply to a request, and false where the connection is to be closed.
func answerByNumber(conn net.Conn, number int, told func()) (reply string, stay bool) {
	body := fmt.Sprintf(`{"PartitionKey":"NYC 2011","RowKey":"row%d","Timestamp":"2026-11-20T11:48:20Z","Echo":"%d"}`, number, number)
	const head = "HTTP/1.1 200 OK\nContent-Type: application/json\n"
	whole := framed(head+"\n"+body, false)
	switch number % fates {
	case hungUpOn:
		return "", false
	case cutWithin:
		return whole[:len(whole)-1-number%len(body)], false
	case garbled:
		return strings.Replace(whole, "Content-Length: ", "Content-Length: -", 1), true
	case neverAnswered:
		told()
		return "", true
	case farewell:
		return strings.Replace(whole, "\r\n", "\r\nCONNECTION: Close\r\n", 1), true
	case hungUpAfter:
		return whole, false
	case inDrops:
		for _, drop := range "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nX: y\r\n\r\n" + whole {
			io.WriteString(conn, string(drop))
		}
		return "", true
	case unframed:
		return strings.ReplaceAll(head+"\n", "\n", "\r\n") + body, false
	case inChunks:
		return framed(head+"\n"+body, true), true
	}
	return whole, true
}

// Many attempts at once meet a service that does all that is wrong: each gets its
// own reply or none, no request comes twice, and every connection is closed in
// the end.
func TestNoReplyIsMixedUp(t *testing.T) {
	t.Parallel()
	c := &chaos{seen: map[string]int{}, arrived: map[string]func(){}}
	const workers, apiece, kept = 8, 20 * fates, 3
	subject := open(t, azure.Options{Endpoint: endpointAt(t, "http://"+each(t, c.serve)+"/races"), Connections: kept, Timeout: 30 * time.Second})
	var working sync.WaitGroup
	for worker := range workers {
		working.Go(func() {
			for i := range apiece {
				number := worker*apiece + i
				row := fmt.Sprintf("row%d", number)
				op := []target.Operation{get(row), single(entity.Insert, row, entity.Match{}),
					single(entity.Delete, row, entity.MatchAny)}[i%3]
				op.Number = uint64(number)
				ctx, cancel := context.WithCancel(context.Background())
				c.mu.Lock()
				c.arrived[fmt.Sprint(number)] = cancel
				c.mu.Unlock()
				c.check(t, &op, subject.Do(ctx, &op))
				cancel()
			}
		})
	}
	working.Wait()
	if n := subject.Connections(); n.Opened+n.Reused != workers*apiece || n.Connects.Count != n.Opened || n.Reused == 0 {
		t.Errorf("Connections() = %+v; want %d attempts on connections, some used again", n, workers*apiece)
	}
	assert.LessOrEqual(t, subject.Callers(), 1, "callers that are listened to once all attempts have ended")
}

func (c *chaos) check(t *testing.T, op *target.Operation, got target.Outcome) {
	c.mu.Lock()
	came := c.seen[fmt.Sprint(op.Number)]
	c.mu.Unlock()
	assert.Truef(t, came <= 1 && (came != 0 || got.Status == 0),
		"request %d came %d times, with the outcome %+v; want once, or never where there is no reply", op.Number, came, got)
	fate := op.Number % fates
	switch {
	case got.Status == 200:
		echo, _ := got.Entity.Lookup("Echo")
		if op.Verb == entity.Get && echo.Text() != fmt.Sprint(op.Number) || fate <= neverAnswered || got.Counted != 1 {
			t.Errorf("request %d, of fate %d, found %q; want its own number, or no reply", op.Number, fate, echo.Text())
		}
	case got.Status != 0 || fate > neverAnswered && !strings.HasPrefix(got.Detail, "the connection was "):
		// A connection can be hung up before it is seen to be.
		t.Errorf("request %d, of fate %d = %+v; want 200", op.Number, fate, got)
	}
}

// The outcomes of one caller are not altered by what others get: replies are read
// into room that is used again.
func TestOutcomesStay(t *testing.T) {
	for _, op := range []target.Operation{get("1"), {Verb: entity.Query, Table: "Runners"}} {
		subject, _ := openAt(t, func(number int, _ []byte) (string, bool) {
			digit := fmt.Sprint(number % 10)
			row := fmt.Sprintf(`{"PartitionKey":"part%s","RowKey":"row%s","Timestamp":"2026-11-20T11:48:20Z","Echo":"%s"}`, digit, digit, digit)
			if op.Verb == entity.Query {
				row = `{"value":[` + row + `]}`
			}
			return framed("HTTP/1.1 200 OK\nContent-Type: application/json\nx-ms-continuation-NextPartitionKey: next"+digit+"\n\n"+row, false), false
		}, azure.Options{})
		var outcomes []target.Outcome
		var all []string
		for i := range 20 {
			outcomes = append(outcomes, subject.Do(t.Context(), &op))
			require.Equalf(t, 200, outcomes[i].Status, "%v: Do = %+v", op.Verb, outcomes[i])
			all = append(all, fmt.Sprint(outcomes[i]))
		}
		for i := range outcomes {
			assert.Equalf(t, all[i], fmt.Sprint(outcomes[i]), "%v: outcome %d, in the end", op.Verb, i)
		}
	}
}
