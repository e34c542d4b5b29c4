package azure_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"loadgen/target/azure"
)

// What a reply is made of, in every form in which HTTP/1.1 lets it come.
func TestReadReply(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	long := strings.Repeat("x", 40<<10)
	for _, row := range []struct {
		name, text string
		status     int
		body       string
		header     string // the value of X-Say
		last       bool
	}{
		{"a length", ok + "X-Say: a\r\nContent-Length: 3\r\n\r\nabc", 200, "abc", "a", false},
		{"names in any case, blanks around the value", ok + "x-sAY:\t a b \r\ncontent-LENGTH:3\r\n\r\nabc", 200, "abc", "a b", false},
		{"a length said twice", ok + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 200, "abc", "", false},
		{"no more than line feeds", "HTTP/1.1 200\nX-Say: a\nContent-Length: 3\n\nabc", 200, "abc", "a", false},
		{"the first of two values", ok + "X-Say: a\r\nX-Say: b\r\nContent-Length: 0\r\n\r\n", 200, "", "a", false},
		{"a header on two lines", ok + "X-Say: a\r\n  b\r\nContent-Length: 0\r\n\r\n", 200, "", "a b", false},
		{"a header larger than the buffer", ok + "X-Say: " + long + "\r\nContent-Length: 0\r\n\r\n", 200, "", long, false},
		{"chunks", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 200, "abcde", "", false},
		{"chunks with extensions and a trailer", ok + "Transfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\n00\r\nX-Say: a\r\n\r\n", 200, "abc", "", false},
		{"no chunk at all", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 200, "", "", false},
		{"no content", "HTTP/1.1 204 No Content\r\nX-Say: a\r\n\r\n", 204, "", "a", false},
		{"no content, and none said", "HTTP/1.1 204 X\r\nContent-Length: 0\r\n\r\n", 204, "", "", false},
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
		{"a farewell", ok + "Connection: close\r\nContent-Length: 1\r\n\r\na", 200, "a", "", true},
		{"a farewell in a list", ok + "Connection: x, CLOSE\r\nContent-Length: 1\r\n\r\na", 200, "a", "", true},
		{"to the end of the connection", ok + "\r\nabc", 200, "abc", "", true},
		{"the protocol before this one", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", 200, "a", "", true},
		{"both a length and chunks", ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", 200, "a", "", true},
		{"another protocol from here on", "HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n", 101, "", "", true},
	} {
		status, body, header, last, err := azure.ReadReply(bufio.NewReaderSize(strings.NewReader(row.text), 16<<10), "X-Say")
		if err != nil || status != row.status || body != row.body || header != row.header || last != row.last {
			t.Errorf("%s: ReadReply(%.60q) = %d, %.20q, %.20q, last %v, %v; want %d, %.20q, %.20q, last %v",
				row.name, row.text, status, body, header, last, err, row.status, row.body, row.header, row.last)
		}
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
		{"HTTP/2", "HTTP/2.0 200 OK\r\n\r\n", azure.ErrNotHTTP},
		{"a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", azure.ErrNotHTTP},
		{"a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", azure.ErrNotHTTP},
		{"a status below 100", "HTTP/1.1 099 OK\r\n\r\n", azure.ErrNotHTTP},
		{"a status with a sign", "HTTP/1.1 +20 OK\r\n\r\n", azure.ErrNotHTTP},
		{"an end within the first line", "HTTP/1.", io.ErrUnexpectedEOF},
		{"an end within the head", ok + "Content-Le", io.ErrUnexpectedEOF},
		{"an end before the body", ok + "Content-Length: 3\r\n\r\n", io.ErrUnexpectedEOF},
		{"an end within the body", ok + "Content-Length: 3\r\n\r\nab", io.ErrUnexpectedEOF},
		{"an end within a chunk", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nab", io.ErrUnexpectedEOF},
		{"an end before the last chunk", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", io.ErrUnexpectedEOF},
		{"an end before the trailer", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n", io.ErrUnexpectedEOF},
		{"a chunk longer than it says", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", azure.ErrNotHTTP},
		{"a chunk of a negative size", ok + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", azure.ErrNotHTTP},
		{"a chunk of no size", ok + "Transfer-Encoding: chunked\r\n\r\n\r\n\r\n", azure.ErrNotHTTP},
		{"a chunk beyond all numbers", ok + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", azure.ErrNotHTTP},
		{"a chunk beyond the bound", ok + "Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n", azure.ErrReplyTooLong},
		{"a chunk that with the one before is beyond all numbers", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n7fffffffffffffff\r\n", azure.ErrReplyTooLong},
		{"a chunk that with the one before is beyond the bound", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n500000\r\n", azure.ErrReplyTooLong},
		{"a chunk that with the one before is just not", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n4fffff\r\n", io.ErrUnexpectedEOF},
		{"a chunk of a size with a prefix", ok + "Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n", azure.ErrNotHTTP},
		{"a chunk of a size in two parts", ok + "Transfer-Encoding: chunked\r\n\r\n1 0\r\na\r\n0\r\n\r\n", azure.ErrNotHTTP},
		{"a chunk whose line ends in a line feed alone", ok + "Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n", azure.ErrNotHTTP},
		{"a body longer than all chunks may be", ok + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("100000\r\n"+strings.Repeat("x", 1<<20)+"\r\n", 6), azure.ErrReplyTooLong},
		{"a body without an end", ok + "\r\n" + strings.Repeat("x", 6<<20), azure.ErrReplyTooLong},
		{"chunks, said twice", ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", azure.ErrNotHTTP},
		{"chunks after another encoding", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", azure.ErrNotHTTP},
		{"a list of lengths", ok + "Content-Length: 3, 3\r\n\r\nabc", azure.ErrNotHTTP},
		{"a length of nothing", ok + "Content-Length:\r\n\r\nabc", azure.ErrNotHTTP},
		{"a length with an underscore", ok + "Content-Length: 1_0\r\n\r\n0123456789", azure.ErrNotHTTP},
		{"a blank between name and colon", ok + "Content-Length : 3\r\n\r\nabc", azure.ErrNotHTTP},
		{"carriage returns alone", "HTTP/1.1 200 OK\rContent-Length: 0\r\r", io.ErrUnexpectedEOF},
		{"two carriage returns at an end", ok + "X-Say: a\r\r\nContent-Length: 0\r\n\r\n", azure.ErrNotHTTP},
		{"an empty line first", "\r\n" + ok + "Content-Length: 0\r\n\r\n", azure.ErrNotHTTP},
		{"news of the way, and the end", "HTTP/1.1 100 Continue\r\n\r\n", io.EOF},
		{"one piece of news too many", strings.Repeat("HTTP/1.1 102 X\r\n\r\n", 6) + ok + "Content-Length: 1\r\n\r\na", azure.ErrNotHTTP},
		{"a line of 5 KiB before a chunk", ok + "Transfer-Encoding: chunked\r\n\r\n1;" + strings.Repeat("x", 5<<10) + "\r\n", azure.ErrNotHTTP},
		{"another encoding", ok + "Transfer-Encoding: gzip\r\n\r\n", azure.ErrNotHTTP},
		{"two lengths", ok + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", azure.ErrNotHTTP},
		{"a negative length", ok + "Content-Length: -1\r\n\r\n", azure.ErrNotHTTP},
		{"a length with a sign", ok + "Content-Length: +1\r\n\r\na", azure.ErrNotHTTP},
		{"a length beyond all numbers", ok + "Content-Length: 99999999999999999999\r\n\r\n", azure.ErrNotHTTP},
		{"a length beyond the bound", ok + "Content-Length: 5242881\r\n\r\n", azure.ErrReplyTooLong},
		{"a header without a colon", ok + "X-Say\r\n\r\n", azure.ErrNotHTTP},
		{"a header without a name", ok + ": x\r\n\r\n", azure.ErrNotHTTP},
		{"a blank in a name", ok + "X Say: x\r\n\r\n", azure.ErrNotHTTP},
		{"a control character in a value", ok + "X-Say: \x00\r\n\r\n", azure.ErrNotHTTP},
		{"a line that goes on with none", ok + " x\r\n\r\n", azure.ErrNotHTTP},
		{"a head without an end", ok + strings.Repeat("X-Say: abc\r\n", 6<<10), azure.ErrHeadTooLong},
		{"a header without an end", ok + "X-Say: " + strings.Repeat("x", 70<<10), azure.ErrHeadTooLong},
		{"a trailer without an end", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X-Say: abc\r\n", 6<<10), azure.ErrHeadTooLong},
		{"news of the way without an end", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 10), azure.ErrNotHTTP},
	} {
		status, body, _, _, err := azure.ReadReply(bufio.NewReaderSize(strings.NewReader(row.text), 16<<10), "X-Say")
		if !errors.Is(err, row.want) {
			t.Errorf("%s: ReadReply(%.60q) = %d, %.20q, %v; want %v", row.name, row.text, status, body, err, row.want)
		}
	}
}

// FuzzReadReply: what is taken for a reply, net/http takes for the same one.
func FuzzReadReply(f *testing.F) {
	for _, text := range []string{
		created, busy, framed("HTTP/1.1 200 OK\nX-Say: a\n\n{}", true), "HTTP/1.1 200 OK\r\nX-Say: a\r\n b\r\n\r\nabc",
		"HTTP/1.0 200 \nX-SAY:\n \n\n", "HTTP/1.1 200 OK\r\nX-Say:\r\n \r\n\tb\r\n\r\n",
		"HTTP/1.1 100 X\r\n\r\nHTTP/1.0 200\r\nConnection: close\r\n\r\nx", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1;a\r\nb\r\n0\r\nX-Say: b\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n7fffffffffffffff\r\n",
		"HTTP/1.1 304 X\r\nContent-Length: 7\r\n\r\n", "HTTP/1.1 503 \x80\r\nX-Say: \xff\r\nContent-Length: 1\r\n\r\n\x00",
	} {
		f.Add(text)
	}
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
		if err != nil {
			t.Fatalf("ReadReply(%q) = %d, %q; net/http: %v", text, status, body, err)
		}
		if reply.StatusCode == 101 {
			return // what follows is a matter of taste
		}
		var theirs bytes.Buffer
		if _, err := theirs.ReadFrom(reply.Body); err != nil {
			t.Fatalf("ReadReply(%q) = %d, %q; net/http reads %q: %v", text, status, body, &theirs, err)
		}
		if status != reply.StatusCode || body != theirs.String() || header != reply.Header.Get("X-Say") || reply.Close && !last {
			t.Errorf("ReadReply(%q) = %d, %q, %q, last %v; net/http: %d, %q, %q, last %v",
				text, status, body, header, last, reply.StatusCode, &theirs, reply.Header.Get("X-Say"), reply.Close)
		}
	})
}
