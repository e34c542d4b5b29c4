package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/invariants"
	"loadgen/engine/wire"
)

// Handler answers requests of the table service. It is safe for concurrent use.
type Handler struct {
	engine   *engine.Engine
	clock    clock.Clock
	calendar calendar
	tenants  map[string]*tenant
	tokens   Tokens
	faults   *engine.FaultPlan
	observe  func(*accesslog.Observed)
	// identities is the chance in request identifiers, misfortunes that in who
	// meets a fault.
	identities, misfortunes clock.Stream
	name                    string

	numbers   atomic.Uint64
	counter   counter
	bodies    bodies
	exchanges sync.Pool
}

var _ http.Handler = (*Handler)(nil)

// New returns a handler; the error joins everything that is wrong with the
// options, or what is with the settings that the engine has kept, each wrapped around
// [ErrOptions].
func New(o Options) (*Handler, error) {
	if faults := o.Validate(); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if o.Name == "" {
		partition, account, headroom := o.Engine.Targets()
		o.Name = wire.ServerName(wire.Limits{Partition: partition, Account: account, Headroom: headroom})
	}
	h := &Handler{
		engine:      o.Engine,
		clock:       o.Clock,
		calendar:    calendar{of: o.Calendar},
		tenants:     make(map[string]*tenant),
		tokens:      o.Tokens,
		faults:      o.Faults,
		observe:     o.Observe,
		identities:  clock.NewStream(o.Seed, "rest/identity"),
		misfortunes: clock.NewStream(o.Seed, "rest/fault"),
		name:        o.Name,
	}
	h.bodies.most = cmp.Or(o.BodyBytes, defaultBodyBytes)
	for _, account := range o.Accounts {
		t := &tenant{name: account.Name, secret: account.Secret, policies: policies{of: make(map[string][]wire.SignedIdentifier)}}
		t.properties.Store(&wire.ServiceProperties{
			Logging: &wire.Logging{}, HourMetrics: &wire.Metrics{}, MinuteMetrics: &wire.Metrics{}, HasCors: true})
		// The engine has kept the settings from before.
		if note := o.Engine.Note(account.Name, ""); note != nil {
			properties, code, detail := wire.ParseServiceProperties(string(note))
			if code != entity.OK {
				return nil, fmt.Errorf("%w: properties of the account %s: %s", ErrOptions, account.Name, detail)
			}
			t.properties.Store(&properties)
		}
		for _, table := range o.Engine.TableNames(account.Name) {
			all, code, detail := wire.ParsePolicies(string(o.Engine.Note(account.Name, table)))
			if code != entity.OK {
				return nil, fmt.Errorf("%w: access policies of the table %s: %s", ErrOptions, table, detail)
			}
			t.policies.put(table, all)
		}
		h.tenants[account.Name] = t
	}
	h.exchanges.New = func() any {
		x := &exchange{handler: h}
		// It is given back at the latest when the exchange is garbage: the pool of exchanges
		// lets go of them without a word.
		x.share = &share{of: &h.bodies}
		runtime.AddCleanup(x, func(s *share) { s.set(0) }, x.share)
		x.echo = func(i int) entity.Packed {
			x.packed = entity.Pack(x.packed[:0], x.reply.Versions[i], x.batch.Changes[i].Properties)
			return x.packed
		}
		return x
	}
	return h, nil
}

// ServeHTTP implements [http.Handler]. Where a fault of the plan loses the reply,
// or the sender is gone before it leaves, it panics with
// [http.ErrAbortHandler], at which net/http closes the connection.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := h.exchanges.Get().(*exchange)
	x.matter = matter{request: r, number: h.numbers.Add(1) - 1}
	x.identity = h.identities.Draw(x.number)
	x.headers.text, x.headers.count = x.headers.text[:0], 0
	x.output = x.output[:0]
	answered := x.carryOut(h)
	t, code := &h.counter, x.failure.code
	if x.reply.Counted != 0 {
		t.entities.Add(x.reply.Counted)
	}
	if x.crowded {
		h.bodies.refused.Add(1)
	}
	switch {
	case !answered || x.verdict.Cut, x.crowded: // no reply, or no room for the body
		t.failed.Add(1)
	case code == entity.OK:
		t.ok.Add(1)
	case refuses(code):
		t.throttled.Add(1)
	default:
		t.failed.Add(1)
	}
	answered = answered && x.write(w)
	if h.observe != nil {
		x.show()
	}
	// Nothing of the request stays in memory but the room it was read into.
	x.matter = matter{}
	room := counted(x.body) + counted(x.output) + counted(x.packed)
	others := x.share.of.held.Load() - x.share.held
	if room > 0 && (max(cap(x.body), cap(x.output), cap(x.packed)) > maxKept || others+room > x.share.of.most/4) {
		// The parsed forms hold views into the body.
		x.body, x.output, x.packed = nil, nil, nil
		x.entity, x.batch = wire.EntityBody{}, wire.BatchRequest{}
		room = 0
	}
	x.share.set(room)
	invariants.Poison(x, "handler", "share", "headers", "body", "entity", "batch", "packed", "output", "rows", "kept",
		"base", "tags", "dateText", "dateTicks", "echo", "seen")
	h.exchanges.Put(x)
	if !answered {
		panic(http.ErrAbortHandler)
	}
}

// carryOut does what the request asks for and waits until the reply leaves. It
// reports whether there is to be one.
func (x *exchange) carryOut(h *Handler) bool {
	code, detail := x.understand()
	now := h.clock.Now()
	x.arrived, x.released = now, now
	if h.faults != nil {
		// The only PartitionKey of the request, empty for none or several.
		partition := x.change.Key.Partition
		switch x.asked.Verb {
		case 0, entity.CreateTable, entity.DeleteTable:
			partition = ""
		case entity.Batch:
			if partition = ""; len(x.asked.Changes) > 0 {
				partition = x.asked.Changes[0].Key.Partition
			}
		case entity.Query:
			partition, _ = x.asked.Query.Range.Partition()
		}
		draw := h.misfortunes.Draw(x.number)
		x.verdict = h.faults.Decide(now.Offset(), partition, draw.Uint64())
	}
	verdict := x.verdict
	switch {
	case code != entity.OK || verdict.Lost == engine.FaultBefore:
	case verdict.Refused:
		code, detail = verdict.Code, "The server is busy: a fault that was injected."
	case x.asked.Verb == 0:
		if x.operation.perform != nil {
			code, detail = x.operation.perform(x)
		}
	default:
		const typicalHead = 450
		x.asked.Bytes = typicalHead + int64(len(x.request.RequestURI)+len(x.body))
		x.reply = h.engine.Submit(now, &x.asked)
		x.released = x.reply.Done
		code, detail = x.reply.Code, x.reply.Detail
		if code == entity.OK && x.asked.Verb == entity.DeleteTable {
			x.tenant.policies.put(x.asked.Table, nil)
		}
	}
	x.failure = failure{code, detail}
	done := x.released
	x.released = clock.Instant(verdict.Release(done.Offset()))
	x.injected = verdict.Kind(done.Offset(), x.released.Offset())
	begins := x.released.Add(-verdict.Drip)
	if begins > now {
		if err := h.clock.Sleep(x.request.Context(), begins); err != nil {
			return false
		}
	}
	return verdict.Lost == 0
}

// Options says what a handler serves.
type Options struct {
	// Engine carries out the requests. All Accounts must exist in it.
	Engine *engine.Engine
	// Clock says when a request arrives and waits until its reply leaves.
	Clock clock.Clock
	// Calendar dates the clock's instants, of the years 1601 to 9999: the engine's. The
	// dates of replies and the age of signatures come from it.
	Calendar clock.Calendar
	// Accounts are the accounts that are served, at least one.
	Accounts []Account
	// Tokens decides which bearer tokens are accepted; nil for none.
	Tokens Tokens
	// Seed determines the request IDs and the requests that get an injected fault.
	Seed uint64
	// Faults is what goes wrong on purpose, counted from the clock's instant
	// zero; nil for nothing. It must not be altered once it is in use.
	Faults *engine.FaultPlan
	// Name is the value of the header Server; empty is one with the limits of the engine's model, see
	// [wire.ServerName].
	Name string
	// BodyBytes limits the memory of all bodies in progress except those of at most 4 KiB; 0 is 128 MiB.
	// Further requests are rejected, which clients take for throttling: use [math.MaxInt64] for a server
	// with trusted clients.
	BodyBytes int64
	// Observe, unless nil, is called once for every request that was answered or whose reply was lost, in
	// the goroutine of the request, concurrently. It must not wait, nor keep its argument.
	Observe func(*accesslog.Observed)
}

// Tokens judges the bearer tokens of requests. It is safe for concurrent use.
type Tokens interface {
	// Accept returns nil for a token that is good, else in one line why it is not, without
	// repeating it.
	Accept(ctx context.Context, token string) error
	// Challenge is the header WWW-Authenticate of the reply to a request without a good one.
	Challenge() string
}

// Account is one storage account and its key.
type Account struct {
	// Name has 3 to 24 lower-case letters and digits.
	Name   string
	Secret *wire.Secret
}

// Validate returns everything that is wrong with the options, each wrapped
// around [ErrOptions]; nil where nothing is.
func (o *Options) Validate() []error {
	var faults []error
	complain := func(format string, details ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, details...)...))
	}
	if o.Engine == nil {
		complain("engine: there is none")
	}
	if o.Clock == nil {
		complain("clock: there is none")
	}
	if o.Calendar == nil {
		complain("calendar: there is none")
	} else if zero := o.Calendar.Date(0); zero.Year() < earliestYear || zero.Year() > latestYear {
		complain("calendar: %s is no date of the years %d to %d", zero.Format(time.DateOnly), earliestYear, latestYear)
	}
	if len(o.Accounts) == 0 {
		complain("accounts: there are none")
	}
	seen := make(map[string]bool)
	for i, account := range o.Accounts {
		if !accountName(account.Name) {
			complain("accounts[%d].name: %.40q is not 3 to 24 lower-case letters and digits", i, account.Name)
		}
		if seen[account.Name] {
			complain("accounts[%d].name: %.40q comes twice", i, account.Name)
		}
		seen[account.Name] = true
		if account.Secret == nil {
			complain("accounts[%d].secret: there is none", i)
		}
	}
	if !headerText(o.Name, maxServerName) {
		complain("name: %.40q is not up to %d printable ASCII characters", o.Name, maxServerName)
	}
	if o.BodyBytes < 0 {
		complain("body bytes: %d is less than none", o.BodyBytes)
	}
	if o.Faults != nil {
		for _, err := range o.Faults.Validate() {
			complain("faults: %w", err)
		}
	}
	return faults
}

// The years that the service has a form for.
const (
	earliestYear = 1601
	latestYear   = 9999
)

// maxServerName bounds the header Server.
const maxServerName = 256

func accountName(name string) bool {
	foreign := func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }
	return len(name) >= 3 && len(name) <= 24 && !strings.ContainsFunc(name, foreign)
}

// headerText reports whether a text can be the value of a header: at most longest characters of printable ASCII
// and blanks.
func headerText(text string, longest int) bool {
	return len(text) <= longest && !strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' })
}

// ErrOptions is wrapped by every fault of [Options]; test for it with errors.Is.
var ErrOptions = errors.New("rest: impossible options")
