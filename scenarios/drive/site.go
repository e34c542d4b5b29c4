package drive

import (
	"context"
	"errors"
	"fmt"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/target"
)

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

// settleIn has the run work on the table, and those of copies, in each account, and every request of a
// partition go to the account that the partition lies in.
func (c *Campaign) settleIn(accounts *scenarios.Sharding) {
	for account := range accounts.Number() {
		c.sites = append(c.sites, site{account: account, table: c.Table})
		for _, copies := range c.Scenario.Tables() {
			c.sites = append(c.sites, site{account: account, table: c.Table + copies, copies: copies})
		}
	}
	if accounts.Number() > 1 {
		c.accountOf = accounts.AccountOf
	}
}

// String names the table as errors do. The first account is the only one of most
// runs, and goes without saying.
func (at *site) String() string {
	if at.account == 0 {
		return at.table
	}
	return fmt.Sprintf("%s in account %d", at.table, at.account+1)
}

// stage returns the name of a stage of this table alone.
func (at *site) stage(name string) string {
	if at.copies != "" {
		name += " " + at.copies
	}
	if at.account == 0 {
		return name
	}
	return fmt.Sprintf("%s in account %d", name, at.account+1)
}

// operation returns an operation on the table.
func (at *site) operation(verb entity.Verb) target.Operation {
	return target.Operation{Verb: verb, Account: at.account, Table: at.table}
}

// drop deletes the tables that are this run's, after a run that ended with an error
// or nil. One that cannot be deleted keeps none of the others.
func (c *Campaign) drop(ctx context.Context, ended error) error {
	var failures []error
	for i := range c.sites {
		if c.sites[i].ours {
			failures = append(failures, c.dropAt(ctx, &c.sites[i], ended))
		}
	}
	return errors.Join(failures...)
}

// dropAt deletes one table. Where the record can no longer be written, the deletion
// goes unrecorded.
func (c *Campaign) dropAt(ctx context.Context, at *site, ended error) error {
	if !errors.Is(ended, results.ErrWrite) {
		if err := c.dropOnce(ctx, at); !errors.Is(err, results.ErrWrite) {
			return err
		}
	}
	if err := c.unrecorded(); err != nil {
		return err
	}
	return c.dropOnce(ctx, at)
}

// unrecorded has what follows be recorded where nobody reads it.
func (c *Campaign) unrecorded() error {
	unread, err := results.NewRecorder(new(results.Memory), results.Manifest{Operations: c.kinds})
	if err == nil {
		c.ledger = &Ledger{Recorder: unread}
	}
	return err
}

func (c *Campaign) dropOnce(ctx context.Context, at *site) error {
	_, err := c.once(ctx, at.stage(kindDrop), kindDrop, at.operation(entity.DeleteTable), target.Expected{NotFound: true})
	return err
}
