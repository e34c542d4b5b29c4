package resttest

import (
	"cmp"
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
	"loadgen/target/azure"
)

// Date is that of [Epoch], at which services of [New] begin.
const Date = "Fri, 20 Nov 2026 11:48:19 GMT"

// Epoch is the calendar of the services of [New].
var Epoch = clock.Epoch(time.Date(2026, 11, 20, 11, 48, 19, 0, time.UTC))

// Leap is a clock that nobody waits for: a Sleep moves it to where it is to end.
type Leap struct{ at atomic.Int64 }

// Now implements [clock.Clock].
func (c *Leap) Now() clock.Instant { return clock.Instant(c.at.Load()) }

// Set moves the clock, back as well.
func (c *Leap) Set(to time.Duration) { c.at.Store(int64(to)) }

// Sleep implements [clock.Clock].
func (c *Leap) Sleep(ctx context.Context, until clock.Instant) error {
	for {
		at := c.at.Load()
		if at >= int64(until) || c.at.CompareAndSwap(at, int64(until)) {
			return ctx.Err()
		}
	}
}

// Alarm implements [clock.Clock].
func (c *Leap) Alarm(clock.Instant) clock.Alarm { panic("nobody waits for an alarm here") }

// Options are those of a service; what is left out is as each field says.
type Options struct {
	// Profile is that of the model, model.Off; Settings are NAME=VALUE of it.
	Profile  string
	Settings []string
	// Key is the account, Contoso.
	Key Key
	// Engine are further options of the engine. Model, account and calendar are filled in.
	Engine engine.Options
	// Rest are further options of the handler. Clock and Calendar are a Leap and Epoch for
	// New, real ones for Listen; the engine is filled in, and
	// the account is added.
	Rest rest.Options
}

// Service is a handler with an engine of its own.
type Service struct {
	*rest.Handler
	Engine *engine.Engine
	// Clock is the handler's where the options name none.
	Clock *Leap
	// Server and URL, that of the account, are those of Listen.
	Server *rest.Server
	URL    string
	key    Key
}

// New returns a service that is asked by Do.
func New(t testing.TB, o Options) *Service {
	t.Helper()
	m, err := model.New(cmp.Or(o.Profile, model.Off))
	require.NoError(t, err)
	for _, setting := range o.Settings {
		name, value, _ := strings.Cut(setting, "=")
		require.NoError(t, m.Set(name, value))
	}
	s := &Service{Clock: new(Leap), key: cmp.Or(o.Key, Contoso)}
	secret, err := wire.NewSecret(s.key.Secret)
	require.NoError(t, err)
	o.Rest.Clock = cmp.Or(o.Rest.Clock, clock.Clock(s.Clock))
	o.Rest.Calendar = cmp.Or(o.Rest.Calendar, clock.Calendar(Epoch))
	o.Engine.Model = cmp.Or(o.Engine.Model, m)
	o.Engine.Accounts, o.Engine.Calendar = []string{s.key.Account}, o.Rest.Calendar
	s.Engine = engine.New(o.Engine)
	o.Rest.Engine = s.Engine
	o.Rest.Accounts = append(o.Rest.Accounts, rest.Account{Name: s.key.Account, Secret: secret})
	s.Handler, err = rest.New(o.Rest)
	require.NoError(t, err)
	return s
}

// Listen returns a service in real time on a port of this machine.
func Listen(t testing.TB, o Options) *Service {
	t.Helper()
	clk := clock.NewReal()
	o.Rest.Clock, o.Rest.Calendar = cmp.Or(o.Rest.Clock, clock.Clock(clk)), cmp.Or(o.Rest.Calendar, clock.Calendar(clk))
	s := New(t, o)
	var err error
	s.Server, err = rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Handler: s})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Server.Close(context.Background()), "Close") })
	s.URL = s.Server.URL() + "/" + s.key.Account
	return s
}

// Endpoint is the account of a service of Listen, with its key.
func (s *Service) Endpoint(t testing.TB) azure.Endpoint {
	t.Helper()
	secret, err := wire.NewSecret(s.key.Secret)
	require.NoError(t, err)
	endpoint, err := azure.ParseURL(s.URL, "", secret)
	require.NoError(t, err)
	return endpoint
}
