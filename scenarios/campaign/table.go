package campaign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// The marker is an entity by which this tool recognizes its own tables. It lies in a partition of
// its own and holds the first entity number that no run has used, so that a later run inserts no
// entity twice.
const (
	markerPartition = "~loadgen"
	markerScenario  = "Scenario"
	markerFresh     = "FreshNumber"
	// markerBeside lists what else the run makes, as kind and name, separated by commas.
	markerBeside = "Beside"
)

// markerKey is the key of the marker.
var markerKey = entity.Key{Partition: markerPartition, Row: "marker"}

// Marker is the marker of a table.
type Marker struct {
	Scenario string
	// Written is the time of the write by the service's clock.
	Written entity.Ticks
	// Beside are the other tables, queues and containers that its run makes.
	Beside []Resource
}

// MarkerRequest returns the request for the marker of a table.
func MarkerRequest(table string) target.Operation {
	return target.Operation{Verb: entity.Get, Table: table, Change: entity.Change{Verb: entity.Get, Key: markerKey}}
}

// ParseMarker returns the marker of a table from the reply to such a request, and false if there is
// none. It skips names that do not begin with the table's: they cannot be this tool's.
func ParseMarker(table string, o *target.Outcome) (m Marker, ours bool) {
	scenario, named := o.Entity.Lookup(markerScenario)
	fresh, numbered := o.Entity.Lookup(markerFresh)
	if !named || !numbered || scenario.Type() != entity.TypeString || fresh.Type() != entity.TypeInt64 {
		return Marker{}, false
	}
	m = Marker{Scenario: scenario.Text(), Written: o.Version}
	beside, _ := o.Entity.Lookup(markerBeside)
	for one := range strings.SplitSeq(beside.Text(), ", ") {
		what, name, _ := strings.Cut(one, " ")
		after := storeName(table, "")
		if what == ResourceTable {
			after = table
		}
		if slices.Contains([]string{ResourceTable, ResourceQueue, ResourceContainer}, what) && strings.HasPrefix(name, after) && len(name) > len(after) {
			m.Beside = append(m.Beside, Resource{What: what, Name: name})
		}
	}
	return m, true
}

// create creates the tables, or reuses those with a marker, and marks them.
func (c *Campaign) create(ctx context.Context) error {
	for i := range c.tables {
		if err := c.createTable(ctx, &c.tables[i]); err != nil {
			return err
		}
	}
	// The markers hold the first number that this run cannot use before any is used, in case it is
	// killed.
	all, err := c.plans(len(c.Scenario.Phases))
	if err != nil {
		return err
	}
	claimed := c.fresh
	for _, d := range all {
		claimed += d.claims()
		if again := c.secondTry(d); again != nil {
			claimed += again.claims()
		}
	}
	for i := range c.tables {
		t := &c.tables[i]
		put := t.operation(entity.InsertOrReplace)
		put.Change = entity.Change{Verb: entity.InsertOrReplace, Key: markerKey, Properties: []entity.Property{
			{Name: markerScenario, Value: entity.String(c.Scenario.Name)},
			{Name: markerFresh, Value: entity.Int64(int64(claimed))},
		}}
		if i == 0 && c.OnResource != nil {
			var beside []string
			for _, one := range c.workflowStores() {
				beside = append(beside, one.What+" "+one.Name)
			}
			if len(beside) > 0 {
				put.Change.Properties = append(put.Change.Properties,
					entity.Property{Name: markerBeside, Value: entity.String(strings.Join(beside, ", "))})
			}
		}
		if _, err := c.request(ctx, t.stage(kindMark), kindMark, put, target.Expected{}); err != nil {
			return err
		}
	}
	return nil
}

// createTable creates one table, or reuses it.
func (c *Campaign) createTable(ctx context.Context, t *ownTable) error {
	if err := ctx.Err(); err != nil && c.Clock != nil {
		// A run that ended before it began creates no table.
		return err
	}
	c.report(t.Resource, true)
	outcome, err := c.request(ctx, t.stage(kindCreate), kindCreate, t.operation(entity.CreateTable), target.Expected{Conflict: true})
	doubt := t.Resource
	doubt.Doubtful = c.unconfirmed
	defer func() {
		if !t.ours {
			c.report(t.Resource, false)
			if doubt.Doubtful {
				c.report(doubt, true)
			}
		}
	}()
	// A run that is stopped right now has created the table all the same, and an attempt whose
	// reply was lost can have done so. If the name is new, the table is this run's.
	t.ours = outcome.Class(target.Expected{}) == results.Ok || c.unconfirmed && c.NewName
	if err == nil && outcome.Code == entity.TableBeingDeleted {
		if outcome, err = c.createLater(ctx, t); err == nil {
			t.ours = outcome.Class(target.Expected{}) == results.Ok
		}
	}
	if err != nil {
		return err
	}
	if outcome.Status == entity.TableAlreadyExists.Status() && !t.ours {
		if !c.Reuse {
			return fmt.Errorf("%w: %s; use another name, or --reuse if loadgen created it", ErrTableExists, t.inAccount(t.Name))
		}
		if err := c.adopt(ctx, t); err != nil {
			return err
		}
	}
	t.ours = true
	return nil
}

// The service needs at least 40 s to delete a table: a run that follows another on its table tries
// again until then.
const (
	deletionLimit = 2 * time.Minute
	deletionPause = 2 * time.Second
)

// createLater creates a table whose predecessor is being deleted, and returns the last reply.
func (c *Campaign) createLater(ctx context.Context, t *ownTable) (target.Outcome, error) {
	create := workflow.Request{Operation: t.operation(entity.CreateTable), Expected: target.Expected{Conflict: true}}
	reply, err := c.runSingle(ctx, t.stage("recreate"), deletionLimit, t.Account, drive.Work{Kind: c.kindOf[kindCreate],
		Workflow: workflow.NewProcedure(func(tx *workflow.Tx) {
			for tx.Send(create).Code == entity.TableBeingDeleted {
				tx.Sleep(deletionPause)
			}
		})})
	if err == nil && (reply.Class(create.Expected) != results.Ok || reply.Code == entity.TableBeingDeleted) {
		err = fmt.Errorf("%w: creating %s failed for %v; the last reply was %d %s %s",
			ErrPreparation, t.inAccount(t.Name), deletionLimit, reply.Status, reply.Code, reply.Detail)
	}
	return reply, err
}

// adopt continues the numbers in the marker of an existing table. It fails without a marker.
func (c *Campaign) adopt(ctx context.Context, t *ownTable) error {
	get := MarkerRequest(t.Name)
	get.Account = t.Account
	outcome, err := c.request(ctx, t.stage("take"), kindMark, get, target.Expected{NotFound: true})
	if err != nil {
		return err
	}
	fresh, marked := outcome.Entity.Lookup(markerFresh)
	if outcome.Status == entity.ResourceNotFound.Status() || !marked {
		return fmt.Errorf("%w: %s has no marker and is left alone", ErrNotOurs, t.inAccount(t.Name))
	}
	c.fresh = max(c.fresh, uint64(max(0, fresh.Int())))
	return nil
}
