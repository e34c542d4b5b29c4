package fleet

import (
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
	"loadgen/scenarios/run/runtest"
)

// opened is a leader's end with a server of its own, and its token.
func opened(t *testing.T, listen string) (*bus, Token) {
	t.Helper()
	o := BusOptions{Listen: listen, Token: runtest.Must(NewToken())}
	return led(t, o), o.Token
}

// led is a leader's end.
func led(t *testing.T, o BusOptions) *bus {
	t.Helper()
	l := runtest.Must(openBus(o, clock.NewReal()))
	t.Cleanup(l.Close)
	return l
}

// dialed is a member's end.
func dialed(t *testing.T, o BusOptions) (*bus, string) {
	t.Helper()
	id := runtest.Must(newID())
	m := runtest.Must(dialBus(t.Context(), o, id, clock.NewReal()))
	t.Cleanup(m.Close)
	return m, id
}

// exchange has a member say something, and the leader answer.
func exchange(t *testing.T, l *bus, m *bus, id string) {
	t.Helper()
	require.NoError(t, m.Send("", []byte("from "+id)))
	got := <-l.Messages()
	assert.Truef(t, got.From == id && string(got.Text) == "from "+id, "%q from %s; want it from %s", got.Text, got.From, id)
	require.NoError(t, l.Send(got.From, []byte("to "+id)))
	assert.Equal(t, "to "+id, string((<-m.Messages()).Text), "the answer")
}

// What a member says reaches the leader under its identity, and the answer that member
// alone: on loopback without TLS, and elsewhere with it.
func TestThereAndBack(t *testing.T) {
	for listen, secure := range map[string]bool{"": false, ":0": true} {
		l, token := opened(t, listen)
		a, idA := dialed(t, BusOptions{URL: l.url, Token: token})
		b, idB := dialed(t, BusOptions{URL: l.url, Token: token})
		_, err := a.conn.TLSConnectionState()
		assert.Truef(t, (err == nil) == secure, "listening on %q: TLS is %v; want %v", listen, err == nil, secure)
		exchange(t, l, a, idA)
		exchange(t, l, b, idB)
	}
}

// A member can neither publish nor subscribe beyond its own two subjects, and a message of
// the greatest size gets through, one more byte not.
func TestAMemberIsLimitedToItsOwn(t *testing.T) {
	l, token := opened(t, "")
	m, id := dialed(t, BusOptions{URL: l.url, Token: token})
	_, other := dialed(t, BusOptions{URL: l.url, Token: token})
	// The first alone is allowed; that is asked before any objection to it.
	for i, subject := range []string{
		l.subjects.requests(id), l.subjects.requests(other), l.subjects.replies(id), l.subjects.replies(other),
		l.subjects.claims(), "loadgen.v1.another.member." + id + ".ask", "_INBOX.anything", "$SYS.REQ.SERVER.PING",
	} {
		got := permitted(t, m.conn, subject, func() error { return m.conn.Publish(subject, []byte("x")) })
		assert.Truef(t, got == (i == 0), "publishing to %s: allowed %v; want %v", subject, got, i == 0)
	}
	m, id = dialed(t, BusOptions{URL: l.url, Token: token})
	for i, subject := range []string{
		l.subjects.replies(id), l.subjects.replies(other), l.subjects.replies("*"), l.subjects.requests("*"), l.subjects.requests(id), ">", "$SYS.>",
	} {
		got := permitted(t, m.conn, subject, func() error {
			sub, err := m.conn.SubscribeSync(subject)
			if err == nil {
				t.Cleanup(func() { _ = sub.Unsubscribe() })
			}
			return err
		})
		assert.Equalf(t, i == 0, got, "subscribing to %s: allowed %v; want %v", subject, got, i == 0)
	}
	assert.NoErrorf(t, m.Send("", make([]byte, protocol.MaxBytes)), "%d bytes", protocol.MaxBytes)
	assert.ErrorIsf(t, m.Send("", make([]byte, protocol.MaxBytes+1)), nats.ErrMaxPayload, "%d bytes", protocol.MaxBytes+1)
}

// A full queue of the leader drops messages and counts them. It takes further ones once it has been read.
func TestFullQueueDropsAndCounts(t *testing.T) {
	l, token := opened(t, "")
	m, id := dialed(t, BusOptions{URL: l.url, Token: token})
	const sent = maxWaiting + 1000
	for range sent {
		require.NoError(t, m.Send("", []byte("x")))
	}
	// All messages have arrived once the replies to these have.
	require.NoError(t, errors.Join(m.conn.Flush(), l.conn.Flush()))
	dropped := l.Dropped()
	assert.InDelta(t, 1000, dropped, 2)
	for range sent - dropped {
		<-l.Messages()
	}
	exchange(t, l, m, id)
}

// permitted reports whether the server does not object to what a connection does with a
// subject.
func permitted(t *testing.T, c *nats.Conn, subject string, do func() error) bool {
	t.Helper()
	require.NoError(t, do())
	// The server answers in order: an objection comes before the answer to this.
	require.NoError(t, c.FlushTimeout(10*time.Second))
	err := c.LastError()
	return err == nil || !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), `"`+subject+`"`)
}

// Who has another token, no token, or claims to be what it is not, does not get in.
func TestWhoGetsIn(t *testing.T) {
	for _, listen := range []string{"", ":0"} {
		l, token := opened(t, listen)
		other, id := runtest.Must(NewToken()), runtest.Must(newID())
		_, err := dialBus(t.Context(), BusOptions{URL: l.url, Token: other}, id, clock.NewReal())
		assert.Truef(t, errors.Is(err, errRefused) && !strings.Contains(err.Error(), other.secret) &&
			errors.Is(err, errOtherLeader) == (listen != ""), "with another token, at %q: %v", l.url, err)
		_, err = nats.Connect(l.url, append(forged(token, other), nats.Name(id))...)
		assert.Error(t, err, "with the key of the fleet, and another's signature: it is let in")
		c, err := nats.Connect(l.url, append(forged(token, token), nats.Name(id))...)
		require.NoError(t, err, "with the key of the fleet, and its signature")
		c.Close()
		_, err = dialBus(t.Context(), BusOptions{URL: l.url, Token: token}, "not.an.id", clock.NewReal())
		assert.ErrorIs(t, err, errRefused, "under no identity")
		_, err = nats.Connect(l.url, nats.Timeout(5*time.Second), nats.Secure())
		assert.Error(t, err, "without anything: it is let in")
		_, err = nats.Connect(l.url, nats.Timeout(5*time.Second), nats.Token(token.secret))
		assert.Error(t, err, "with the bare token: it is let in")
	}
}

// forged shows the key of one token and signs with that of another.
func forged(shown, signs Token) []nats.Option {
	trusting := func(o *nats.Options) error { o.TLSConfig = &tls.Config{InsecureSkipVerify: true}; return nil }
	return []nats.Option{nats.Nkey(publicKey(runtest.Must(shown.keys()).join), func(nonce []byte) ([]byte, error) {
		return ed25519.Sign(runtest.Must(signs.keys()).join, nonce), nil
	}), nats.Timeout(5 * time.Second), trusting}
}

// What is no fleet is one line.
func TestJoiningWhatIsNoFleet(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	silent := runtest.Must(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { silent.Close() })
	talks := talking(t, "SSH-2.0-OpenSSH_9.9\r\n")
	nobody := runtest.Must(net.Listen("tcp", "127.0.0.1:0"))
	free := nobody.Addr().String()
	nobody.Close()
	token := runtest.Must(NewToken())
	for _, row := range []struct {
		sentence, url string
		want          error
		says          string
	}{
		{"an HTTP server", "nats://" + web.Listener.Addr().String(), errUnreachable, ""},
		{"a silent listener", "nats://" + silent.Addr().String(), errUnreachable, ""},
		{"another protocol", "nats://" + talks, errUnreachable, "NATS"},
		{"nobody", "nats://" + free, errUnreachable, ""},
		{"no scheme", free, nil, "nats://HOST:PORT"},
		{"another scheme", "http://" + free, nil, "nats://HOST:PORT"},
		{"a password in it", "nats://me:hush@" + free, nil, "credentials"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			_, err := dialBus(t.Context(), BusOptions{URL: row.url, Token: token}, runtest.Must(newID()), clock.NewReal())
			if err == nil || row.want != nil && !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.says) ||
				strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hush") {
				t.Errorf("%v; want %v in one line that says %q", err, row.want, row.says)
			}
		})
	}
}

// talking is a server that says one thing to everybody.
func talking(t *testing.T, text string) string {
	t.Helper()
	l := runtest.Must(net.Listen("tcp", "127.0.0.1:0"))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte(text))
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-ended })
	return l.Addr().String()
}

// A port that is taken is said so.
func TestAPortThatIsTaken(t *testing.T) {
	l := runtest.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	_, err := openBus(BusOptions{Listen: l.Addr().String(), Token: runtest.Must(NewToken())}, clock.NewReal())
	assert.ErrorIs(t, err, errListen)
}

// A token is read from a file of its owner's, never printed, and long enough.
func TestTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	written := runtest.Must(NewToken())
	for mode, text := range map[os.FileMode]string{0o600: written.secret + "\n", 0o440: written.secret} { // a container's secret
		require.NoError(t, errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)))
		if read, err := ReadToken(path); err != nil || read != written {
			t.Errorf("a file of mode %o is read as what was written: %v, %v", mode, read == written, err)
		}
		require.NoError(t, os.Remove(path))
	}
	for _, row := range []struct {
		sentence, text string
		mode           os.FileMode
		says           string
	}{
		{"it is open to others", written.secret, 0o644, "chmod 600"},
		{"it is open to the group", written.secret, 0o640, "chmod 600"},
		{"it is short", "hunter2", 0o600, "7 characters"},
		{"it is empty", "", 0o600, "0 characters"},
		{"it is of two lines", written.secret + "\n" + written.secret, 0o600, "letters"},
		{"it is endless", strings.Repeat("x", 5000), 0o400, "characters"},
	} {
		if runtime.GOOS == "windows" && row.mode&0o077 != 0 {
			continue
		}
		require.NoError(t, errors.Join(os.WriteFile(path, []byte(row.text), 0o600), os.Chmod(path, row.mode)))
		_, err := ReadToken(path)
		assert.Truef(t, errors.Is(err, errToken) && strings.Contains(err.Error(), row.says) && (len(row.text) == 0 ||
			!strings.Contains(err.Error(), row.text)), "%s: %v; want %v that says %q", row.sentence, err, errToken, row.says)
		require.NoError(t, os.Remove(path))
	}
	assert.NotContains(t, fmt.Sprintf("%s %v %+v %#v", written, written, &written, written), written.secret)
}

// What a leader writes of its members' seconds, and when: each word is an event, "0:3" that member 0
// reports its second 3 with one operation, "0-" that it is gone, "0+" that it
// has joined.
func TestJournal(t *testing.T) {
	for _, tt := range []struct{ name, events, want string }{
		{"a second is written when all have reported it", "0:0 0:1 1:0", "0=2"},
		{"and each after it", "0:0 0:1 1:0 1:1 1:2", "0=2 1=2"},
		{"a member that is gone is not waited for", "0:0 1:0 0:1 0:2 1-", "0=2 1=1 2=1"},
		{"what it reported before counts", "1:0 1:1 1- 0:0 0:1", "0=2 1=2"},
		{"all that is left is written at the end", "0:0 0:1 1- 0-", "0=1 1=1"},
		{"who reports nothing holds back a minute at most", many(maxOpen + 2), "0=1 1=1"},
		{"one that arrives after its second is left out", many(maxOpen+2) + " 1:0 1:1", "0=1 1=1"},
		{"who takes the place of one that was lost is waited for", "0- 0+ 1:0 0:0", "0=2"},
		{"members of no fleet are not counted", "7:0 -1:0 0:0", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			j := newJournal(2, func(of *results.Interval) { got = append(got, fmt.Sprintf("%d=%d", of.Second, of.Scheduled)) })
			for event := range strings.FieldsSeq(tt.events) {
				e := protocol.Event{Kind: protocol.MemberLost}
				if n, _ := fmt.Sscanf(event, "%d-", &e.Member); n == 1 && strings.HasSuffix(event, "-") {
					j.handle(&e)
					continue
				}
				if n, _ := fmt.Sscanf(event, "%d+", &e.Member); n == 1 && strings.HasSuffix(event, "+") {
					e.Kind = protocol.MemberJoined
					j.handle(&e)
					continue
				}
				one := results.Interval{Counts: results.Counts{Scheduled: 1}}
				_, err := fmt.Sscanf(event, "%d:%d", &e.Member, &one.Second)
				assert.NoError(t, err)
				e.Kind, e.Second = protocol.SecondReported, &protocol.Second{Interval: one}
				j.handle(&e)
			}
			assert.Equal(t, tt.want, strings.Join(got, " "))
		})
	}
}

// many has member 0 report so many seconds.
func many(seconds int) string {
	var list []string
	for n := range seconds {
		list = append(list, fmt.Sprintf("0:%d", n))
	}
	return strings.Join(list, " ")
}
