package azure_test

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/azure"
)

// canned is a connection on which the same bytes come back, whatever is sent,
// and then the end.
type canned struct {
	reply string
	sent  chan struct{}
	once  sync.Once
}

func (c *canned) Write(p []byte) (int, error) {
	c.once.Do(func() { close(c.sent) })
	return len(p), nil
}

func (c *canned) Read(p []byte) (int, error) {
	<-c.sent
	n := copy(p, c.reply)
	c.reply = c.reply[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (c *canned) Close() error {
	c.once.Do(func() { close(c.sent) })
	return nil
}

// SyscallConn has the target write to it as to a socket of the system, which
// takes a small request at once: with no second goroutine, the same input takes
// the same way each time.
func (*canned) SyscallConn() (syscall.RawConn, error) { return nothing{}, nil }

// nothing is a socket that cannot be looked at.
type nothing struct{}

func (nothing) Control(func(uintptr)) error    { return net.ErrClosed }
func (nothing) Read(func(uintptr) bool) error  { return net.ErrClosed }
func (nothing) Write(func(uintptr) bool) error { return net.ErrClosed }

func (*canned) LocalAddr() net.Addr              { return nil }
func (*canned) RemoteAddr() net.Addr             { return nil }
func (*canned) SetDeadline(time.Time) error      { return nil }
func (*canned) SetReadDeadline(time.Time) error  { return nil }
func (*canned) SetWriteDeadline(time.Time) error { return nil }

// FuzzReply has a target read whatever a network may bring: it always returns,
// and what it returns can be shown.
func FuzzReply(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "replies", "*.http"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no golden replies: %v", err)
	}
	for n, file := range files {
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
			return &canned{reply: reply, sent: make(chan struct{})}, nil
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
	f.Add("https://races.table.core.windows.net/?sig=abcdefgh")
	f.Fuzz(func(t *testing.T, text string) {
		checkParsed(t, text, azure.ErrConnectionString, func() (azure.Endpoint, error) { return azure.ParseConnectionString(text) })
		checkParsed(t, text, azure.ErrURL, func() (azure.Endpoint, error) { return azure.ParseURL(text, "", nil) })
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
	if !errors.Is(err, sentinel) || strings.ContainsAny(err.Error(), "\r\n") {
		t.Errorf("%q: the error is %q; want one line of %v", text, err, sentinel)
	}
	if at := strings.IndexByte(text, '='); at >= 0 {
		if value := text[at+1:]; len(value) >= 16 && strings.Contains(err.Error(), value) {
			t.Errorf("%q: the error %q repeats it", text, err)
		}
	}
}
