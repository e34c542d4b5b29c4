//go:build ci

package fleet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"loadgen/engine/clock"
)

// asServer has the test binary be a nats-server, by the file of its settings.
const asServer = "LOADGEN_TEST_NATS_SERVER"

func TestMain(m *testing.M) {
	if file := os.Getenv(asServer); file != "" {
		beServer(file)
	}
	os.Exit(m.Run())
}

// beServer runs a nats-server as its own command does, until the input ends.
func beServer(file string) {
	opts, err := server.ProcessConfigFile(file)
	if err == nil {
		var s *server.Server
		if s, err = server.NewServer(opts); err == nil {
			s.Start()
			if s.ReadyForConnections(20 * time.Second) {
				fmt.Println(s.Addr())
			}
			var one [1]byte
			_, _ = os.Stdin.Read(one[:])
			s.Shutdown()
			os.Exit(0)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// outside starts a nats-server in a process of its own, and returns its URL.
func outside(t *testing.T, settings string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte("listen: \"127.0.0.1:-1\"\n"+settings), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), asServer+"="+file)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		if err := command.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	var address string
	if _, err := fmt.Fscanln(output, &address); err != nil {
		t.Fatalf("the server says nothing: %v", err)
	}
	return "nats://" + address
}

// A server of somebody else's carries a fleet as the leader's own does: one that asks
// nobody who he is, and one with credentials. A second leader of the same token is told of
// the first, one of another token is not in its way.
func TestAServerOfSomebodyElse(t *testing.T) {
	settings, creds := credentials(t)
	for _, row := range []struct{ sentence, settings, creds string }{
		{"without credentials", "", ""},
		{"with credentials", settings, creds},
	} {
		url := outside(t, row.settings)
		token, err := NewToken()
		if err != nil {
			t.Fatal(err)
		}
		o := BusOptions{URL: url, Token: token, Creds: row.creds}
		l, err := openBus(o, clock.NewReal())
		if err != nil {
			t.Fatalf("%s: %v", row.sentence, err)
		}
		m, id := dialed(t, o)
		if err := m.Send([]byte("hello")); err != nil {
			t.Fatal(err)
		}
		if got := <-l.Messages(); got.From != id || string(got.Text) != "hello" {
			t.Errorf("%s: %q from %s; want hello from %s", row.sentence, got.Text, got.From, id)
		}
		if err := l.Answer(id, []byte("welcome")); err != nil {
			t.Fatal(err)
		}
		if got := <-m.Messages(); string(got) != "welcome" {
			t.Errorf("%s: the answer is %q", row.sentence, got)
		}
		if _, err := openBus(o, clock.NewReal()); !errors.Is(err, errLed) {
			t.Errorf("%s: a second leader gets %v; want %v", row.sentence, err, errLed)
		}
		other := o
		if other.Token, err = NewToken(); err != nil {
			t.Fatal(err)
		}
		if second, err := openBus(other, clock.NewReal()); err != nil {
			t.Errorf("%s: a leader of another token gets %v", row.sentence, err)
		} else {
			second.Close()
		}
		if row.creds != "" {
			o.Creds = ""
			if _, err := dialBus(t.Context(), o, id, clock.NewReal()); !errors.Is(err, errRefused) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: without them %v; want %v", row.sentence, err, errRefused)
			}
		}
		l.Close()
		if again, err := openBus(BusOptions{URL: url, Token: token, Creds: row.creds}, clock.NewReal()); err != nil {
			t.Errorf("%s: after the leader has gone another gets %v", row.sentence, err)
		} else {
			again.Close()
		}
	}
}

// Of two leaders that begin at once one leads.
func TestTwoLeadersAtOnce(t *testing.T) {
	url := outside(t, "")
	token, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	type end struct {
		l   *busLeader
		err error
	}
	ends := make(chan end, 2)
	for range 2 {
		go func() {
			l, err := openBus(BusOptions{URL: url, Token: token}, clock.NewReal())
			ends <- end{l, err}
		}()
	}
	leads := 0
	for range 2 {
		switch one := <-ends; {
		case one.err == nil:
			leads++
			defer one.l.Close()
		case !errors.Is(one.err, errLed):
			t.Error(one.err)
		}
	}
	if leads != 1 {
		t.Errorf("%d lead; want one", leads)
	}
}

// credentials are the settings of a server with an account, and the file of one of its users.
func credentials(t *testing.T) (settings, file string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	key := func(make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
		pair, err := make()
		must(err)
		public, err := pair.PublicKey()
		must(err)
		return pair, public
	}
	operator, operatorID := key(nkeys.CreateOperator)
	account, accountID := key(nkeys.CreateAccount)
	user, userID := key(nkeys.CreateUser)
	operatorJWT, err := jwt.NewOperatorClaims(operatorID).Encode(operator)
	must(err)
	accountJWT, err := jwt.NewAccountClaims(accountID).Encode(operator)
	must(err)
	claims := jwt.NewUserClaims(userID)
	claims.Permissions.Pub.Allow.Add("loadgen.v1.>")
	claims.Permissions.Sub.Allow.Add("loadgen.v1.>")
	userJWT, err := claims.Encode(account)
	must(err)
	seed, err := user.Seed()
	must(err)
	text, err := jwt.FormatUserConfig(userJWT, seed)
	must(err)
	file = filepath.Join(t.TempDir(), "user.creds")
	must(os.WriteFile(file, text, 0o600))
	return fmt.Sprintf("operator: %q\nresolver: MEMORY\nresolver_preload: { %s: %q }\n", operatorJWT, accountID, accountJWT), file
}
