package campaign

import (
	"context"
	"errors"
	"fmt"
	"iter"
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

// Resource is a table, a queue or a container that a campaign creates.
type Resource struct {
	// What is [ResourceTable], [ResourceQueue] or [ResourceContainer].
	What, Name string
	// Account is that of a table; queues and containers are in the first.
	Account int
	// Doubtful reports that it is unknown whether this run created it: then it is not dropped.
	Doubtful bool
}

// The kinds of resources.
const (
	ResourceTable     = "table"
	ResourceQueue     = "queue"
	ResourceContainer = "container"
)

// maxTableName is how much of the table's name a store's name keeps: it has at most 63 characters.
const maxTableName = 48

// storeName returns the name of a queue or a container of the run: lower-case letters and digits,
// and one dash.
func storeName(table, name string) string {
	table = strings.ToLower(table)
	return table[max(0, len(table)-maxTableName):] + "-" + strings.ToLower(name)
}

// workflowsOf iterates over the operations of a scenario that are workflows.
func workflowsOf(s *scenarios.Scenario) iter.Seq2[*workflow.Kind, *scenarios.OperationSpec] {
	return func(yield func(*workflow.Kind, *scenarios.OperationSpec) bool) {
		for _, one := range s.EachOperation {
			if kind := workflow.Find(one.Workflow); kind != nil && !yield(kind, one) {
				return
			}
		}
	}
}

// listOf returns what a function of a workflow's kind lists, nothing if the kind has none.
func listOf[T any](list func(workflow.Arguments) []T, a workflow.Arguments) []T {
	if list == nil {
		return nil
	}
	return list(a)
}

// storesOf returns the suffixes of the tables that the workflows of a scenario create and delete,
// and the stores that they use.
func storesOf(s *scenarios.Scenario) (tables []string, stores []workflow.Store) {
	for kind, spec := range workflowsOf(s) {
		tables = append(tables, listOf(kind.Tables, spec.With)...)
		stores = append(stores, listOf(kind.Stores, spec.With)...)
	}
	return tables, stores
}

// workflowStores returns the tables, queues and containers that workflows may create, each once.
func (c *Campaign) workflowStores() (list []Resource) {
	add := func(one Resource) {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	tables, stores := storesOf(c.Scenario)
	for _, suffix := range tables {
		add(Resource{What: ResourceTable, Name: c.Table + suffix})
	}
	for _, one := range stores {
		switch {
		case one.Own:
		case one.Queue:
			add(Resource{What: ResourceQueue, Name: storeName(c.Table, one.Name)})
		default:
			add(Resource{What: ResourceContainer, Name: storeName(c.Table, one.Name)})
		}
	}
	return list
}

// Stores reports whether a scenario needs queues, containers of blobs, and services of the
// application's own, for which stand-ins answer.
func Stores(s *scenarios.Scenario) (queues, blobs, own bool) {
	_, stores := storesOf(s)
	for _, one := range stores {
		queues, blobs, own = queues || one.Queue, blobs || !one.Queue && !one.Own, own || one.Own
	}
	return queues, blobs, own
}

// Tables returns the suffixes of the tables that the workflows of a scenario create and delete:
// after a table name that the user chose, they could belong to another run.
func Tables(s *scenarios.Scenario) []string {
	tables, _ := storesOf(s)
	return tables
}

// ownTable is a table of the run in one account: its own, or one of copies.
type ownTable struct {
	Resource
	// suffix is what its name has after that of the run's own table.
	suffix string
	// ours reports that this run created or adopted it.
	ours bool
}

// routing returns the function from a request to its account.
func (c *Campaign) routing(accounts *scenarios.Sharding) func(op *target.Operation) int {
	return func(op *target.Operation) int {
		if account, whole := accounts.AccountOfTable(strings.TrimPrefix(op.Table, c.Table)); whole {
			return account
		}
		key, one := op.PartitionKey()
		switch {
		case one:
			return accounts.AccountOf(key)
		case op.Verb == entity.Query:
			panic("campaign: a query across partitions has no account")
		default:
			return op.Account
		}
	}
}

// assignAccounts sets the tables of the run in each account, the account of each request, and the
// locations of the scenario's entities, their own first.
func (c *Campaign) assignAccounts() error {
	accounts := c.Scenario.Sharding()
	suffixes := append([]string{""}, c.Scenario.Tables()...)
	for account := range accounts.Number() {
		for _, suffix := range suffixes {
			if only, whole := accounts.AccountOfTable(suffix); !whole || only == account {
				c.tables = append(c.tables, ownTable{Resource: Resource{What: ResourceTable, Name: c.Table + suffix, Account: account}, suffix: suffix})
			}
		}
	}
	if accounts.Number() > 1 {
		c.accountOf, c.accountAtLoad = c.routing(accounts), c.routing(accounts.Loaded())
	}
	c.locations = []location{{table: c.Table, generator: c.generator}}
	for i := range c.Scenario.Design.Copies {
		one := &c.Scenario.Design.Copies[i]
		generator, err := one.Generator(c.generator)
		if err != nil {
			return err
		}
		c.locations = append(c.locations, location{table: c.Table + one.Table, generator: generator, copy: one})
	}
	return nil
}

// inAccount adds the account to a name, unless it is the first: most runs have no other.
func (m Resource) inAccount(name string) string {
	if m.Account == 0 {
		return name
	}
	return fmt.Sprintf("%s in account %d", name, m.Account+1)
}

// stage names the stage of an operation on the table.
func (t *ownTable) stage(name string) string {
	return t.inAccount(strings.TrimSuffix(name+" "+t.suffix, " "))
}

func (t *ownTable) operation(verb entity.Verb) target.Operation {
	return target.Operation{Verb: verb, Account: t.Account, Table: t.Name}
}

// Drop returns the operation that deletes it.
func (m Resource) Drop() target.Operation {
	switch m.What {
	case ResourceQueue:
		return target.Operation{Beside: &target.Beside{Verb: target.DropQueue, Store: m.Name}}
	case ResourceContainer:
		return target.Operation{Beside: &target.Beside{Verb: target.DropContainer, Store: m.Name}}
	default:
		return target.Operation{Verb: entity.DeleteTable, Account: m.Account, Table: m.Name}
	}
}

// drop deletes what workflows created, and then the run's tables, after a run that ended with an
// error or nil. If a table belongs to another run, no workflow ran, and resources with such a name
// belong to that run, too. A failed deletion does not stop the others, unless the service does not answer:
// each of them would take as long again. If the record cannot be written, deletions are not
// recorded.
func (c *Campaign) drop(ctx context.Context, ended error) error {
	if errors.Is(ended, results.ErrWrite) {
		if err := c.stopRecording(); err != nil {
			return err
		}
	}
	var failures []error
	if !slices.ContainsFunc(c.tables, func(t ownTable) bool { return !t.ours }) {
		for _, one := range c.workflowStores() {
			err := c.dropOne(ctx, one, kindDrop)
			failures = append(failures, err)
			if errors.Is(err, context.Canceled) || errors.Is(err, c.failure()) && c.unconfirmed {
				break
			}
		}
	}
	silent := make(map[int]bool)
	for i := range c.tables {
		t := &c.tables[i]
		if !t.ours || silent[t.Account] {
			continue
		}
		err := c.dropOne(ctx, t.Resource, t.stage(kindDrop))
		silent[t.Account] = errors.Is(err, context.Canceled)
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// dropOne deletes one thing, and again without a record if that cannot be written. It reports that
// the thing is gone. A run that was stopped continues with it for at most dropLimit.
func (c *Campaign) dropOne(ctx context.Context, one Resource, stage string) error {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if c.Clock != nil {
		stop := context.AfterFunc(ctx, func() {
			alarm := c.Clock.Alarm(c.Clock.Now().Add(dropLimit))
			defer alarm.Stop()
			select {
			case <-alarm.C:
				cancel()
			case <-longer.Done():
			}
		})
		defer stop()
	}
	request := func() error {
		_, err := c.request(longer, stage, kindDrop, one.Drop(), target.Expected{NotFound: true})
		if err == nil {
			c.report(one, false)
		}
		return err
	}
	err := request()
	if !errors.Is(err, results.ErrWrite) {
		return err
	}
	if failed := c.stopRecording(); failed != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(err, request())
}

// stopRecording discards the records of all further operations.
func (c *Campaign) stopRecording() error {
	unread, err := results.NewRecorder(new(results.Memory), results.Manifest{Operations: c.kinds})
	if err == nil {
		c.ledger = &drive.Ledger{Recorder: unread}
	}
	return err
}

// EndingLimit is the maximum time in which a stopped run drops its resources in one account if
// no request is answered: 2 s for open requests, then EndingStep. Each further account, and each
// other service, adds an EndingStep: dropLimit, and 2 s for open requests.
const (
	EndingLimit = 7 * time.Second
	EndingStep  = 5 * time.Second
	dropLimit   = 3 * time.Second
)

// report reports what is about to be created, or is gone.
func (c *Campaign) report(one Resource, exists bool) {
	if c.OnResource != nil {
		c.OnResource(one, exists)
	}
}
