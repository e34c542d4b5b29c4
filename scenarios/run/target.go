package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/target"
	"loadgen/target/azure"
	"loadgen/target/queueblob"
)

// Endpoint is the address of an account on a table service, with its credential.
type Endpoint = azure.Endpoint

// NewSecret parses the key of an account, base64. Its error does not repeat the key.
func NewSecret(text string) (*wire.Secret, error) { return wire.NewSecret(text) }

// ParseURL returns the endpoint at an address, see azure.ParseURL.
func ParseURL(text, account string, secret *wire.Secret) (Endpoint, error) {
	return azure.ParseURL(text, account, secret)
}

// ParseConnectionString returns the endpoint of a connection string. Its error has no secret.
func ParseConnectionString(text string) (Endpoint, error) { return azure.ParseConnectionString(text) }

// destination is the open target of a run. Callers must close it.
type destination struct {
	target target.Target
	// counter has the target's own counts, nil for none.
	counter target.Counter
	// who describes the services of a remote target.
	who whoAnswers
	// wires are the clients, one for each account; none without a network.
	wires []*azure.Target
	// budget is the memory that all replies share.
	budget *target.ReplyBudget
	// engine is the address of the embedded engine's server.
	engine string
	// since is the start of the run's clock after the opening, if the run has another clock.
	since time.Duration
	// ahead is the lead of each service's clock over this machine's.
	ahead []time.Duration
	// closing are the functions that close it, in reverse order.
	closing []func()
}

// close closes the target. It may be called twice.
func (d *destination) close() {
	for _, end := range slices.Backward(d.closing) {
		end()
	}
	d.closing = nil
}

// Opened is a target for trials. Callers must close it.
type Opened struct {
	target.Target
	// Counter has the target's own counts, nil for none.
	Counter target.Counter
	// Close closes it and abandons attempts under way.
	Close func()
}

// Open opens the target of a plan in real time without a run, for trials with this clock.
func Open(ctx context.Context, p Plan, clk clock.Real) (*Opened, error) {
	d, err := p.open(ctx, clk, "trial")
	if err != nil {
		return nil, err
	}
	return &Opened{d.target, d.counter, d.close}, nil
}

// open opens the target of the plan, and probes a remote one.
func (p *Plan) open(ctx context.Context, clk clock.Real, id string) (*destination, error) {
	d := new(destination)
	var err error
	switch p.On {
	case Remote:
		err = p.openRemote(ctx, d, clk, id)
	case InProcess:
		var e *engine.Engine
		if e, err = p.embeddedEngine(clk); err == nil {
			names := accountsOf(p.Scenario)
			var each []target.Target
			for _, name := range names {
				each = append(each, target.NewInProcess(e, name, clk).WithLevel(p.Scenario.Wire().Level))
			}
			t := together(each)
			d.target, d.counter = t, t.(target.Counter) // one target and several together count
		}
	default:
		err = p.openEmbedded(d, clk, id)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	if p.On != Remote {
		if len(storesOf(p.Scenario)) > 0 {
			beside := queueblob.NewWaiting(clk)
			d.target, d.counter = queueblob.New(d.target, beside), booksOfBoth{d.counter, beside}
		}
		d.target = target.WrapLine(d.target, p.line(), clk)
	}
	d.target = target.WrapGate(d.target, target.NewGate(p.Scenario.Parallel()))
	return d, nil
}

// line returns the modelled network between clients and account, nil if it has no limits. Over sockets, and for compression
// in real time, clients do what the wire of a simulation assumes.
func (p *Plan) line() *target.Line {
	m, err := p.model()
	if err != nil {
		return nil
	}
	var w target.Wire
	if p.On == InProcess {
		w = p.Scenario.Wire()
		w.Gzip = false
	}
	return target.NewLine(m, p.Scenario.Seed, w)
}

// embeddedEngine returns the engine of the scenario's model.
func (p *Plan) embeddedEngine(clk clock.Real) (*engine.Engine, error) {
	partitions, err := p.model()
	if err != nil {
		return nil, err
	}
	s := p.Scenario
	return engine.New(engine.Options{Model: partitions, Accounts: accountsOf(s),
		Calendar: clk, Seed: s.Seed, Cold: s.Start == scenarios.StartCold}), nil
}

// openEmbedded serves the engine on a free local port and creates a client of each account, as for a remote target.
func (p *Plan) openEmbedded(d *destination, clk clock.Real, id string) error {
	s := p.Scenario
	secret, err := embeddedSecret(s.Seed)
	if err != nil {
		return err
	}
	if p.Member != nil {
		return p.connectEngine(d, p.Member.Engine, secret, clk, id)
	}
	e, err := p.embeddedEngine(clk)
	if err != nil {
		return err
	}
	var accounts []rest.Account
	for _, name := range accountsOf(s) {
		accounts = append(accounts, rest.Account{Name: name, Secret: secret})
	}
	books := new(served)
	observe := p.Seen
	if p.Faults != nil {
		// Lost replies are counted as well.
		observe = func(seen *accesslog.Observed) {
			if seen.Status == 0 {
				books.unheard.Add(seen.Counted)
			}
			if p.Seen != nil {
				p.Seen(seen)
			}
		}
	}
	books.handler, err = rest.New(rest.Options{Engine: e, Clock: clk, Calendar: clk, Seed: s.Seed,
		Accounts: accounts, Name: "loadgen/" + Version(), Faults: p.Faults, Observe: observe,
		// Only the run's own workers send here, and only the model throttles them.
		BodyBytes: math.MaxInt64})
	if err != nil {
		return err
	}
	members := 1
	if p.Elsewhere != nil {
		members = p.Elsewhere.Processes
	}
	server, err := rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Handler: books.handler,
		Connections: connectionsFor(p.workers() * len(accounts) * members)})
	if err != nil {
		return fmt.Errorf("%w: opening a port of this machine for the embedded engine: %w", ErrTarget, err)
	}
	// By then no attempt is under way.
	d.closing = append(d.closing, func() { stop(server) })
	d.counter, d.engine = books, server.URL()
	return p.connectEngine(d, d.engine, secret, clk, id)
}

// connectEngine creates a client of each account of an embedded engine at an address.
func (p *Plan) connectEngine(d *destination, address string, secret *wire.Secret, clk clock.Real, id string) error {
	var endpoints []azure.Endpoint
	for _, name := range accountsOf(p.Scenario) {
		endpoint, err := azure.ParseURL(address+"/"+name, name, secret)
		if err != nil {
			return err
		}
		endpoints = append(endpoints, endpoint)
	}
	w, by := p.Scenario.Wire(), azure.Client(p.Client)
	if p.Driver == Vegeta {
		by = azure.ByNetHTTP
	}
	return d.connect(endpoints, azure.Options{Level: w.Level, Nagle: w.Nagle, Connections: p.workers(), AskCounted: true,
		Clock: clk, Calendar: clk, RunID: id, Client: by})
}

// connectionsFor returns a server's maximum of connections that never limits its workers.
func connectionsFor(workers int) int { return max(rest.DefaultConnections, 2*workers) }

// stop ends a server at once.
func stop(server *rest.Server) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = server.Close(ended) // its error is that requests were cut off
}

// embeddedSecret returns a key for the embedded engine's account, so that requests are signed and checked as elsewhere.
func embeddedSecret(seed uint64) (*wire.Secret, error) {
	return wire.NewSecret(strings.Repeat("bG9hZGdlbi1lbWJl", 5) + fmt.Sprintf("%08d", seed%100_000_000))
}

// openRemote opens a client of each account of another service and probes it.
func (p *Plan) openRemote(ctx context.Context, d *destination, clk clock.Real, id string) error {
	by := azure.Client(cmp.Or(p.Client, string(azure.Auto)))
	if p.Driver == Vegeta {
		by = azure.ByNetHTTP // that driver's client
	}
	w := p.Scenario.Wire()
	err := d.connect(p.Accounts, azure.Options{Level: w.Level, Nagle: w.Nagle, Connections: p.workers(), Clock: clk, Calendar: clk, RunID: id,
		Client: by, TLS: p.Trust, Observe: true})
	if err != nil {
		return wrong("", "%v", err)
	}
	for i, client := range d.wires {
		service, err := client.Probe(ctx)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrTarget, err)
		}
		// They are genuine and of known limits if all are, an emulator if one is.
		who := &d.who
		switch {
		case i == 0:
			*who = whoAnswers{service.Server, service}
		case !slices.Contains(strings.Split(who.names, serviceAnd), service.Server):
			who.names += serviceAnd + service.Server
		}
		who.Genuine, who.Emulator = who.Genuine && service.Genuine, who.Emulator || service.Emulator
		if !service.LimitsKnown || service.Limits != who.Limits {
			who.LimitsKnown, who.Limits = false, wire.Limits{}
		}
		d.ahead = append(d.ahead, service.Ahead)
	}
	return p.withServices(ctx, d, clk)
}

// connect creates a client for each endpoint, all with the same options.
func (d *destination) connect(endpoints []azure.Endpoint, o azure.Options) error {
	var each []target.Target
	d.budget = target.NewReplyBudget(target.CommonReplyBudget)
	o.Budget = d.budget
	for _, endpoint := range endpoints {
		o.Endpoint = endpoint
		client, err := azure.New(o)
		if err != nil {
			return err
		}
		d.wires, each = append(d.wires, client), append(each, client)
		d.closing = append(d.closing, client.Close)
	}
	d.target = together(each)
	return nil
}

// served has the counts of the embedded engine's server without the entities of lost replies, which no client can know.
type served struct {
	handler *rest.Handler
	unheard atomic.Int64
}

// Counts implements target.Counter.
func (s *served) Counts() target.Counts {
	counts := target.Counts(s.handler.Counts())
	counts.Entities -= s.unheard.Load()
	return counts
}

// whoAnswers describes the services of all accounts of a remote target.
type whoAnswers struct {
	// names are their own names.
	names string
	azure.Service
}

// serviceAnd separates the names of several services.
const serviceAnd = " and "

// describe sets the target and the table of a manifest.
func (p *Plan) describe(m *results.Manifest, table string, who whoAnswers) {
	switch p.On {
	case Simulated, InProcess:
		m.Target = results.InProcess
	case Embedded:
		m.Target = results.Embedded
	default:
		m.Target, m.Service, m.Budget = p.where(), who.names, p.Budget
		for _, copies := range append([]string{""}, p.Scenario.Tables()...) {
			m.Tables = append(m.Tables, table+copies)
		}
		m.Genuine, m.Emulator, m.LimitsKnown = who.Genuine, who.Emulator, who.LimitsKnown
		// A service has no model and no start; stand-ins replace only the application's own services. The documented targets
		// apply to the genuine service only.
		m.Profile, m.Start, m.Model, m.StandIns, m.Targets = "", "", nil, ownOf(p.Scenario), results.Targets{}
		switch {
		case who.Genuine:
			m.Targets = results.Targets{Partition: documentedPartition, Account: documentedAccount, Documented: true}
		case who.LimitsKnown:
			m.Targets = results.Targets{Partition: who.Limits.Partition, Account: who.Limits.Account,
				Documented: who.Limits == wire.Limits{Partition: documentedPartition, Account: documentedAccount}}
		}
	}
}

// whileWelcome returns a context that ends when a service rejects the token and its renewal; its cause then wraps
// [ErrTarget]. Callers must call release.
func (d *destination) whileWelcome(ctx context.Context) (welcome context.Context, release func()) {
	welcome, cancel := context.WithCancelCause(ctx)
	var watches sync.WaitGroup
	for _, client := range d.wires {
		watches.Go(func() {
			select {
			case <-client.Barred(): // nil without tokens
				cancel(fmt.Errorf("%w: %w", ErrTarget, client.Cause()))
			case <-welcome.Done():
			}
		})
	}
	return welcome, func() {
		cancel(nil)
		watches.Wait()
	}
}

// rejection returns the error of a service that rejects the token at the end of a failed run, nil for none. A run can end
// between the rejection of a token and that of its renewal, so this probes the services of tokens.
func (d *destination) rejection(ctx context.Context) error {
	for _, client := range d.wires {
		if client.Barred() == nil {
			continue
		}
		if _, err := client.Probe(ctx); errors.Is(err, azure.ErrAuthentication) {
			return fmt.Errorf("%w: %w", ErrTarget, err)
		}
	}
	return nil
}

// replies returns the notable replies of the services of a remote target, nil for any other.
func (d *destination) replies() *results.Said {
	if len(d.ahead) == 0 {
		return nil
	}
	all := new(results.Said)
	for i, client := range d.wires {
		one := client.Refusals(d.since)
		one.ClockAhead = d.ahead[i]
		all.Add(one)
	}
	return all
}
