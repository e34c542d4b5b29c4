package run

import (
	"context"
	"crypto/tls"
	"sync/atomic"
	"time"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/azure"
)

// Place is where the load of a run goes.
type Place uint8

const (
	// Simulated is the embedded engine on a virtual clock.
	Simulated Place = iota
	// InProcess is the embedded engine in real time, called directly.
	InProcess
	// Embedded is the embedded engine behind a socket of this machine.
	Embedded
	// Remote is the services at [Plan.Accounts], which somebody else runs.
	Remote
)

// NetHTTP is Go's net/http as a client: proxies, and HTTP/2 where that is offered.
const NetHTTP = string(azure.ByNetHTTP)

// What sends operations that arrive at a rate; Native is the client's name, too.
const (
	// Native is this tool's own driver.
	Native = "native"
	// Vegeta is vegeta's attacker, as a second opinion.
	Vegeta = "vegeta"
)

// Plan is a run as data: what is offered, to what, and what is kept of it. Its zero
// value with a scenario is a simulation that is kept in memory.
type Plan struct {
	// Scenario is sound, and the files that it names are read. It stays as it is.
	Scenario *scenarios.Scenario
	On       Place
	// Accounts are the services of a remote run, one for each account that the
	// scenario is sharded over.
	Accounts []azure.Endpoint
	// Consent is asked before anything is sent to a remote target; its error ends the
	// run. Nil refuses.
	Consent func(Ask) error
	// Budget ends a remote run at this number of billed transactions, 0 for no bound.
	Budget int64
	// Driver is Native or Vegeta, empty for Native.
	Driver string
	// Client is what sends requests over a network: Native or NetHTTP; empty is Native for
	// what this tool serves itself, and otherwise NetHTTP.
	Client string
	// Trust configures https, nil trusts whom the machine trusts.
	Trust *tls.Config

	// Peak is the rate, in operations per second, of which it is asked whether it is
	// held; 0 for none. The scenario's steps lie around it.
	Peak float64
	// Find, where set, looks for the highest rate that holds, see [NewFind].
	Find *campaign.Find
	// RetryChosen says that the scenario's retries are somebody's choice: a search and
	// vegeta's driver otherwise try nothing again.
	RetryChosen bool
	// Verify has every measured write carry an id and be read back, as the scenario can
	// ask for itself.
	Verify bool

	// Table is the name of the test table, empty for a new one. Reuse takes one that
	// exists if it carries this tool's mark, Keep leaves it in place.
	Table       string
	Reuse, Keep bool

	// AntiPattern is what made the scenario do wrong on purpose, nil unless it is the
	// anti-pattern of one; Command is what was typed. Both are for the record.
	AntiPattern *scenarios.AntiPattern
	Command     []string
	// Labels are for the record, too.
	Labels map[string]string

	// Out is the folder of the record. Where it is empty, a new one is made in Runs;
	// where that is empty, too, the record is kept in Memory, or in one of its own.
	Out, Runs string
	Memory    *results.Memory
	// Attempts is a file that every attempt is written to as well, as a stream of vegeta
	// results; empty for none.
	Attempts string
	// HistogramLog is a file that an interval log of HdrHistogram is written to while the run
	// goes on, SecondsTable one for a table in CSV with a row a second; empty for none.
	HistogramLog, SecondsTable string
	// Kept is called with the sealed record and its folder; its error is joined to that
	// of the run. It may be nil.
	Kept func(results.Folder, *results.Record) error
	// Progress is told how the run fares; it may be nil.
	Progress Progress
	// Remains holds what a remote run has made and not dropped yet; it may be nil.
	Remains *Remains
	// NoProbe leaves out what is tried before a run in real time: how much the
	// generator can send at most.
	NoProbe bool

	// Epoch is when a simulation begins, by its own clock, Started what its record says
	// of that, if it is another time; the zero values are 1970.
	Epoch, Started time.Time
	// Data has a simulation store entities even where the scenario never reads them.
	Data bool
	// Rival holds a simulation against the same under another of the model's profiles.
	Rival bool
	// MemoryLimit refuses a simulation that would take more bytes, 0 for no bound.
	MemoryLimit int64

	// Faults are what goes wrong in an embedded engine behind its socket, whoever sends, nil
	// for nothing; those of the scenario lie before the target. Seen is told of every request
	// that the engine answered, or whose reply it lost; it may be nil and is called
	// concurrently.
	Faults *engine.FaultPlan
	Seen   func(*accesslog.Observed)
	// Injected is told of every attempt that met a fault of the scenario, one at a time; it
	// may be nil.
	Injected func(Injection)

	// Script says what the rows of the scenario's trace ask for, Held which entities are in the
	// table when it is made: both of a simulation alone, and nil where all is as the scenario
	// says.
	Script campaign.Script
	Held   []entity.Key

	// Member, where set, has the run be that of one of several processes that offer the
	// scenario together; Elsewhere, where set, has such processes offer what the scenario does.
	Member    *Member
	Elsewhere *Elsewhere

	// sound is what was built to find the plan without faults, nil before that.
	sound *sound
	// handed is what a run has that others offer for, once it is open.
	handed *handed
	// injector has the faults of the scenario, nil where there are none.
	injector *target.Injector
	// weighing weighs what a rehearsal sends, nil for any other run.
	weighing *weighing
}

// Injection is an attempt that met a fault of the scenario.
type Injection = target.Injection

// HealthObserver is an observer that is told of each whole second of the generator's health,
// too, of a run in real time.
type HealthObserver interface {
	drive.Observer
	Health(results.Health)
}

// Ask is what somebody is asked to agree to before a remote run.
type Ask struct {
	campaign.Forecast
	// Where names the services, Table the table, Beside the queues and blobs that the
	// scenario uses beside it, empty for none.
	Where, Table, Beside string
}

// Begun is a run that is about to send its first request.
type Begun struct {
	Scenario string
	// Time is "real" or "virtual".
	Time       string
	Operations []results.Kind
	// Recorder has the counts of the run.
	Recorder *results.Recorder
	// Now tells the present of the run since its start; nil on a virtual clock, whose
	// present is that of what was told last.
	Now func() time.Duration
	// Started is the wall time of the run's instant zero, Tool the program's own build.
	Started time.Time
	Tool    results.Tool
}

// Progress is told how a run fares while it goes on, by one goroutine.
type Progress interface {
	// Begins is told once all is ready, and returns who is to be told of every attempt.
	Begins(Begun) []drive.Observer
	// Enters is told of each stage as it begins.
	Enters(campaign.Progress)
	// Ends is told how the run ended, nil where it came to its end.
	Ends(error)
}

// live reports whether the run takes place in real time.
func (p *Plan) live() bool { return p.On != Simulated }

func (p *Plan) verify() bool { return p.Verify || p.Scenario.Verify }

// data reports whether a simulation stores entities.
func (p *Plan) data() bool { return p.Data || p.verify() || p.Scenario.Reads() }

// budgeted is a target whose run ends when so many attempts have been sent. What
// is under way then goes on, and the table is dropped: so many more are billed.
type budgeted struct {
	target.Target
	left  atomic.Int64
	spent func()
}

var _ target.Target = (*budgeted)(nil)

// bound returns the target with the budget of the plan, and the context that
// ends with it.
func (p *Plan) bound(ctx context.Context, t target.Target) (context.Context, target.Target, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := func() { cancel(nil) }
	if p.Budget <= 0 {
		return ctx, t, stop
	}
	b := &budgeted{Target: t, spent: func() { cancel(ErrBudget) }}
	b.left.Store(p.Budget)
	return ctx, b, stop
}

// Do implements target.Target.
func (b *budgeted) Do(ctx context.Context, op *target.Operation) target.Outcome {
	b.spend()
	return b.Target.Do(ctx, op)
}

// spend takes down that an attempt is sent.
func (b *budgeted) spend() {
	if b.left.Add(-1) == 0 {
		b.spent()
	}
}
