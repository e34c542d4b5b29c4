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

// Place is the target of a run's load.
type Place uint8

const (
	// Simulated is the embedded engine on a virtual clock.
	Simulated Place = iota
	// InProcess is the embedded engine in real time, called directly.
	InProcess
	// Embedded is the embedded engine behind a local socket.
	Embedded
	// Remote is the services at [Plan.Accounts].
	Remote
)

// NetHTTP is the client that uses net/http, with proxies and HTTP/2.
const NetHTTP = string(azure.ByNetHTTP)

// The drivers, which send operations that arrive at a rate. Native is also the name of a client.
const (
	// Native is this tool's own driver.
	Native = "native"
	// Vegeta is vegeta's attacker, as an independent driver.
	Vegeta = "vegeta"
)

// Plan is a run as data: its load, its target and what is stored. The zero value with a scenario is a simulation in memory.
type Plan struct {
	// Scenario must be valid, with its files read. A run does not change it.
	Scenario *scenarios.Scenario
	On       Place
	// Accounts are the services of a remote run, one for each account of the scenario.
	Accounts []azure.Endpoint
	// Consent is called before the first request to a remote target. Its error ends the run; nil refuses.
	Consent func(Ask) error
	// Budget ends a remote run at this number of billed transactions, 0 for no limit.
	Budget int64
	// Driver is Native or Vegeta, empty for Native.
	Driver string
	// Client is Native or NetHTTP. Empty selects Native for services of this tool and NetHTTP for others.
	Client string
	// Trust configures https, nil for the system's roots.
	Trust *tls.Config

	// Peak is the target rate in operations per second, 0 for none. The scenario must have steps around it.
	Peak float64
	// Find searches for the highest sustained rate, see [NewFind]; nil for no search.
	Find *campaign.Find
	// RetryChosen reports that the user chose the scenario's retries: a search and vegeta's driver otherwise do not retry.
	RetryChosen bool
	// Verify reads every measured write back by an id, as the scenario can request itself.
	Verify bool

	// Table is the name of the test table, empty for a new one. Reuse accepts an existing table with this tool's marker,
	// Keep does not drop it.
	Table       string
	Reuse, Keep bool

	// AntiPattern is the deliberate mistake of the scenario, nil for none; Command is the command line. Both are for the
	// record, as Labels are.
	AntiPattern *scenarios.AntiPattern
	Command     []string
	Labels      map[string]string

	// Out is the folder of the record. If it is empty, Runs gets a new one; if that is empty, too, the record is in Memory,
	// or in private memory if that is nil.
	Out, Runs string
	Memory    *results.Memory
	// Attempts is a file for every attempt in vegeta's format; empty for none.
	Attempts string
	// HistogramLog is a file for an interval log of HdrHistogram, SecondsTable one for a CSV table with a row per second;
	// empty for none.
	HistogramLog, SecondsTable string
	// Kept is called with the sealed record and its folder; its error is joined to that of the run. It may be nil.
	Kept func(results.Folder, *results.Record) error
	// Progress observes the run; it may be nil.
	Progress Progress
	// Remains has the resources of a remote run that are not dropped yet; it may be nil.
	Remains *Remains
	// NoProbe skips the probe of the generator's maximum rate before a run in real time.
	NoProbe bool

	// Epoch is the start of a simulation by its own clock, Started the start in its record if that differs; the zero values
	// are 1970.
	Epoch, Started time.Time
	// Data makes a simulation store entities even if the scenario never reads them.
	Data bool
	// Rival also runs the simulation with another profile of the model, for comparison.
	Rival bool
	// MemoryLimit refuses a simulation that needs more bytes, 0 for no limit.
	MemoryLimit int64

	// Faults are those of the embedded engine behind its socket, for all clients, nil for none; faults of the scenario occur
	// before the target. Seen is called with every request that the engine answered, or whose reply it lost; it may be nil
	// and is called concurrently.
	Faults *engine.FaultPlan
	Seen   func(*accesslog.Observed)
	// Injected is called with every attempt that met a fault of the scenario, one at a time; it may be nil.
	Injected func(Injection)

	// Script has the requests of the rows of the scenario's trace, Held the entities of a new table; both are for
	// simulations, nil to follow the scenario.
	Script campaign.Script
	Held   []entity.Key

	// Member makes the run a part of a load that several processes offer; Elsewhere makes such processes offer the load.
	// Both may be nil.
	Member    *Member
	Elsewhere *Elsewhere

	// sound is what the validation built, nil before it.
	sound *sound
	// handed is the state of a run that other processes offer, nil before it opens.
	handed *handed
	// injector has the faults of the scenario, nil for none.
	injector *target.Injector
	// weighing counts the bytes of a rehearsal, nil for any other run.
	weighing *weighing
}

// Injection is an attempt that met a fault of the scenario.
type Injection = target.Injection

// HealthObserver is an observer that also gets each whole second of the generator's health of a run in real time.
type HealthObserver interface {
	drive.Observer
	Health(results.Health)
}

// Ask is what a user agrees to before a remote run.
type Ask struct {
	campaign.Forecast
	// Where names the services, Table the table, Beside the queues and blobs that the scenario uses as well, empty for none.
	Where, Table, Beside string
}

// Begun is a run before its first request.
type Begun struct {
	Scenario string
	// Time is "real" or "virtual".
	Time       string
	Operations []results.Kind
	// Recorder has the counts of the run.
	Recorder *results.Recorder
	// Now returns the time since the start of the run; nil on a virtual clock, where events have the time.
	Now func() time.Duration
	// Started is the wall time of the start, Tool the build of this program.
	Started time.Time
	Tool    results.Tool
}

// Progress observes a run. One goroutine calls it.
type Progress interface {
	// Begins is called before the first request, and returns the observers of every attempt.
	Begins(Begun) []drive.Observer
	// Enters is called when a stage begins.
	Enters(campaign.Progress)
	// Ends is called with the error that ended the load, nil for none.
	Ends(error)
}

// live reports whether the run takes place in real time.
func (p *Plan) live() bool { return p.On != Simulated }

func (p *Plan) verify() bool { return p.Verify || p.Scenario.Verify }

// data reports whether a simulation stores entities.
func (p *Plan) data() bool { return p.Data || p.verify() || p.Scenario.Reads() }

// budgeted is a target that ends its run when the budget of attempts is spent. Attempts under way and the drop of the table
// follow, and are billed as well.
type budgeted struct {
	target.Target
	left  atomic.Int64
	spent func()
}

var _ target.Target = (*budgeted)(nil)

// bound returns the target with the budget of the plan, and a context that ends when it is spent.
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
	if b.left.Add(-1) == 0 {
		b.spent()
	}
	return b.Target.Do(ctx, op)
}
