package rest

import (
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/wire"
)

// The operations on tables. The engine answers for those that alter one; what
// tables there are is looked up when the request arrives, and takes no time.
var (
	queryTables = operation{status: 200, needs: rights{types: "c", any: "l"},
		prepare: (*exchange).prepareQueryTables,
		present: func(x *exchange) {
			x.output = x.rendering.AppendTables(x.output, x.tables.names)
			if x.tables.next != "" {
				x.headers.text = wire.AppendContinuation(x.headers.text, x.tables.next)
				x.headers.close(nextTableHeader)
			}
		}}
	getTable = operation{status: 200, needs: rights{types: "c", any: "lr"},
		prepare: func(x *exchange) (entity.Code, string) {
			// The name may be spelt in any case.
			for _, name := range x.handler.engine.TableNames(x.target.account) {
				if strings.EqualFold(name, x.resource.Table) {
					x.tables.names = []string{name}
					return entity.OK, ""
				}
			}
			return entity.ResourceNotFound, ""
		},
		present: func(x *exchange) {
			x.output = x.rendering.AppendTable(x.output, x.tables.names[0])
		}}
	createTable = operation{status: 201, writes: true, needs: rights{types: "c", any: "cw"},
		prepare: func(x *exchange) (entity.Code, string) {
			if code, detail := x.readJSON(); code != entity.OK {
				return code, detail
			}
			name, code, detail := wire.ParseTableName(x.text())
			if code != entity.OK {
				return code, detail
			}
			x.bare = x.prefersNothing()
			x.setRequest(entity.CreateTable, name)
			return entity.OK, ""
		},
		present: (*exchange).presentMade}
	deleteTable = operation{status: 204, writes: true, needs: rights{types: "c", any: "d"},
		prepare: func(x *exchange) (entity.Code, string) {
			x.setRequest(entity.DeleteTable, x.resource.Table)
			return entity.OK, ""
		}}
)

// tableList is what was found of an account's tables.
type tableList struct {
	names []string
	// next is the first name that the list left out, empty for none.
	next string
}

// prepareQueryTables finds the tables that a page of the list shows.
func (x *exchange) prepareQueryTables() (entity.Code, string) {
	top, code, detail := x.top()
	if code != entity.OK {
		return code, detail
	}
	// A table has one property, which is shown whatever is selected.
	if code, detail := x.readSelect(); code != entity.OK {
		return code, detail
	}
	x.rendering.Select = nil
	wanted, code, detail := filter.Parse(x.options.filter)
	if code != entity.OK {
		return code, detail
	}
	from := ""
	if x.options.nextTable != "" {
		var formed bool
		if from, formed = wire.ParseContinuation(x.options.nextTable); !formed {
			return entity.InvalidInput, "NextTableName is no continuation token of this service"
		}
		from = strings.ToLower(from)
	}
	for _, name := range x.handler.engine.TableNames(x.target.account) {
		if top == 0 {
			break
		}
		// The list is in the order of the names in lower case.
		if strings.ToLower(name) < from {
			continue
		}
		if x.options.filter != "" {
			// TableName is a property for the filter.
			x.packed = entity.Pack(x.packed[:0], 0, []entity.Property{{Name: "TableName", Value: entity.String(name)}})
			if !wanted.Keeps(entity.Key{}, x.packed) {
				continue
			}
		}
		if len(x.tables.names) == top {
			x.tables.next = name
			break
		}
		x.tables.names = append(x.tables.names, name)
	}
	return entity.OK, ""
}

// setRequest sets the verb and table of the engine's request. It copies the name, which the engine keeps.
func (x *exchange) setRequest(verb entity.Verb, table string) {
	x.asked.Verb = verb
	x.asked.Table = keep(&x.kept.table, table)
	x.asked.Change = &x.change
	x.rendering.Table = x.asked.Table
}
