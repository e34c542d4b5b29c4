package rest_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// Who takes too long over a request is cut off, at a time that is known: nobody
// keeps a connection by sending next to nothing.
func TestSlowSendersAreCutOff(t *testing.T) {
	head := func(length int) string {
		return contoso.Head(date, "POST", races, fmt.Sprint("Content-Length: ", length))
	}
	for _, row := range []struct {
		name, sent string
		// drip is sent each second after that, for as long as it can be.
		drip  string
		body  bool
		after time.Duration
	}{
		{"nothing", "", "", false, rest.HeaderTime},
		{"half a header", head(1)[:40], "", false, rest.HeaderTime},
		{"a header, one letter a second", "GET / HTTP/1.1\r\nX-", "a", false, rest.HeaderTime},
		{"half a body", head(100) + `{"PartitionKey":`, "", true, rest.ReadTime},
		{"a body, one letter a second", head(1000) + "{", " ", true, rest.ReadTime},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := withTable(t)
			server, pipes := openPipes(t, rest.ListenOptions{Handler: s})
			began := time.Now()
			client := resttest.NewConn(t, pipes.Dial())
			_ = client.SetDeadline(time.Time{})
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, err := io.WriteString(client, row.sent)
				for err == nil && row.drip != "" {
					time.Sleep(time.Second)
					_, err = io.WriteString(client, row.drip)
				}
			}()
			reply, _, err := client.Reply()
			assert.Equalf(t, row.after, time.Since(began), "%s: cut off after", row.name)
			if row.body {
				require.NoError(t, err, row.name)
				assert.Equal(t, "InvalidInput", reply.Header.Get("x-ms-error-code"), row.name)
			}
			assert.Truef(t, err != nil || reply.StatusCode == 400, "%s: reply %v", row.name, reply)
			client.Close()
			<-done
			shut(t, server)
			assert.EqualValuesf(t, 1, s.Engine.Counts().Requests, "%s: the engine was asked times", row.name)
		})
	}
}

// A body that says it is too long is refused before any of it was sent, and one
// that does not say so once it is.
func TestLongBodiesAreRefusedEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, pipes := openPipes(t, rest.ListenOptions{Handler: withTable(t)})
		for _, row := range []struct{ name, method, target, framing string }{
			{"an entity", "POST", races, "Content-Length: 4194305"},
			{"a transaction", "POST", "/contoso/$batch", "Content-Type: multipart/mixed; boundary=b\r\nContent-Length: 99999999999"},
			{"access policies", "PUT", races + "?comp=acl", "Content-Length: 65537"},
			{"properties", "PUT", properties, "Content-Length: 65537"},
			{"an entity in chunks", "POST", races, "Transfer-Encoding: chunked"},
			{"access policies in chunks", "PUT", races + "?comp=acl", "Transfer-Encoding: chunked"},
		} {
			client := resttest.NewConn(t, pipes.Dial())
			_ = client.SetDeadline(time.Time{})
			sent := make(chan int)
			go func() {
				_, err := io.WriteString(client, contoso.Head(date, row.method, row.target, row.framing))
				chunks, chunk := 0, "1000\r\n"+strings.Repeat(" ", 4096)+"\r\n"
				for err == nil && strings.HasSuffix(row.framing, "chunked") && chunks < 4096 {
					_, err = io.WriteString(client, chunk)
					chunks++
				}
				sent <- chunks
			}()
			reply, _, err := client.Reply()
			assert.Truef(t, err == nil && reply.StatusCode == 413 && reply.Header.Get("x-ms-error-code") == "RequestBodyTooLarge",
				"%s: reply %v, %v; want 413 RequestBodyTooLarge", row.name, reply, err)
			_ = client.Close()
			// net/http looks on for a while, so that the reply can be read: how
			// far depends on who is faster. All would be 4,096.
			assert.LessOrEqualf(t, <-sent, 2*(4<<20)/4096, "%s: chunks of 4 KiB were read", row.name)
		}
		shut(t, server)
	})
}
