package main

import (
	"context"
	"fmt"
	"slices"
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
)

// destination is what a run is sent to, opened. Whoever opened it closes it.
type destination struct {
	target target.Target
	// counter is the target's own books, nil where it keeps none for us.
	counter target.Counter
	// service is what a remote target calls itself.
	service string
	// wires are the clients, one for each account; none where nothing is sent over a
	// network.
	wires []*azure.Target
	close func()
}

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
		t, books := liveAccounts(e, accountsOf(s), clk)
		return withStandIns(&destination{target: t, counter: books, close: func() {}}, s, clk), nil
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
	return engine.New(engine.Options{Model: partitions, Accounts: accountsOf(s),
		Epoch: entity.TicksOf(clk.Started()), Seed: s.Seed, Cold: s.Start == scenarios.StartCold}), nil
}

// openEmbedded puts the engine behind a socket on a free port of this machine
// and returns the client of each of its accounts: the same as a remote target has.
func openEmbedded(s *scenarios.Scenario, clk clock.Real, run string) (*destination, error) {
	e, err := embeddedEngine(s, clk)
	if err != nil {
		return nil, err
	}
	secret, err := embeddedSecret(s.Seed)
	if err != nil {
		return nil, err
	}
	var accounts []rest.Account
	for _, name := range accountsOf(s) {
		accounts = append(accounts, rest.Account{Name: name, Secret: secret})
	}
	handler, err := rest.New(rest.Options{Engine: e, Clock: clk, Epoch: entity.TicksOf(clk.Started()), Seed: s.Seed,
		Accounts: accounts, Name: "loadgen/" + version()})
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
	var endpoints []azure.Endpoint
	for _, one := range accounts {
		endpoint, err := azure.ParseURL(server.URL()+"/"+one.Name, one.Name, secret)
		if err != nil {
			stop()
			return nil, err
		}
		endpoints = append(endpoints, endpoint)
	}
	clients, err := clientsOf(endpoints, azure.Options{Connections: s.Workers, AskCounted: true,
		Clock: clk, Epoch: clk.Started(), RunID: run})
	if err != nil {
		stop()
		return nil, err
	}
	return withStandIns(&destination{target: together(clients), counter: served{handler}, wires: clients,
		close: func() { closeAll(clients); stop() }}, s, clk), nil
}

// embeddedSecret returns a key for the embedded engine's account. It guards
// nothing: it is there so that every request is signed and checked, as it would
// be elsewhere.
func embeddedSecret(seed uint64) (*wire.Secret, error) {
	return wire.NewSecret(strings.Repeat("bG9hZGdlbi1lbWJl", 5) + fmt.Sprintf("%08d", seed%100_000_000))
}

// openRemote opens a client of each account of another service and asks each whether
// it is there.
func (f *runFlags) openRemote(ctx context.Context, s *scenarios.Scenario, clk clock.Real, run string) (*destination, error) {
	clients, err := clientsOf(f.aim.endpoints(), azure.Options{Connections: s.Workers,
		Clock: clk, Epoch: clk.Started(), RunID: run})
	if err != nil {
		return nil, usageError{err}
	}
	var services []string
	for _, client := range clients {
		service, err := client.Probe(ctx)
		if err != nil {
			closeAll(clients)
			return nil, fmt.Errorf("%w: %w", errNoTarget, err)
		}
		if !slices.Contains(services, service.Server) {
			services = append(services, service.Server)
		}
	}
	d := &destination{target: together(clients), service: strings.Join(services, serviceAnd), wires: clients,
		close: func() { closeAll(clients) }}
	if err := f.withServices(ctx, d, s); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// clientsOf returns a client for each endpoint, all with the same options.
func clientsOf(endpoints []azure.Endpoint, o azure.Options) ([]*azure.Target, error) {
	var clients []*azure.Target
	for _, endpoint := range endpoints {
		o.Endpoint = endpoint
		client, err := azure.New(o)
		if err != nil {
			closeAll(clients)
			return nil, err
		}
		clients = append(clients, client)
	}
	return clients, nil
}

func closeAll(clients []*azure.Target) {
	for _, client := range clients {
		client.Close()
	}
}

// served are the books of the embedded engine's server.
type served struct{ handler *rest.Handler }

// Counts implements target.Counter.
func (s served) Counts() target.Counts { return target.Counts(s.handler.Counts()) }

// emulates reports whether a service calls itself by the name of an emulator,
// which keeps none of the limits of the real service; of several, whether one does.
func emulates(services string) bool {
	for _, service := range strings.Split(services, serviceAnd) {
		for _, name := range []string{"Azurite", "loadgen"} {
			if strings.HasPrefix(strings.ToLower(service), strings.ToLower(name)) {
				return true
			}
		}
	}
	return false
}

// serviceAnd stands between what the services of several accounts call themselves.
const serviceAnd = " and "

// describe enters into a manifest what the run is sent to.
func (f *runFlags) describe(m *results.Manifest, d *destination) {
	switch f.aim.kind {
	case aimInProcess:
		m.Target = results.InProcess
	case aimEmbedded:
		m.Target = results.Embedded
	default:
		m.Target, m.Service, m.Emulator, m.Budget = f.aim.String(), d.service, emulates(d.service), f.budget
		// Neither a model nor a start is behind it, and nothing stands in for another;
		// the documents' targets are, unless it only imitates the service.
		m.Profile, m.Start, m.Model, m.StandIns = "", "", nil, nil
		m.Targets = results.Targets{Partition: documentedPartition, Account: documentedAccount, Documented: true}
		if m.Emulator {
			m.Targets = results.Targets{}
		}
	}
}
