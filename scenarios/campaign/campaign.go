// Package campaign carries out the stages of a scenario: create the table, load it, offer the
// traffic, count, verify what was written, drop the table.
//
// A [Campaign] passes the stages to a runner of package drive, one after the other. With a [Find],
// a search for the highest rate that holds replaces the traffic; [Find.Next] chooses its steps.
// Each step begins with half a second at 1.5 times its rate, which uses up the allowance that the
// target saved while idle. That part is recorded, and neither reported, judged nor retried. A
// search with a maximum response time omits it. [Campaign.Forecast], [Campaign.Footprint] and
// [Campaign.Preview] predict a campaign from the plans of its phases, without sending anything.
//
// Callers must pass a valid scenario, and a recorder of package results, which they finish after
// the last stage.
//
// The package does not depend on the target, never waits, and draws all chance from named streams
// of the scenario's seed: the entity of operation k is a pure function of k.
//
// stopConditions ends a phase of traffic if it exceeds a budget of the scenario, or if the load is
// stable. retryPolicies has the retry policy of each kind of operation.
package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// Options says how to run a scenario.
type Options struct {
	Scenario *scenarios.Scenario
	// Model predicts the run; nil builds that of the scenario.
	Model *model.Model
	// Table is the name of the test table.
	Table string
	// NewName reports that the name was generated for this run, so that no other run can have a
	// table of that name.
	NewName bool
	// Reuse accepts an existing table with this tool's marker; Keep leaves the table in place after
	// the run.
	Reuse, Keep bool
	// RetryCodes are statuses with which this target reports that it is busy: they are retried
	// in addition to those of the scenario's policy.
	RetryCodes []int
	// Find, if set, replaces the load of the phases by a search for the highest rate that holds. It
	// is valid.
	Find *Find
	// Peak is the target rate, in operations per second, 0 for none: a step at that rate is offered
	// again if the generator did not send it in time.
	Peak float64
	// RunMark identifies this run in the ids of its writes: 1 to 32 letters and digits that no
	// earlier run on the same table used. It may be empty in a new table.
	RunMark string
	// Verify adds an id to every write of the measured phases, and reads back what was
	// acknowledged. MaxWatched is the maximum number of entities that are followed, 0 for a million.
	Verify     bool
	MaxWatched int
	// Blank pads entities with one letter instead of random letters, for targets without a network.
	// Sizes are the same. It has no effect if an operation filters by properties, which can include
	// the filler.
	Blank bool
	// Script returns the requests of a trace that names operations and no keys; it is nil for any
	// other.
	Script Script
	// OnStage is called as each stage begins; it may be nil.
	OnStage func(Progress)
	// Faults, if set, are active during stages whose operations are reported.
	Faults Faults
	// Member, if set, limits the campaign to its share of the scenario's traffic. OfferElsewhere, if
	// set, is called once, instead of all phases of traffic: others offer them.
	Member         *Member
	OfferElsewhere func(context.Context, From) error
	// OnResource is called with true before the campaign creates a resource that it is to drop, and
	// with false once it is deleted or known to belong to another run. It is nil if everything ends
	// with this process: then the marker does not name the resources either.
	OnResource func(Resource, bool)
	// Clock limits the time in which a run that was stopped drops its tables. It is nil in virtual
	// time, which needs no limit.
	Clock clock.Clock
}

// Faults are injected failures.
type Faults interface {
	Begin(at clock.Instant)
	End()
}

// Progress describes a stage that begins.
type Progress struct {
	Stage string
	// Operations is how many operations it will send, 0 if that depends on replies. Length is how
	// long they become due, 0 in a closed loop.
	Operations uint64
	Length     time.Duration
}

// Campaign is one run of a scenario. It is used once.
type Campaign struct {
	Options
	generator *keys.Generator
	retries   retryPolicies
	kinds     []results.Kind
	kindOf    map[string]int
	// locations are those of the scenario's entities, their own first; places those of its
	// workflows.
	locations []location
	places    *places

	runner drive.Runner
	ledger *drive.Ledger
	// number is the run's number of the next stage's first operation.
	number uint64
	// fresh is the first entity number that no earlier run has used.
	fresh uint64
	// begun has the value of fresh at the start of each phase so far.
	begun []uint64
	// sorted are the partitions of the first sortedOf entities, in the order of the index.
	sorted   []partition
	sortedOf uint64
	// tables are those of the run in each account. accountOf returns the account of a request, accountAtLoad that of
	// a preparing one; they are nil for one account.
	tables                   []ownTable
	accountOf, accountAtLoad func(op *target.Operation) int
	// prepared are the phases that a member has prepared.
	prepared []preparedStage
	// tokens are the saved tokens by name.
	tokens map[string]savedToken
	// loading reports that load was sent: later failures are not failures of the preparation.
	loading bool
	// unconfirmed reports that an attempt of the last single operation ended without a reply that
	// says whether it succeeded.
	unconfirmed bool
	// audit follows the writes, nil if they are not verified; after has the counters of workflows.
	audit    *audit
	counters *workflowCounters
}

// The kinds of the operations that prepare and clean up. A scenario's own operations cannot have
// these names.
const (
	kindCreate = "create"
	kindMark   = "mark"
	kindLoad   = "load"
	kindCount  = "count"
	kindAudit  = "audit"
	kindDrop   = "drop"
)

// NewCampaign returns the run of a valid scenario. It fails if the scenario is invalid.
func NewCampaign(o Options) (*Campaign, error) {
	generator, err := o.Scenario.Generator()
	if err != nil {
		return nil, err
	}
	filters := false
	for _, one := range o.Scenario.EachOperation {
		filters = filters || one.Where != ""
	}
	if o.Blank && !filters {
		generator = generator.Blank()
	}
	if o.Model == nil {
		o.Model, _ = o.Scenario.PartitionModel() // nothing is foreseen without one
	}
	retries, err := newRetryPolicies(o.Scenario, o.RetryCodes)
	if err != nil {
		return nil, err
	}
	c := &Campaign{Options: o, generator: generator, retries: retries, kindOf: make(map[string]int), tokens: make(map[string]savedToken)}
	c.fresh = o.Scenario.Loaded(len(o.Scenario.Phases))
	if err := c.assignAccounts(); err != nil {
		return nil, err
	}
	for _, name := range []string{kindCreate, kindMark, kindLoad, kindCount} {
		c.addKind(results.Kind{Name: name})
	}
	if c.places, err = c.newPlaces(); err != nil {
		return nil, err
	}
	for _, one := range o.Scenario.EachOperation {
		q, err := c.newReading(one)
		if err != nil {
			return nil, err
		}
		c.addKind(results.Kind{Name: one.Name, Group: one.Group, Filtered: q.filters(), Retry: one.Retry, Limit: one.Limit.String()})
	}
	if o.Verify {
		c.audit = &audit{run: c.runMark(), limit: cmp.Or(o.MaxWatched, maxWatched), trails: make(map[entity.Key]*trail),
			result: results.Audit{Examples: []results.AuditExample{}}}
	}
	c.counters = c.newWorkflowCounters()
	if o.Verify || len(c.checks()) > 0 {
		c.addKind(results.Kind{Name: kindAudit})
	}
	c.addKind(results.Kind{Name: kindDrop})
	return c, nil
}

// addKind adds a kind of operation, or merges it with that of an earlier phase.
func (c *Campaign) addKind(kind results.Kind) {
	if at, known := c.kindOf[kind.Name]; known {
		c.kinds[at].Filtered = c.kinds[at].Filtered || kind.Filtered
		c.kinds[at].Retry = joinedReasons(c.kinds[at].Retry, kind.Retry)
		c.kinds[at].Limit = joinedReasons(c.kinds[at].Limit, kind.Limit)
		return
	}
	c.kindOf[kind.Name] = len(c.kinds)
	c.kinds = append(c.kinds, kind)
}

// Sample returns a write of the run's first entity.
func (c *Campaign) Sample() entity.Change {
	return entity.Change{Verb: entity.InsertOrReplace, Key: c.generator.Key(0), Properties: c.generator.Properties(0)}
}

// Kinds returns the kinds of operation of the run, for its manifest.
func (c *Campaign) Kinds() []results.Kind { return c.kinds }

// Run carries the campaign out. A done context ends it early, and its error is returned. Other
// errors wrap [ErrTableExists], [ErrNotOurs], [ErrPreparation], [ErrAfterLoad] or results.ErrWrite.
// Unless Keep is set, Run always drops the tables that it made or reused, for at most [EndingLimit]
// after the context is done if the target does not answer.
func (c *Campaign) Run(ctx context.Context, runner drive.Runner, ledger *drive.Ledger) error {
	c.runner, c.ledger = runner, ledger
	var err error
	if c.Member != nil {
		err = c.offerShare(ctx)
	} else {
		err = c.runChecks(ctx, c.auditWrites(ctx, c.phases(ctx)))
	}
	if len(c.counters.counts) > 0 && !errors.Is(err, results.ErrWrite) {
		ledger.Recorder.Counters(results.NewCounters(c.counters.counts))
	}
	if c.Member == nil && !c.Keep {
		// Tables are dropped even if the run was stopped.
		err = errors.Join(err, c.drop(ctx, err))
	}
	return err
}

func (c *Campaign) phases(ctx context.Context) error {
	if err := c.create(ctx); err != nil {
		return err
	}
	for _, one := range c.workflowStores() {
		c.report(one, true)
	}
	for i := range c.Scenario.Phases {
		phase := &c.Scenario.Phases[i]
		c.begun = append(c.begun, c.fresh)
		var err error
		switch {
		case phase.Load != nil:
			err = c.load(ctx, i)
		case phase.Count != nil:
			err = c.count(ctx, i)
		case c.OfferElsewhere != nil:
			if !c.loading {
				c.loading = true
				err = c.OfferElsewhere(ctx, From{c.number, c.fresh})
			}
		case c.Find != nil:
			c.loading = true
			// Only the first phase that offers load is searched.
			if first, any := findPhase(c.Scenario); any && i == first {
				err = c.find(ctx, i)
			}
		case phase.Traffic != nil:
			c.loading = true
			err = c.traffic(ctx, i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// run carries out one stage and numbers its operations.
func (c *Campaign) run(ctx context.Context, stage *drive.Stage) error {
	stage.First, stage.Table = c.number, c.Table
	before := stage.Ended
	stage.Ended = func(w *drive.Work, done *results.Completed) {
		if before != nil {
			before(w, done)
		}
		if c.audit != nil {
			c.audit.observe(w, done)
		}
		c.counters.add(c.kinds[w.Kind].Name, w)
	}
	if stage.AccountOf == nil {
		stage.AccountOf = c.accountOf
	}
	stage.Chance = clock.NewStream(c.Scenario.Seed, "retry")
	c.number += stage.Operations()
	if c.OnStage != nil {
		progress := Progress{Stage: stage.Name, Operations: stage.Share.Count(stage.Operations()), Length: stage.Lasts()}
		if stage.Think != nil {
			progress.Operations = 0 // answers decide
		}
		c.OnStage(progress)
	}
	if c.Faults != nil && slices.ContainsFunc(stage.Phases, func(p results.Phase) bool { return p.Reported }) {
		before := stage.Begins
		stage.Begins = func(at clock.Instant) {
			c.Faults.Begin(at)
			if before != nil {
				before(at)
			}
		}
		defer c.Faults.End()
	}
	return c.runner.Run(ctx, stage, c.ledger)
}

// preparationLimit bounds the stages that fill and count the table, requestLimit those of a single
// operation, so that the run ends if the target died.
const (
	preparationLimit = 10 * time.Minute
	requestLimit     = 30 * time.Second
)

// preparationStage returns a stage of count operations with a phase of its own, which retries for minutes.
func (c *Campaign) preparationStage(name string, lanes int, count uint64, limit time.Duration) *drive.Stage {
	patient := backoff.Policy{
		Name: "patient", Retries: backoff.MaxRetries,
		Delay: backoff.Exponential{Base: 100 * time.Millisecond, Min: 50 * time.Millisecond, Max: 2 * time.Second},
	}
	return &drive.Stage{Name: name, Lanes: lanes, Count: count, Limit: limit,
		Retry: patient.WithStatuses(c.RetryCodes...), Phases: []results.Phase{{Name: name}}}
}

// prepare carries out a closed loop of operations that must all succeed, and calls read, if not
// nil, for each success.
func (c *Campaign) prepare(ctx context.Context, name string, lanes int, count uint64,
	build func(k uint64, w *drive.Work), read func(k uint64, o *target.Outcome)) error {
	var ended uint64
	var last target.Outcome
	stage := c.preparationStage(name, lanes, count, preparationLimit)
	stage.Build, stage.AccountOf = build, c.accountAtLoad
	stage.Observe = func(k uint64, outcome *target.Outcome, class results.Class) {
		if class != results.Ok {
			last = *outcome
			return
		}
		if read != nil {
			read(k, outcome)
		}
		if !outcome.Next.Present {
			ended++
		}
	}
	if err := c.run(ctx, stage); err != nil {
		return err
	}
	if ended < count {
		return fmt.Errorf("%w: %d of %d operations of %q did not succeed; the last answer was %d %s %s",
			c.failure(), count-ended, count, name, last.Status, last.Code, last.Detail)
	}
	return nil
}

// request carries out a single operation and returns its outcome, and an error unless that is an
// expected one.
func (c *Campaign) request(ctx context.Context, name, kind string, op target.Operation, expected target.Expected) (target.Outcome, error) {
	outcome, err := c.runSingle(ctx, name, requestLimit, op.Account, drive.Work{Kind: c.kindOf[kind], Operation: op, Expected: expected})
	if err == nil && outcome.Class(expected) != results.Ok {
		err = fmt.Errorf("%w: %s of table %s was answered %d %s %s", c.failure(), name, op.Table, outcome.Status, outcome.Code, outcome.Detail)
	}
	return outcome, err
}

// runSingle carries out a stage of one operation in an account, and returns its last outcome. It sets
// unconfirmed.
func (c *Campaign) runSingle(ctx context.Context, name string, limit time.Duration, account int, work drive.Work) (target.Outcome, error) {
	var outcome target.Outcome
	silent := false
	c.unconfirmed = true
	stage := c.preparationStage(name, 1, 1, limit)
	stage.AccountOf = func(*target.Operation) int { return account }
	stage.Build = func(_ uint64, w *drive.Work) { *w = work }
	stage.Observe = func(_ uint64, o *target.Outcome, _ results.Class) {
		outcome = *o
		silent = silent || o.Unheard()
		c.unconfirmed = silent
	}
	err := c.run(ctx, stage)
	return outcome, err
}
