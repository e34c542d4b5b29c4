package azure

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/wire"
	"loadgen/target"
)

// The slots of headers that differ between requests.
const (
	typeSlot = iota
	matchSlot
	preferSlot
	headerSlots
)

const (
	jsonType = "application/json"
	noEcho   = "return-no-content"
	// maxTop is the service's maximum $top.
	maxTop = 1000
)

// start begins a request; the path is appended to a.line next.
func (a *attempt) start(method string) {
	a.method = method
	a.line = append(append(a.line[:0], a.target.endpoint.segment...), '/')
	a.content = a.content[:0]
}

// write writes the request of an operation, or returns in one line why it cannot.
func (a *attempt) write(op *target.Operation) (fault string) {
	c := &op.Change
	a.timeout = int(op.Timeout / time.Second)
	switch op.Verb {
	case entity.Insert:
		a.start(http.MethodPost)
		a.line = wire.AppendQueryValue(a.line, op.Table)
		a.values[preferSlot] = noEcho
	case entity.Replace, entity.InsertOrReplace:
		a.start(http.MethodPut)
		a.line = wire.AppendEntityPath(a.line, op.Table, c.Key)
	case entity.Merge, entity.InsertOrMerge:
		a.start(http.MethodPatch)
		a.line = wire.AppendEntityPath(a.line, op.Table, c.Key)
	case entity.Delete:
		a.start(http.MethodDelete)
		a.line = wire.AppendEntityPath(a.line, op.Table, c.Key)
	case entity.Get:
		a.start(http.MethodGet)
		a.line = wire.AppendEntityPath(a.line, op.Table, c.Key)
		a.finish(op.Number, len(a.line))
		return ""
	case entity.Query:
		return a.writeQuery(op)
	case entity.Batch:
		return a.writeBatch(op)
	case entity.CreateTable:
		a.start(http.MethodPost)
		a.line = append(a.line, "Tables"...)
		a.values[typeSlot], a.values[preferSlot] = jsonType, noEcho
		a.content = wire.AppendTableName(a.content, op.Table)
		a.finish(op.Number, len(a.line))
		return ""
	case entity.DeleteTable:
		a.start(http.MethodDelete)
		a.line = wire.AppendTablePath(a.line, op.Table)
		a.finish(op.Number, len(a.line))
		return ""
	default:
		return "nothing sent: the verb fits no operation"
	}
	if fault := unsendable(c, op.Verb); fault != "" {
		return fault
	}
	a.values[matchSlot] = a.target.etags.condition(c.Match)
	if op.Verb != entity.Delete {
		a.values[typeSlot] = jsonType
		a.content = wire.AppendEntityBody(a.content, c.Key, c.Properties)
	}
	a.finish(op.Number, len(a.line))
	return ""
}

// unsendable returns why a change has no form on the wire, where only If-Match distinguishes an update from
// an upsert: the service would carry out another change, or reject it.
func unsendable(c *entity.Change, verb entity.Verb) (fault string) {
	if c.Verb != verb {
		return "nothing sent: the verb fits no operation"
	}
	switch conditional := !c.Match.IsNone(); verb {
	case entity.Replace, entity.Merge, entity.Delete:
		if !conditional {
			return fmt.Sprintf("nothing sent: a %v needs a condition", verb)
		}
	default:
		if conditional {
			return fmt.Sprintf("nothing sent: an %v takes no condition", verb)
		}
	}
	return ""
}

func (a *attempt) writeQuery(op *target.Operation) (fault string) {
	text, ok := "", true
	if q := &op.Query; q.Filter == nil {
		text, ok = q.Range.Text()
	} else {
		text = q.Filter.String()
		ok = len(text) <= filter.MaxText
	}
	if !ok {
		return "nothing sent: the query has no $filter"
	}
	a.start(http.MethodGet)
	a.line = append(wire.AppendQueryValue(a.line, op.Table), "()"...)
	path := len(a.line)
	a.option("$filter=", text)
	if len(op.Query.Select) > 0 {
		a.option("$select=", projection+strings.Join(op.Query.Select, ","))
	}
	if op.Query.Top > 0 {
		a.option("$top=", strconv.Itoa(min(op.Query.Top, maxTop)))
	}
	if token := &op.Query.Token; token.Present {
		a.option("NextPartitionKey=", token.NextPartitionKey)
		a.option("NextRowKey=", token.NextRowKey)
	}
	a.finish(op.Number, path)
	return ""
}

// projection begins every $select: without the keys the rows of a page are unknown. Entity tags are always
// there.
const projection = "PartitionKey,RowKey,"

func (a *attempt) writeBatch(op *target.Operation) (fault string) {
	for i := range op.Changes {
		if fault := unsendable(&op.Changes[i], op.Changes[i].Verb); fault != "" {
			return fmt.Sprintf("%s (write %d of the transaction)", fault, i)
		}
	}
	a.start(http.MethodPost)
	a.line = append(a.line, "$batch"...)
	// No line of JSON looks like a boundary.
	id := fmt.Sprintf("%016x-%x", op.Number, op.Attempt)
	a.values[typeSlot] = "multipart/mixed; boundary=batch_" + id
	base := wire.Base{URL: a.target.base, Account: a.target.endpoint.account}
	a.content = wire.AppendBatch(a.content, id, base, op.Table, op.Changes, a.target.etags.write)
	a.finish(op.Number, len(a.line))
	return ""
}

// option appends a parameter of the query string unless it is empty.
func (a *attempt) option(name, value string) {
	if value == "" {
		return
	}
	a.separate()
	a.line = wire.AppendQueryValue(append(a.line, name...), value)
}

// separate appends the separator before a parameter. Paths have no question mark, only escaped ones.
func (a *attempt) separate() {
	mark := byte('?')
	if slices.Contains(a.line, mark) {
		mark = '&'
	}
	a.line = append(a.line, mark)
}
