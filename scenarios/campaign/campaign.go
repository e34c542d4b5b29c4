// Package campaign makes stages of a scenario: create the table, load it, offer the
// traffic, count, verify what was written, drop.
//
// A [Campaign] strings these stages together and has a runner of package drive carry
// them out, one after the other. With a [Find], what the phases would offer gives way to
// the search for the highest rate that holds, whose steps [Find.Next] chooses. Before
// each step a target is offered half as much again for half a second, which drains what it
// has saved up while idle: that part is recorded, not reported, judged or retried, and left
// out where a response time is asked for. What a
// campaign comes to before it runs, [Campaign.Forecast], [Campaign.Footprint] and
// [Campaign.Preview] read from one dry run over the stages, none of which is sent.
//
// The caller owes a scenario that was found valid, and a recorder of package results that
// is finished after the last stage.
//
// The package never knows which target is driven, never waits, and draws all chance from
// named streams of the scenario's seed: which entity operation k is about is a function
// of k, whoever sends it and when.
//
// stopConditions ends a phase of traffic once a budget of the scenario is exceeded or the load is
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

// Options says how a scenario is to be run.
type Options struct {
	Scenario *scenarios.Scenario
	// Model is that of the scenario, by which the run is foreseen; nil builds it.
	Model *model.Model
	// Table is the name of the test table.
	Table string
	// NewName says that the name was made up for this run, so that no table of
	// anybody else can have it.
	NewName bool
	// Reuse takes a table that exists if it carries this tool's marker; Keep
	// leaves the table in place after the run.
	Reuse, Keep bool
	// RetryCodes are statuses that are retried beside those of the scenario's
	// policy, because this target says so that it is busy.
	RetryCodes []int
	// Find, where set, has the campaign look for the highest rate that holds, in
	// place of what its phases would offer. It is valid.
	Find *Find
	// Peak is a rate of one of the scenario's steps, in operations per second, of which it
	// is asked whether it holds: that step is offered once more where the generator did not
	// send it in time. 0 asks of none.
	Peak float64
	// RunMark marks what this run writes, where writes carry an id: letters and
	// digits, 1 to 32, that no earlier run on the same table had; it may be empty in
	// a new table.
	RunMark string
	// Verify has every write of the measured phases carry an id, and what was
	// acknowledged be read back at the end. Watched is how many entities are
	// followed for that, 0 for a million.
	Verify  bool
	Watched int
	// Blank pads entities with one letter rather than with letters by chance: for targets
	// to which nothing is sent over a network. Sizes are the same. It has no effect where
	// an operation filters by properties, of which the filler could be one.
	Blank bool
	// Script says what the rows of a trace ask for that names operations and no keys; it is
	// nil for any other.
	Script Script
	// Entering is called as each stage begins; it may be nil.
	Entering func(Progress)
	// Faults, where set, are begun with each stage that offers operations to be reported and
	// ended after it: what prepares a table and reads it back meets none.
	Faults Faults
	// Member, where set, has the campaign offer its share of the scenario's traffic and nothing
	// else. Elsewhere, where set, has others do so: it is called once, in place of all phases of
	// traffic.
	Member    *Member
	Elsewhere func(context.Context, From) error
	// Holding is called before something is made that the campaign is to drop, with true, and
	// once it is known to be gone, or to be somebody else's, with false. It is nil where all
	// that is made ends with this process: then no marker names it either.
	Holding func(Made, bool)
	// Clock bounds what a run that was stopped does to drop its tables. It is nil where time
	// is virtual: then nothing is waited for.
	Clock clock.Clock
}

// Faults are what goes wrong on purpose.
type Faults interface {
	Begin(at clock.Instant)
	End()
}

// Progress describes a stage that begins.
type Progress struct {
	Stage string
	// Operations is how many it will send, 0 where answers decide; Length how long they become due,
	// 0 in a closed loop.
	Operations uint64
	Length     time.Duration
}

// Campaign is one run of a scenario: create a table, load it, count what it
// holds, offer the peak, drop it. It is used once.
type Campaign struct {
	Options
	generator *keys.Generator
	retries   retryPolicies
	kinds     []results.Kind
	kindOf    map[string]int
	// homes are those of the scenario's entities, their own first; places those of its
	// workflows.
	locations []location
	places    *places

	runner drive.Runner
	ledger *drive.Ledger
	// number is the run's number of the next stage's first operation.
	number uint64
	// fresh is the first entity number that no earlier run has used.
	fresh uint64
	// begun is what fresh was when each phase so far began.
	begun []uint64
	// counted is what was loaded into each partition by when countedOf entities were.
	counted   *census
	countedOf uint64
	// sites are the tables that the run works on, accountOf says in which account a
	// partition lies, nil where there is one.
	sites     []site
	accountOf func(partitionKey string) int
	// furnished is what a member has prepared.
	prepared []preparedStage
	// tokens are those that queries have saved, by name.
	tokens map[string]savedToken
	// loading says that load was sent: what fails from then on is no preparation.
	loading bool
	// doubtful says that an attempt of the single operation carried out last
	// ended without a word on whether it was done.
	doubtful bool
	// audit follows the writes, nil where they are not verified; after adds up what
	// workflows count.
	audit *audit
	after *afterChecks
}

// The kinds of the operations that prepare and clean up. A scenario's own
// operations cannot be called so.
const (
	kindCreate = "create"
	kindMark   = "mark"
	kindLoad   = "load"
	kindCount  = "count"
	kindAudit  = "audit"
	kindDrop   = "drop"
)

// NewCampaign returns the run of a scenario that was found valid. Its error is
// that of a scenario that was not.
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
		c.audit = &audit{run: c.runMark(), most: cmp.Or(o.Watched, maxWatched), trails: make(map[entity.Key]*trail),
			result: results.Audit{Examples: []results.AuditExample{}}}
		c.addKind(results.Kind{Name: kindAudit})
	}
	c.after = c.newAfterChecks()
	if len(c.checks()) > 0 {
		c.addKind(results.Kind{Name: kindAudit})
	}
	c.addKind(results.Kind{Name: kindDrop})
	return c, nil
}

// addKind adds a kind of operation, or what another phase has its operations of
// this name do beside.
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

// Run carries the campaign out. A done context ends it early, and its error is
// returned. Other errors wrap [ErrTableExists], [ErrNotOurs], [ErrPreparation],
// [ErrAfterLoad] or results.ErrWrite. Whatever the end, each table is dropped that this run made
// or took, unless it is to be kept: a target that does not answer is given [EndingLimit] for it
// once the context is done.
func (c *Campaign) Run(ctx context.Context, runner drive.Runner, ledger *drive.Ledger) error {
	c.runner, c.ledger = runner, ledger
	var err error
	if c.Member != nil {
		err = c.offerShare(ctx)
	} else {
		err = c.examine(ctx, c.verify(ctx, c.phases(ctx)))
	}
	if len(c.after.counts) > 0 && !errors.Is(err, results.ErrWrite) {
		ledger.Recorder.Counters(results.NewCounters(c.after.counts))
	}
	if c.Member == nil && !c.Keep {
		// The tables are to go even where the run was stopped.
		err = errors.Join(err, c.drop(ctx, err))
	}
	return err
}

func (c *Campaign) phases(ctx context.Context) error {
	if err := c.create(ctx); err != nil {
		return err
	}
	for _, one := range c.made() {
		c.holds(one, true)
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
		case c.Elsewhere != nil:
			if !c.loading {
				c.loading = true
				err = c.Elsewhere(ctx, From{c.number, c.fresh})
			}
		case c.Find != nil:
			c.loading = true
			// The first phase that offers load is searched, the others are left out.
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

// run carries out one stage and takes care of the numbering.
func (c *Campaign) run(ctx context.Context, stage *drive.Stage) error {
	stage.First, stage.Table = c.number, c.Table
	before := stage.Ended
	stage.Ended = func(w *drive.Work, done *results.Completed) {
		if before != nil {
			before(w, done)
		}
		if c.audit != nil {
			c.audit.ended(w, done)
		}
		c.after.ended(c.kinds[w.Kind].Name, w)
	}
	if stage.AccountOf == nil {
		stage.AccountOf = c.accountOf
	}
	stage.Chance = clock.NewStream(c.Scenario.Seed, "retry")
	c.number += stage.Due()
	if c.Entering != nil {
		progress := Progress{Stage: stage.Name, Operations: stage.Share.Count(stage.Due()), Length: stage.Lasts()}
		if stage.Think != nil {
			progress.Operations = 0 // answers decide
		}
		c.Entering(progress)
	}
	if c.Faults != nil && slices.ContainsFunc(stage.Phases, func(p results.Phase) bool { return p.Reported }) {
		told := stage.Begins
		stage.Begins = func(at clock.Instant) {
			c.Faults.Begin(at)
			if told != nil {
				told(at)
			}
		}
		defer c.Faults.End()
	}
	return c.runner.Run(ctx, stage, c.ledger)
}

// preparationLimit bounds the stages that fill and count the table, onceLimit
// those of a single operation, so that a target that has died ends the run.
const (
	preparationLimit = 10 * time.Minute
	onceLimit        = 30 * time.Second
)

// preparing returns a stage of its own record, whose attempts are made again for minutes:
// so many operations, of which some are under way at once, within a limit.
func (c *Campaign) preparing(name string, lanes int, count uint64, limit time.Duration) *drive.Stage {
	patient := backoff.Policy{
		Name: "patient", Retries: backoff.MaxRetries,
		Delay: backoff.Exponential{Base: 100 * time.Millisecond, Min: 50 * time.Millisecond, Max: 2 * time.Second},
	}
	return &drive.Stage{Name: name, Lanes: lanes, Count: count, Limit: limit,
		Retry: patient.With(c.RetryCodes...), Phases: []results.Phase{{Name: name}}}
}

// prepare carries out a closed loop of operations that must all succeed, and
// tells read of each success; read may be nil.
func (c *Campaign) prepare(ctx context.Context, name string, lanes int, count uint64,
	build func(k uint64, w *drive.Work), read func(k uint64, o *target.Outcome)) error {
	var ended uint64
	var last target.Outcome
	stage := c.preparing(name, lanes, count, preparationLimit)
	stage.Build = build
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

// once carries out a single operation and returns its outcome, and an error unless that is an
// expected one.
func (c *Campaign) once(ctx context.Context, name, kind string, op target.Operation, expected target.Expected) (target.Outcome, error) {
	outcome, err := c.single(ctx, name, onceLimit, op.Account, drive.Work{Kind: c.kindOf[kind], Operation: op, Expected: expected})
	if err == nil && outcome.Class(expected) != results.Ok {
		err = fmt.Errorf("%w: %s of table %s was answered %d %s %s", c.failure(), name, op.Table, outcome.Status, outcome.Code, outcome.Detail)
	}
	return outcome, err
}

// single carries out a stage of one operation in an account, and returns its last outcome. It sets
// doubtful.
func (c *Campaign) single(ctx context.Context, name string, limit time.Duration, account int, work drive.Work) (target.Outcome, error) {
	var outcome target.Outcome
	silent := false
	c.doubtful = true
	stage := c.preparing(name, 1, 1, limit)
	stage.AccountOf = func(string) int { return account }
	stage.Build = func(_ uint64, w *drive.Work) { *w = work }
	stage.Observe = func(_ uint64, o *target.Outcome, _ results.Class) {
		outcome = *o
		silent = silent || o.Unheard()
		c.doubtful = silent
	}
	err := c.run(ctx, stage)
	return outcome, err
}
