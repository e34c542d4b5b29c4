package engine

import (
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// LoadTable makes a table at now; one that is there already is left as it is. The
// code is OK, or else with one line of detail that of what the name or the
// account lacks.
//
// Neither it nor [Engine.Load] is a request: admission is passed by, so that what
// is put in before anybody asks takes no time and leaves everybody's allowance
// whole, whatever the model's limits are, and no count knows of it.
func (e *Engine) LoadTable(now clock.Instant, account, table string) (entity.Code, string) {
	a, known := e.accounts[account]
	if !known {
		return entity.ResourceNotFound, noAccount
	}
	// The store keeps the name, which may be a view into a larger text.
	code := a.store.CreateTable(strings.Clone(table))
	switch code {
	case entity.OK:
		e.welcome(a, e.Advance(now), table)
		return entity.OK, ""
	case entity.TableAlreadyExists:
		return entity.OK, ""
	}
	if code == entity.InternalError {
		return code, failed
	}
	_, detail := entity.ValidateTableName(table)
	return code, detail
}

// Load makes a change of an entity at now. Its code and detail are those of the
// request that it stands for.
func (e *Engine) Load(now clock.Instant, account, table string, c *entity.Change) (entity.Code, string) {
	a, known := e.accounts[account]
	if !known {
		return entity.ResourceNotFound, noAccount
	}
	result := a.store.Apply(table, c, e.ticks(e.Advance(now)))
	return result.Code, result.Detail
}

const noAccount = "there is no account of that name"
