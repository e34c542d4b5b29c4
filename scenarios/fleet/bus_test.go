package fleet

import (
	"crypto/tls"
	"errors"
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

	"loadgen/engine/clock"
)

// opened is a leader's end with a server of its own, and its token.
func opened(t *testing.T, listen string) (*busLeader, Token) {
	t.Helper()
	token, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	l, err := openBus(BusOptions{Listen: listen, Token: token}, clock.NewReal())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, token
}

// dialed is a member's end.
func dialed(t *testing.T, o BusOptions) (*busMember, string) {
	t.Helper()
	id, err := newID()
	if err != nil {
		t.Fatal(err)
	}
	m, err := dialBus(t.Context(), o, id, clock.NewReal())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m, id
}

// What a member says reaches the leader under its identity, and the answer that member
// alone: on loopback without TLS, and elsewhere with it.
func TestThereAndBack(t *testing.T) {
	for _, row := range []struct {
		sentence, listen string
		secure           bool
	}{
		{"on loopback", "", false},
		{"on all addresses", ":0", true},
	} {
		l, token := opened(t, row.listen)
		a, idA := dialed(t, BusOptions{URL: l.url, Token: token})
		b, idB := dialed(t, BusOptions{URL: l.url, Token: token})
		if _, err := a.conn.TLSConnectionState(); (err == nil) != row.secure {
			t.Errorf("%s: TLS is %v; want %v", row.sentence, err == nil, row.secure)
		}
		for _, one := range []struct {
			m    *busMember
			id   string
			text string
		}{{a, idA, "from a"}, {b, idB, "from b"}} {
			if err := one.m.Send([]byte(one.text)); err != nil {
				t.Fatal(err)
			}
			got := <-l.Messages()
			if got.From != one.id || string(got.Text) != one.text {
				t.Errorf("%s: %q from %s; want %q from %s", row.sentence, got.Text, got.From, one.text, one.id)
			}
			if err := l.Answer(got.From, []byte("to "+one.text)); err != nil {
				t.Fatal(err)
			}
			if got := <-one.m.Messages(); string(got) != "to "+one.text {
				t.Errorf("%s: the answer is %q", row.sentence, got)
			}
		}
	}
}

// A member can neither publish nor subscribe beyond its own two subjects, and a message of
// the greatest size gets through, one more byte not.
func TestAMemberIsLimitedToItsOwn(t *testing.T) {
	l, token := opened(t, "")
	m, id := dialed(t, BusOptions{URL: l.url, Token: token})
	_, other := dialed(t, BusOptions{URL: l.url, Token: token})
	for _, row := range []struct {
		subject string
		allowed bool
	}{
		{l.subjects.ask(id), true},
		{l.subjects.ask(other), false},
		{l.subjects.answer(id), false},
		{l.subjects.answer(other), false},
		{l.subjects.lead(), false},
		{"loadgen.v1.another.member." + id + ".ask", false},
		{"_INBOX.anything", false},
		{"$SYS.REQ.SERVER.PING", false},
	} {
		if got := permitted(t, m.conn, row.subject, func() error { return m.conn.Publish(row.subject, []byte("x")) }); got != row.allowed {
			t.Errorf("publishing to %s: allowed %v; want %v", row.subject, got, row.allowed)
		}
	}
	for _, row := range []struct {
		subject string
		allowed bool
	}{
		{l.subjects.answer(id), true},
		{l.subjects.answer(other), false},
		{l.subjects.answer("*"), false},
		{l.subjects.ask("*"), false},
		{l.subjects.ask(id), false},
		{">", false},
		{"$SYS.>", false},
	} {
		got := permitted(t, m.conn, row.subject, func() error {
			sub, err := m.conn.SubscribeSync(row.subject)
			if err == nil {
				t.Cleanup(func() { _ = sub.Unsubscribe() })
			}
			return err
		})
		if got != row.allowed {
			t.Errorf("subscribing to %s: allowed %v; want %v", row.subject, got, row.allowed)
		}
	}
	if err := m.Send(make([]byte, maxMessageBytes)); err != nil {
		t.Errorf("%d bytes: %v", maxMessageBytes, err)
	}
	if err := m.Send(make([]byte, maxMessageBytes+1)); !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("%d bytes: %v; want %v", maxMessageBytes+1, err, nats.ErrMaxPayload)
	}
}

// permitted reports whether the server does not object to what a connection does with a
// subject.
func permitted(t *testing.T, c *nats.Conn, subject string, do func() error) bool {
	t.Helper()
	if err := do(); err != nil {
		t.Fatal(err)
	}
	// The server answers in order: an objection comes before the answer to this.
	if err := c.FlushTimeout(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	err := c.LastError()
	return err == nil || !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), `"`+subject+`"`)
}

// Who has another token, no token, or claims to be what it is not, does not get in.
func TestWhoGetsIn(t *testing.T) {
	for _, listen := range []string{"", ":0"} {
		l, token := opened(t, listen)
		other, err := NewToken()
		if err != nil {
			t.Fatal(err)
		}
		id, err := newID()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dialBus(t.Context(), BusOptions{URL: l.url, Token: other}, id, clock.NewReal()); !errors.Is(err, errRefused) || strings.Contains(err.Error(), other.secret) {
			t.Errorf("with another token: %v; want %v", err, errRefused)
		}
		if _, err := dialBus(t.Context(), BusOptions{URL: l.url, Token: other}, id, clock.NewReal()); errors.Is(err, errOtherLeader) != (listen != "") {
			t.Errorf("with another token, at %q: %v; want it from the certificate where there is one", l.url, err)
		}
		if _, err := nats.Connect(l.url, append(forged(t, token, other), nats.Name(id))...); err == nil {
			t.Error("with the key of the fleet, and another's signature: it is let in")
		}
		if c, err := nats.Connect(l.url, append(forged(t, token, token), nats.Name(id))...); err != nil {
			t.Errorf("with the key of the fleet, and its signature: %v", err)
		} else {
			c.Close()
		}
		if _, err := dialBus(t.Context(), BusOptions{URL: l.url, Token: token}, "not.an.id", clock.NewReal()); !errors.Is(err, errRefused) {
			t.Errorf("under no identity: %v; want %v", err, errRefused)
		}
		if _, err := nats.Connect(l.url, nats.Timeout(5*time.Second), nats.Secure()); err == nil {
			t.Error("without anything: it is let in")
		}
		if _, err := nats.Connect(l.url, nats.Timeout(5*time.Second), nats.Token(token.secret)); err == nil {
			t.Error("with the bare token: it is let in")
		}
	}
}

// forged shows the key of one token and signs with that of another.
func forged(t *testing.T, shown, signs Token) []nats.Option {
	t.Helper()
	show, err := shown.joinKey()
	if err != nil {
		t.Fatal(err)
	}
	public, err := show.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := signs.joinKey()
	if err != nil {
		t.Fatal(err)
	}
	trusting := func(o *nats.Options) error { o.TLSConfig = &tls.Config{InsecureSkipVerify: true}; return nil }
	return []nats.Option{nats.Nkey(public, key.Sign), nats.Timeout(5 * time.Second), trusting}
}

// What is no fleet is one line.
func TestJoiningWhatIsNoFleet(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	talks := talking(t, "SSH-2.0-OpenSSH_9.9\r\n")
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := nobody.Addr().String()
	nobody.Close()
	token, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence, url string
		want          error
		says          string
	}{
		{"an HTTP server", "nats://" + web.Listener.Addr().String(), errUnreachable, "nothing came"},
		{"a silent listener", "nats://" + silent.Addr().String(), errUnreachable, "nothing came"},
		{"another protocol", "nats://" + talks, errUnreachable, "does not speak NATS"},
		{"nobody", "nats://" + free, errUnreachable, "nobody listens"},
		{"no scheme", free, nil, "expected nats://HOST:PORT"},
		{"another scheme", "http://" + free, nil, "expected nats://HOST:PORT"},
		{"a password in it", "nats://me:hush@" + free, nil, "a file of credentials"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			id, err := newID()
			if err != nil {
				t.Fatal(err)
			}
			_, err = dialBus(t.Context(), BusOptions{URL: row.url, Token: token}, id, clock.NewReal())
			if err == nil || row.want != nil && !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hush") {
				t.Errorf("%v; want %v in one line that says %q", err, row.want, row.says)
			}
		})
	}
}

// talking is a server that says one thing to everybody.
func talking(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	token, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	_, err = openBus(BusOptions{Listen: l.Addr().String(), Token: token}, clock.NewReal())
	if !errors.Is(err, errListen) || !strings.Contains(err.Error(), "in use") {
		t.Errorf("%v; want %v, in use", err, errListen)
	}
}

// A token is read from a file of its owner's, never printed, and long enough.
func TestTokens(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "token")
	written, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(written.secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := ReadToken(path)
	if err != nil || read != written {
		t.Errorf("what was written is read as %v, %v", read == written, err)
	}
	secret := filepath.Join(folder, "secret")
	if err := errors.Join(os.WriteFile(secret, []byte(written.secret), 0o600), os.Chmod(secret, 0o440)); err != nil {
		t.Fatal(err)
	}
	if read, err := ReadToken(secret); err != nil || read != written {
		t.Errorf("the file of a container's secret is read as %v, %v", read == written, err)
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
		path := filepath.Join(folder, "wrong")
		if err := errors.Join(os.WriteFile(path, []byte(row.text), 0o600), os.Chmod(path, row.mode)); err != nil {
			t.Fatal(err)
		}
		_, err := ReadToken(path)
		if !errors.Is(err, errToken) || !strings.Contains(err.Error(), row.says) || len(row.text) > 0 && strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: %v; want %v that says %q", row.sentence, err, errToken, row.says)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	text, err := written.MarshalText()
	if err != nil || strings.Contains(string(text)+written.String()+written.GoString(), written.secret) {
		t.Error("a token is printed")
	}
}
