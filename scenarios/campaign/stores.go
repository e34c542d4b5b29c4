package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// Made is what a campaign makes at a service.
type Made struct {
	// What is [MadeTable], [MadeQueue] or [MadeContainer].
	What, Name string
	// Account is that of a table; queues and containers are in the first.
	Account int
	// Doubtful says that nobody knows whether this run has made it: it is not dropped.
	Doubtful bool
}

// What a campaign makes.
const (
	MadeTable     = "table"
	MadeQueue     = "queue"
	MadeContainer = "container"
)

// longestTable is how much of a table's name the name of a store keeps: no store has
// more than 63 characters.
const longestTable = 48

// storeName returns the name of a queue or a container of the run on a table: small
// letters and digits, and a dash between them.
func storeName(table, name string) string {
	table = strings.ToLower(table)
	return table[max(0, len(table)-longestTable):] + "-" + strings.ToLower(name)
}

// performed returns every operation of the scenario that is a workflow, with its kind.
func (c *Campaign) performed(visit func(kind *workflow.Kind, spec *scenarios.OperationSpec)) {
	for _, one := range c.Scenario.EachOperation {
		if kind := workflow.Find(one.Workflow); kind != nil {
			visit(kind, one)
		}
	}
}

// clear drops what workflows have made beside the run's own tables, after a run that
// ended with an error or nil. Where a table of the run is somebody else's, no workflow
// was carried out, and what is called like this is that somebody's, too. Where the record
// can no longer be written, what is dropped goes unrecorded.
func (c *Campaign) clear(ctx context.Context, ended error) error {
	if slices.ContainsFunc(c.sites, func(at site) bool { return !at.ours }) {
		return nil
	}
	list, broken := c.made(), errors.Is(ended, results.ErrWrite)
	if broken {
		if err := c.unrecorded(); err != nil {
			return err
		}
	}
	var failures []error
	for i := 0; i < len(list); i++ {
		err := c.dropping(ctx, kindDrop, list[i], madeBy(list[i]))
		failures = append(failures, err)
		if errors.Is(err, context.Canceled) || errors.Is(err, c.failure()) && c.doubtful {
			// Nobody answers: to ask for each of the others would take as long again.
			break
		}
		if errors.Is(err, results.ErrWrite) && !broken {
			broken = true
			if err := c.unrecorded(); err != nil {
				return errors.Join(append(failures, err)...)
			}
			i-- // it may not have been dropped
		}
	}
	return errors.Join(failures...)
}

// made returns the deletions of all that workflows can have made, each once.
func (c *Campaign) made() []target.Operation {
	var list []target.Operation
	seen := make(map[string]bool)
	add := func(op target.Operation, name string) {
		if !seen[name] {
			list = append(list, op)
		}
		seen[name] = true
	}
	c.performed(func(kind *workflow.Kind, spec *scenarios.OperationSpec) {
		if kind.Tables != nil {
			for _, name := range kind.Tables(spec.With) {
				add(target.Operation{Verb: entity.DeleteTable, Table: c.Table + name}, "table "+name)
			}
		}
		if kind.Stores != nil {
			for _, store := range kind.Stores(spec.With) {
				if store.Own {
					continue
				}
				verb := target.DropContainer
				if store.Queue {
					verb = target.DropQueue
				}
				add(target.Operation{Beside: &target.Beside{Verb: verb, Store: storeName(c.Table, store.Name)}}, verb.String()+store.Name)
			}
		}
	})
	return list
}

// Stores returns what a run of the scenario uses beside its tables: queues, containers
// of blobs, which a target has to have, and services of the application's own, for which
// stand-ins answer.
func Stores(s *scenarios.Scenario) (queues, blobs, own bool) {
	c := &Campaign{Options: Options{Scenario: s}}
	c.performed(func(kind *workflow.Kind, spec *scenarios.OperationSpec) {
		if kind.Stores == nil {
			return
		}
		for _, store := range kind.Stores(spec.With) {
			queues, blobs, own = queues || store.Queue, blobs || !store.Queue && !store.Own, own || store.Own
		}
	})
	return queues, blobs, own
}

// Tables returns what is added to the name of the run's table for each table that the
// workflows of a scenario make and delete by themselves: under a name that the user
// chose they could be somebody else's.
func Tables(s *scenarios.Scenario) []string {
	var names []string
	c := &Campaign{Options: Options{Scenario: s}}
	c.performed(func(kind *workflow.Kind, spec *scenarios.OperationSpec) {
		if kind.Tables != nil {
			names = append(names, kind.Tables(spec.With)...)
		}
	})
	return names
}

// site is a table that a run works on, in one account.
type site struct {
	account int
	table   string
	// copies is what the table's name has beside that of the run's, for the copies of
	// entities that lie in it; empty for the table itself.
	copies string
	// ours says that the table is there because this run made or took it.
	ours bool
}

// assignAccounts has the run work on the table, and those of copies, in each account, and every request of a
// partition go to the account that the partition lies in. It finds the homes of the scenario's
// entities, their own first.
func (c *Campaign) assignAccounts() error {
	accounts := c.Scenario.Sharding()
	for account := range accounts.Number() {
		c.sites = append(c.sites, site{account: account, table: c.Table})
		for _, copies := range c.Scenario.Tables() {
			c.sites = append(c.sites, site{account: account, table: c.Table + copies, copies: copies})
		}
	}
	if accounts.Number() > 1 {
		c.accountOf = accounts.AccountOf
	}
	c.homes = []keyHome{{table: c.Table, generator: c.generator}}
	for i := range c.Scenario.Design.Copies {
		one := &c.Scenario.Design.Copies[i]
		generator, err := one.Generator(c.generator)
		if err != nil {
			return err
		}
		c.homes = append(c.homes, keyHome{c.Table + one.Table, generator, one})
	}
	return nil
}

// String names the table as errors do. The first account is the only one of most
// runs, and goes without saying.
func (at *site) String() string {
	if at.account == 0 {
		return at.table
	}
	return fmt.Sprintf("%s in account %d", at.table, at.account+1)
}

func (at *site) stage(name string) string {
	if at.copies != "" {
		name += " " + at.copies
	}
	if at.account == 0 {
		return name
	}
	return fmt.Sprintf("%s in account %d", name, at.account+1)
}

func (at *site) made() Made { return Made{What: MadeTable, Name: at.table, Account: at.account} }

func (at *site) operation(verb entity.Verb) target.Operation {
	return target.Operation{Verb: verb, Account: at.account, Table: at.table}
}

// drop deletes the tables that are this run's, after a run that ended with an error
// or nil. One that cannot be deleted keeps none of the others, unless the run was stopped
// and nobody answers in its account.
func (c *Campaign) drop(ctx context.Context, ended error) error {
	var failures []error
	silent := make(map[int]bool)
	for i := range c.sites {
		at := &c.sites[i]
		if !at.ours || silent[at.account] {
			continue
		}
		err := ended
		if !errors.Is(err, results.ErrWrite) {
			err = c.dropOnce(ctx, at)
		}
		if errors.Is(err, results.ErrWrite) {
			// Where the record can no longer be written, the deletion goes unrecorded.
			if err = c.unrecorded(); err == nil {
				err = c.dropOnce(ctx, at)
			}
		}
		silent[at.account] = errors.Is(err, context.Canceled)
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// unrecorded has what follows be recorded where nobody reads it.
func (c *Campaign) unrecorded() error {
	unread, err := results.NewRecorder(new(results.Memory), results.Manifest{Operations: c.kinds})
	if err == nil {
		c.ledger = &drive.Ledger{Recorder: unread}
	}
	return err
}

func (c *Campaign) dropOnce(ctx context.Context, at *site) error {
	return c.dropping(ctx, at.stage(kindDrop), at.operation(entity.DeleteTable), at.made())
}

// dropping drops one thing, also of a run that was stopped, which it outlives by dropLimit, and
// takes down that it is gone.
func (c *Campaign) dropping(ctx context.Context, name string, op target.Operation, gone Made) error {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if c.Clock != nil {
		unheard := context.AfterFunc(ctx, func() {
			alarm := c.Clock.Alarm(c.Clock.Now().Add(dropLimit))
			defer alarm.Stop()
			select {
			case <-alarm.C:
				cancel()
			case <-longer.Done():
			}
		})
		defer unheard()
	}
	_, err := c.once(longer, name, kindDrop, op, target.Expected{NotFound: true})
	if err == nil {
		c.holds(gone, false)
	}
	return err
}

// EndingLimit is how long a run that is stopped takes at most to drop what it has in one
// account, where nobody answers: 2 s for what is under way, then EndingStep. Each further
// account, and each service beside them, takes an EndingStep more: dropLimit, and 2 s for what
// is under way then.
const (
	EndingLimit = 7 * time.Second
	EndingStep  = 5 * time.Second
	dropLimit   = 3 * time.Second
)

// holds tells of what is about to be made, or is gone.
func (c *Campaign) holds(one Made, there bool) {
	if c.Holding != nil {
		c.Holding(one, there)
	}
}

// madeBy returns what an operation of [Campaign.made] deletes.
func madeBy(op target.Operation) Made {
	switch {
	case op.Beside == nil:
		return Made{What: MadeTable, Name: op.Table}
	case op.Beside.Verb.OfQueue():
		return Made{What: MadeQueue, Name: op.Beside.Store}
	default:
		return Made{What: MadeContainer, Name: op.Beside.Store}
	}
}
