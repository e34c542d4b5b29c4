package main

import (
	"context"
	"fmt"
	"strings"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/target"
	"loadgen/target/azure"
	"loadgen/target/inprocess"
)

// destination is what a run is sent to, opened. Whoever opened it closes it.
type destination struct {
	target target.Target
	// counter is the target's own books, nil where it keeps none for us.
	counter target.Counter
	// service is what a remote target calls itself.
	service string
	// wire tells of the connections, nil where there are none.
	wire  *azure.Target
	close func()
}

// account is the embedded engine's only one.
const account = "loadgen"

// open opens what the flags aim at; a remote target is asked whether it is there
// and takes our signature. Its errors are those of the target, or of usage.
func (f *runFlags) open(ctx context.Context, s *scenarios.Scenario, clk clock.Real, run string) (*destination, error) {
	switch f.aim.kind {
	case aimRemote:
		return f.openRemote(ctx, s, clk, run)
	case aimInProcess:
		e, err := embeddedEngine(s, clk)
		if err != nil {
			return nil, err
		}
		t := inprocess.New(e, account, clk)
		return &destination{target: t, counter: t, close: func() {}}, nil
	default:
		return openEmbedded(s, clk, run)
	}
}

// embeddedEngine builds the engine that a scenario's model describes.
func embeddedEngine(s *scenarios.Scenario, clk clock.Real) (*engine.Engine, error) {
	partitions, err := modelOf(s)
	if err != nil {
		return nil, err
	}
	return engine.New(engine.Options{Model: partitions, Accounts: []string{account},
		Epoch: entity.TicksOf(clk.Started()), Seed: s.Seed, Cold: s.Start == scenarios.StartCold}), nil
}

// openEmbedded puts the engine behind a socket on a free port of this machine
// and returns the client of it: the same client that a remote target has.
func openEmbedded(s *scenarios.Scenario, clk clock.Real, run string) (*destination, error) {
	e, err := embeddedEngine(s, clk)
	if err != nil {
		return nil, err
	}
	secret, err := embeddedSecret(s.Seed)
	if err != nil {
		return nil, err
	}
	handler, err := rest.New(rest.Options{Engine: e, Clock: clk, Epoch: entity.TicksOf(clk.Started()), Seed: s.Seed,
		Accounts: []rest.Account{{Name: account, Secret: secret}}, Name: "loadgen/" + version()})
	if err != nil {
		return nil, err
	}
	server, err := rest.Listen("127.0.0.1:0", handler)
	if err != nil {
		return nil, fmt.Errorf("%w: opening a port of this machine for the embedded engine: %w", errNoTarget, err)
	}
	// By then the run has waited for what was under way, or given it up.
	stop := func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = server.Close(ended) // its error is that something was cut off
	}
	endpoint, err := azure.ParseURL(server.URL()+"/"+account, account, secret)
	if err != nil {
		stop()
		return nil, err
	}
	client, err := azure.New(azure.Options{Endpoint: endpoint, Connections: s.Workers, AskCounted: true,
		Clock: clk, Epoch: clk.Started(), RunID: run})
	if err != nil {
		stop()
		return nil, err
	}
	return &destination{target: client, counter: served{handler}, wire: client,
		close: func() { client.Close(); stop() }}, nil
}

// embeddedSecret returns a key for the embedded engine's account. It guards
// nothing: it is there so that every request is signed and checked, as it would
// be elsewhere.
func embeddedSecret(seed uint64) (*wire.Secret, error) {
	return wire.NewSecret(strings.Repeat("bG9hZGdlbi1lbWJl", 5) + fmt.Sprintf("%08d", seed%100_000_000))
}

// openRemote opens a client of another service and asks that whether it is there.
func (f *runFlags) openRemote(ctx context.Context, s *scenarios.Scenario, clk clock.Real, run string) (*destination, error) {
	client, err := azure.New(azure.Options{Endpoint: f.aim.endpoint, Connections: s.Workers,
		Clock: clk, Epoch: clk.Started(), RunID: run})
	if err != nil {
		return nil, usageError{err}
	}
	service, err := client.Probe(ctx)
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("%w: %w", errNoTarget, err)
	}
	return &destination{target: client, service: service.Server, wire: client, close: client.Close}, nil
}

// served are the books of the embedded engine's server.
type served struct{ handler *rest.Handler }

// Counts implements target.Counter.
func (s served) Counts() target.Counts { return target.Counts(s.handler.Counts()) }

// emulates reports whether a service calls itself by the name of an emulator,
// which keeps none of the limits of the real service.
func emulates(service string) bool {
	for _, name := range []string{"Azurite", "loadgen"} {
		if strings.HasPrefix(strings.ToLower(service), strings.ToLower(name)) {
			return true
		}
	}
	return false
}

// describe enters into a manifest what the run is sent to.
func (f *runFlags) describe(m *results.Manifest, d *destination) {
	switch f.aim.kind {
	case aimInProcess:
		m.Target = results.InProcess
	case aimEmbedded:
		m.Target = results.Embedded
	default:
		m.Target, m.Service, m.Emulator, m.Budget = f.aim.endpoint.String(), d.service, emulates(d.service), f.budget
		// Neither a model nor a start is behind it; the documents' targets are,
		// unless it only imitates the service.
		m.Profile, m.Start, m.Model = "", "", nil
		m.Targets = results.Targets{Partition: documentedPartition, Account: documentedAccount, Documented: true}
		if m.Emulator {
			m.Targets = results.Targets{}
		}
	}
}

// connections returns what the connections cost, nil where there are none.
func (d *destination) connections() *results.Connections {
	if d.wire == nil {
		return nil
	}
	c := d.wire.Connections()
	return &results.Connections{Opened: c.Opened, Reused: c.Reused, Lookups: results.Spell(c.Lookups),
		Connects: results.Spell(c.Connects), Handshakes: results.Spell(c.Handshakes), FirstByte: results.Spell(c.FirstBytes)}
}
