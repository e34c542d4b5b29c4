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

// Date is [Epoch] as a header has it.
const Date = "Fri, 20 Nov 2026 11:48:19 GMT"

// Epoch is the calendar of services of [New], which start at that time.
var Epoch = clock.Epoch(time.Date(2026, 11, 20, 11, 48, 19, 0, time.UTC))

// VirtualClock is a clock on which Sleep returns at once and moves the clock forward.
type VirtualClock struct{ at atomic.Int64 }

// Now implements [clock.Clock].
func (c *VirtualClock) Now() clock.Instant { return clock.Instant(c.at.Load()) }

// Set moves the clock forward or back.
func (c *VirtualClock) Set(to time.Duration) { c.at.Store(int64(to)) }

// Sleep implements [clock.Clock].
func (c *VirtualClock) Sleep(ctx context.Context, until clock.Instant) error {
	for {
		at := c.at.Load()
		if at >= int64(until) || c.at.CompareAndSwap(at, int64(until)) {
			return ctx.Err()
		}
	}
}

// Alarm implements [clock.Clock].
func (c *VirtualClock) Alarm(clock.Instant) clock.Alarm {
	panic("resttest: VirtualClock has no alarms")
}

// Options configure a service. Zero fields have the defaults that each field names.
type Options struct {
	// Profile is the model's, by default model.Off; Settings have the form NAME=VALUE.
	Profile  string
	Settings []string
	// Key is the account, by default Contoso.
	Key Key
	// Engine has further options. Model, Accounts and Calendar are filled in.
	Engine engine.Options
	// Rest has further options. Clock and Calendar default to a VirtualClock and Epoch in New, to real
	// time in Listen; Engine is filled in and the account is added.
	Rest rest.Options
}

// Service is a handler with an engine of its own.
type Service struct {
	*rest.Handler
	Engine *engine.Engine
	// Clock is the handler's unless the options have one.
	Clock *VirtualClock
	// Server and the account's URL are set by Listen.
	Server *rest.Server
	URL    string
	key    Key
}

// New returns a service without a network.
func New(t testing.TB, o Options) *Service {
	t.Helper()
	m, err := model.New(cmp.Or(o.Profile, model.Off))
	require.NoError(t, err)
	for _, setting := range o.Settings {
		name, value, _ := strings.Cut(setting, "=")
		require.NoError(t, m.Set(name, value))
	}
	s := &Service{Clock: new(VirtualClock), key: cmp.Or(o.Key, Contoso)}
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

// Listen returns a service in real time on a free loopback port.
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

// Endpoint returns the account's endpoint and key. The service must be of Listen.
func (s *Service) Endpoint(t testing.TB) azure.Endpoint {
	t.Helper()
	secret, err := wire.NewSecret(s.key.Secret)
	require.NoError(t, err)
	endpoint, err := azure.ParseURL(s.URL, "", secret)
	require.NoError(t, err)
	return endpoint
}
