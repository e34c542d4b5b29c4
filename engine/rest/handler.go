package rest

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"

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
