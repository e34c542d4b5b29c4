//go:build ci

package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/scenarios/run/runtest"
)

// outside starts a nats-server by the file of its settings, as its own command does, and
// returns its URL.
func outside(t *testing.T, settings string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "nats.conf")
	require.NoError(t, os.WriteFile(file, []byte("listen: \"127.0.0.1:-1\"\n"+settings), 0o600))
	opts := runtest.Must(server.ProcessConfigFile(file))
	opts.NoSigs, opts.NoLog = true, true
	s := runtest.Must(server.NewServer(opts))
	s.Start()
	t.Cleanup(s.Shutdown)
	require.True(t, s.ReadyForConnections(20*time.Second), "the server does not listen")
	return "nats://" + s.Addr().String()
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
		o := BusOptions{URL: url, Token: runtest.Must(NewToken()), Creds: row.creds}
		l := led(t, o)
		m, id := dialed(t, o)
		exchange(t, l, m, id)
		_, err := openBus(o, clock.NewReal())
		assert.ErrorIsf(t, err, errLed, "%s: a second leader", row.sentence)
		led(t, BusOptions{URL: url, Token: runtest.Must(NewToken()), Creds: row.creds})
		if row.creds != "" {
			without := BusOptions{URL: url, Token: o.Token}
			if _, err := dialBus(t.Context(), without, id, clock.NewReal()); !errors.Is(err, errRefused) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: without them %v; want %v", row.sentence, err, errRefused)
			}
		}
		l.Close()
		led(t, BusOptions{URL: url, Token: o.Token, Creds: row.creds})
	}
}

// Of two leaders that begin at once one leads.
func TestTwoLeadersAtOnce(t *testing.T) {
	o := BusOptions{URL: outside(t, ""), Token: runtest.Must(NewToken())}
	type end struct {
		l   *bus
		err error
	}
	ends := make(chan end, 2)
	for range 2 {
		go func() {
			l, err := openBus(o, clock.NewReal())
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
	assert.Equal(t, 1, leads, "lead")
}

// credentials are the settings of a server with an account, and the file of one of its users.
func credentials(t *testing.T) (settings, file string) {
	t.Helper()
	key := func(make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
		pair := runtest.Must(make())
		return pair, runtest.Must(pair.PublicKey())
	}
	operator, operatorID := key(nkeys.CreateOperator)
	account, accountID := key(nkeys.CreateAccount)
	user, userID := key(nkeys.CreateUser)
	operatorJWT := runtest.Must(jwt.NewOperatorClaims(operatorID).Encode(operator))
	accountJWT := runtest.Must(jwt.NewAccountClaims(accountID).Encode(operator))
	claims := jwt.NewUserClaims(userID)
	claims.Permissions.Pub.Allow.Add("loadgen.v1.>")
	claims.Permissions.Sub.Allow.Add("loadgen.v1.>")
	text := runtest.Must(jwt.FormatUserConfig(runtest.Must(claims.Encode(account)), runtest.Must(user.Seed())))
	file = filepath.Join(t.TempDir(), "user.creds")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return fmt.Sprintf("operator: %q\nresolver: MEMORY\nresolver_preload: { %s: %q }\n", operatorJWT, accountID, accountJWT), file
}
