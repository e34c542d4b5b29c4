package rest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/rest"
	"loadgen/engine/rest/listentest"
)

func serveOn(t *testing.T, listener net.Listener, h http.Handler) *rest.Server {
	t.Helper()
	server, err := rest.Listen(rest.ListenOptions{Listener: listener, Handler: h})
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// Who takes too long over a request is cut off, at a time that is known: nobody
// keeps a connection by sending next to nothing.
func TestSlowSendersAreCutOff(t *testing.T) {
	head := func(length int) string {
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nx-ms-date: %s\r\nAuthorization: %s\r\nAccept: application/json\r\nContent-Length: %d\r\n\r\n",
			races, date, lite(date, races), length)
	}
	for _, row := range []struct {
		name, sent string
		// drip is sent each second after that, for as long as it can be.
		drip   string
		status string
		after  time.Duration
	}{
		{"nothing", "", "", "", rest.HeaderTime},
		{"half a header", head(1)[:40], "", "", rest.HeaderTime},
		{"a header, one letter a second", "GET / HTTP/1.1\r\nX-", "a", "", rest.HeaderTime},
		{"half a body", head(100) + `{"PartitionKey":`, "", "400 Bad Request", rest.ReadTime},
		{"a body, one letter a second", head(1000) + "{", " ", "400 Bad Request", rest.ReadTime},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := withTable(t)
			listener := listentest.NewPipes()
			server := serveOn(t, listener, s)
			began := time.Now()
			client := listener.Dial()
			done := make(chan struct{})
			go func() {
				defer close(done)
				if _, err := io.WriteString(client, row.sent); err != nil {
					return
				}
				for row.drip != "" {
					time.Sleep(time.Second)
					if _, err := io.WriteString(client, row.drip); err != nil {
						return
					}
				}
			}()
			reply, err := http.ReadResponse(bufio.NewReader(client), nil)
			took := time.Since(began)
			switch {
			case row.status == "" && (err == nil && reply.StatusCode != http.StatusBadRequest || took != row.after):
				t.Errorf("%s: reply %v, %v after %v; want none, or one that there was no request, after %v", row.name, reply, err, took, row.after)
			case row.status != "" && (err != nil || reply.Status != row.status || reply.Header.Get("x-ms-error-code") != "InvalidInput" || took != row.after):
				t.Errorf("%s: reply %v, %v after %v; want %s after %v", row.name, reply, err, took, row.status, row.after)
			}
			client.Close()
			<-done
			if err := server.Close(context.Background()); err != nil {
				t.Error(err)
			}
			if got := s.engine.Counts().Requests; got != 1 {
				t.Errorf("%s: the engine was asked %d times; want it to know of the table alone", row.name, got)
			}
		})
	}
}

// A body that says it is too long is refused before any of it was sent, and one
// that does not say so once it is.
func TestLongBodiesAreRefusedEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := withTable(t)
		listener := listentest.NewPipes()
		server := serveOn(t, listener, s)
		for _, row := range []struct{ name, method, target, framing string }{
			{"an entity", "POST", races, "Content-Length: 4194305"},
			{"a transaction", "POST", "/contoso/$batch", "Content-Type: multipart/mixed; boundary=b\r\nContent-Length: 99999999999"},
			{"access policies", "PUT", races + "?comp=acl", "Content-Length: 65537"},
			{"properties", "PUT", properties, "Content-Length: 65537"},
			{"an entity in chunks", "POST", races, "Transfer-Encoding: chunked"},
			{"access policies in chunks", "PUT", races + "?comp=acl", "Transfer-Encoding: chunked"},
		} {
			client := listener.Dial()
			sent := make(chan int)
			go func() {
				fmt.Fprintf(client, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nx-ms-date: %s\r\nAuthorization: %s\r\n%s\r\n\r\n", row.method, row.target, date,
					lite(date, row.target), row.framing)
				chunks, chunk := 0, "1000\r\n"+strings.Repeat(" ", 4096)+"\r\n"
				for strings.HasSuffix(row.framing, "chunked") && chunks < 4096 {
					if _, err := io.WriteString(client, chunk); err != nil {
						break
					}
					chunks++
				}
				sent <- chunks
			}()
			reply, err := http.ReadResponse(bufio.NewReader(client), nil)
			if err != nil || reply.StatusCode != 413 || reply.Header.Get("x-ms-error-code") != "RequestBodyTooLarge" {
				t.Errorf("%s: reply %v, %v; want 413 RequestBodyTooLarge", row.name, reply, err)
			}
			if err := client.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
			// net/http looks on for a while, so that the reply can be read: how
			// far depends on who is faster. All would be 4,096.
			if chunks := <-sent; chunks > 2*(4<<20)/4096 {
				t.Errorf("%s: %d chunks of 4 KiB were read; want no more than the bound and what net/http reads on", row.name, chunks)
			}
		}
		if err := server.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// Who sends all of a body before reading anything hears what became of it.
func TestRefusedBodiesAreHeard(t *testing.T) {
	const mib = 1 << 20
	s := withRoom(t, 6*mib)
	server, err := rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Handler: s})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Cut() }()
	for _, row := range []struct {
		sentence, target, kind string
		length                 int
		status, code           string
	}{
		{"an entity of a byte too much", races, "application/json", 4*mib + 1, "413", "RequestBodyTooLarge"},
		{"one of five million bytes", races, "application/json", 5_000_000, "413", "RequestBodyTooLarge"},
		{"one of 20 MiB", races, "application/json", 20 * mib, "413", "RequestBodyTooLarge"},
		{"a transaction of 9 MiB", "/contoso/$batch", "multipart/mixed; boundary=b", 9 * mib, "413", "RequestBodyTooLarge"},
		{"one for which there is no room", races, "application/json", 4 * mib, "503", "ServerBusy"},
		{"who signs for another", "/fabrikam/Races", "application/json", 6 * mib, "403", "AuthenticationFailed"},
	} {
		connection, err := net.Dial("tcp", server.Address())
		if err != nil {
			t.Fatal(err)
		}
		asked := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nx-ms-date: %s\r\nAuthorization: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
			row.target, date, lite(date, row.target), row.kind, row.length)
		if _, err := io.WriteString(connection, asked+strings.Repeat(" ", row.length)); err != nil {
			t.Errorf("%s: sending = %v; want all of it read", row.sentence, err)
		}
		reply, err := io.ReadAll(connection)
		head, body, _ := strings.Cut(string(reply), "\r\n\r\n")
		if err != nil || !strings.HasPrefix(head, "HTTP/1.1 "+row.status+" ") || !strings.Contains(head, "Connection: close") || !strings.Contains(body, row.code) {
			t.Errorf("%s: reply = %q, %v; want %s %s, and the end", row.sentence, reply, err, row.status, row.code)
		}
		if busy := row.status == "503"; busy != strings.Contains(head, "Retry-After: 1") {
			t.Errorf("%s: reply = %q; want Retry-After with 503 alone", row.sentence, reply)
		}
		_ = connection.Close()
	}
}
