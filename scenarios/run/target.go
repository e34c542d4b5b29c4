package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
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

// Endpoint is the address of an account on a table service, with what proves it ours.
type Endpoint = azure.Endpoint

// NewSecret reads the key of an account, base64. Its error does not repeat it.
func NewSecret(text string) (*wire.Secret, error) { return wire.NewSecret(text) }

// ParseURL returns the endpoint at an address, see azure.ParseURL.
func ParseURL(text, account string, secret *wire.Secret) (Endpoint, error) {
	return azure.ParseURL(text, account, secret)
}

// ParseConnectionString returns the endpoint of a connection string. No error of it
// repeats a secret.
func ParseConnectionString(text string) (Endpoint, error) { return azure.ParseConnectionString(text) }

// destination is what a run is sent to, opened. Whoever opened it closes it.
type destination struct {
	target target.Target
	// counter is the target's own books, nil where it keeps none for us.
	counter target.Counter
	// who answers at a remote target.
	who whoAnswers
	// wires are the clients, one for each account; none where nothing is sent over a
	// network.
	wires []*azure.Target
	// budget is what the replies of all that is sent over a network share.
	budget *target.ReplyBudget
	// engine is the address of the embedded engine's server.
	engine string
	// since is how long after its opening the clock of the run began, where that is another.
	since time.Duration
	// ahead is how far the clock of each service is ahead of this machine's.
	ahead []time.Duration
	// closing ends it, the last first; see [destination.close].
	closing []func()
}

// close closes what was opened. It may be called twice.
func (d *destination) close() {
	for _, end := range slices.Backward(d.closing) {
		end()
	}
	d.closing = nil
}

// Opened is a target that trials are made on. Whoever opened it closes it.
type Opened struct {
	target.Target
	// Counter are the target's own books, nil where it keeps none for us.
	Counter target.Counter
	// Close ends it; what is under way by then is given up.
	Close func()
}

// Open opens what a plan in real time aims at, without a run: for trials, whose clock it
// keeps to.
func Open(ctx context.Context, p Plan, clk clock.Real) (*Opened, error) {
	d, err := p.open(ctx, clk, "trial")
	if err != nil {
		return nil, err
	}
	return &Opened{d.target, d.counter, d.close}, nil
}

// open opens what the plan aims at; a remote target is asked whether it is there
// and takes our signature.
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
				each = append(each, target.NewInProcess(e, name, clk).At(p.Scenario.Wire().Level))
			}
			t := together(each)
			d.target, d.counter = t, t.(target.Counter) // as one alone and several together are
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

// line returns the line between the clients and the account that the scenario's model
// describes, nil where nothing of it is bounded. Over sockets, and for compression in real
// time, clients do what the wire of a simulation assumes.
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

// embeddedEngine builds the engine that the scenario's model describes.
func (p *Plan) embeddedEngine(clk clock.Real) (*engine.Engine, error) {
	partitions, err := p.model()
	if err != nil {
		return nil, err
	}
	s := p.Scenario
	return engine.New(engine.Options{Model: partitions, Accounts: accountsOf(s),
		Calendar: clk, Seed: s.Seed, Cold: s.Start == scenarios.StartCold}), nil
}

// openEmbedded puts the engine behind a socket on a free port of this machine
// and makes the client of each of its accounts: the same as a remote target has.
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
		// Of replies that are lost on purpose the books are told, too.
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
		// The run's own workers alone send here: they are to be throttled by the model.
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
	// By then the run has waited for what was under way, or given it up.
	d.closing = append(d.closing, func() { stop(server) })
	d.counter, d.engine = books, server.URL()
	return p.connectEngine(d, d.engine, secret, clk, id)
}

// connectEngine makes the client of each account of an embedded engine at an address.
func (p *Plan) connectEngine(d *destination, address string, secret *wire.Secret, clk clock.Real, id string) error {
	var endpoints []azure.Endpoint
	for _, name := range accountsOf(p.Scenario) {
		endpoint, err := azure.ParseURL(address+"/"+name, name, secret)
		if err != nil {
			return err
		}
		endpoints = append(endpoints, endpoint)
	}
	w := p.Scenario.Wire()
	return d.connect(endpoints, azure.Options{Level: w.Level, Nagle: w.Nagle, Connections: p.workers(), AskCounted: true,
		Clock: clk, Calendar: clk, RunID: id, Client: azure.Client(p.Client)})
}

// connectionsFor returns the bound on connections of a server that so many workers
// send to, and nobody else: it is to be in nobody's way.
func connectionsFor(workers int) int { return max(rest.DefaultConnections, 2*workers) }

// stop ends a server at once.
func stop(server *rest.Server) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = server.Close(ended) // its error is that something was cut off
}

// embeddedSecret returns a key for the embedded engine's account. It guards
// nothing: it is there so that every request is signed and checked, as it would
// be elsewhere.
func embeddedSecret(seed uint64) (*wire.Secret, error) {
	return wire.NewSecret(strings.Repeat("bG9hZGdlbi1lbWJl", 5) + fmt.Sprintf("%08d", seed%100_000_000))
}

// openRemote opens a client of each account of another service and asks each whether
// it is there.
func (p *Plan) openRemote(ctx context.Context, d *destination, clk clock.Real, id string) error {
	by := azure.Client(cmp.Or(p.Client, string(azure.Auto)))
	if p.Driver == Vegeta {
		by = azure.ByNetHTTP // which is what that driver sends by
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
		// Together they are genuine and of known limits where all are, an emulator where one is.
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

// connect makes a client for each endpoint, all with the same options.
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

// served are the books of the embedded engine's server, less the entities of replies
// that were lost: of these no client can know.
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

// whoAnswers is what is known of the services behind all accounts of a remote target.
type whoAnswers struct {
	// names is what they call themselves.
	names string
	azure.Service
}

// serviceAnd stands between what the services of several accounts call themselves.
const serviceAnd = " and "

// describe enters into a manifest what the run is sent to, and on which table.
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
		// Neither a model nor a start is behind it, and stand-ins answer only for what no
		// account has. The documents' targets are those of the service alone.
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

// mostSaid bounds how many of the slowest requests of all accounts are kept.
const mostSaid = 10

// said returns what the services of a remote target said together, nil for any other.
func (d *destination) said() *results.Said {
	if len(d.ahead) == 0 {
		return nil
	}
	all := new(results.Said)
	for i, client := range d.wires {
		if ahead := d.ahead[i]; ahead.Abs() > all.ClockAhead.Abs() {
			all.ClockAhead = ahead
		}
		one := client.Said()
		all.Dropped += one.Dropped
		for _, r := range one.Refusals {
			// What another account's service refused in the same way is joined.
			at := slices.IndexFunc(all.Refusals, func(of results.Refusal) bool {
				return of.Status == r.Status && of.Code == string(r.Code) && of.Limit == string(r.Limit)
			})
			if at >= 0 {
				all.Refusals[at].Count += r.Count
				continue
			}
			all.Refusals = append(all.Refusals, results.Refusal{Status: r.Status, Code: string(r.Code), Limit: string(r.Limit),
				Message: r.Message, Count: r.Count, First: asked(client, r.First, d.since)})
		}
		all.Slowest = append(all.Slowest, asked(client, one.Slowest, d.since)...)
	}
	slices.SortStableFunc(all.Refusals, func(a, b results.Refusal) int { return cmp.Compare(b.Count, a.Count) })
	slices.SortStableFunc(all.Slowest, func(a, b results.SaidRequest) int { return cmp.Compare(b.Took, a.Took) })
	all.Slowest = all.Slowest[:min(len(all.Slowest), mostSaid)]
	return all
}

// asked returns requests as a record has them whose clock began so long after the client's.
func asked(client *azure.Target, list []azure.NotedRequest, since time.Duration) []results.SaidRequest {
	var out []results.SaidRequest
	for _, r := range list {
		out = append(out, results.SaidRequest{At: time.Duration(r.At) - since, Took: r.Took, Verb: r.Verb.String(), PartitionKey: r.PartitionKey,
			Status: r.Status, Code: string(r.Code), RequestID: r.ID, ClientRequestID: client.RunID() + "-" + strconv.FormatUint(r.Number, 10)})
	}
	return out
}
