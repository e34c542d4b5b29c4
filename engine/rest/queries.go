package rest

import (
	"slices"
	"strings"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/wire"
)

// queryEntities reads one page of a table.
var queryEntities = operation{status: 200, needs: verbRights[entity.Query],
	prepare: (*exchange).prepareQuery,
	present: func(x *exchange) {
		x.output = x.rendering.AppendPageStart(x.output)
		for i := range x.reply.Rows {
			from := len(x.output)
			row := &x.reply.Rows[i]
			x.output = x.rendering.AppendRow(x.output, i == 0, row.Key, row.Entity)
			if i == 0 {
				// Memory for all rows, estimated by the first: growing it with the page would copy it
				// repeatedly. At most what is kept for the next page.
				stored := 0
				for j := range x.reply.Rows {
					stored += len(x.reply.Rows[j].Entity)
				}
				const slack = 16 // its inverse share
				likely := stored / max(1, len(row.Entity)) * (len(x.output) - from)
				x.output = slices.Grow(x.output, min(likely+likely/slack, maxKept-maxKept/slack))
			}
		}
		x.output = x.rendering.AppendPageEnd(x.output)
		if !x.reply.More {
			return
		}
		x.headers.text = wire.AppendContinuation(x.headers.text, x.reply.Next.Partition)
		x.headers.close(nextPartitionHeader)
		x.headers.text = wire.AppendContinuation(x.headers.text, x.reply.Next.Row)
		x.headers.close(nextRowHeader)
	}}

// maxTop and maxSelected limit the options of a query: a page, and the properties of an entity with those of
// the system.
const (
	maxTop      = 1000
	maxSelected = entity.MaxProperties + 3
)

func (x *exchange) prepareQuery() (entity.Code, string) {
	top, code, detail := x.top()
	if code != entity.OK {
		return code, detail
	}
	wanted, code, detail := filter.Parse(x.options.filter)
	if code != entity.OK {
		return code, detail
	}
	if code, detail := x.readSelect(); code != entity.OK {
		return code, detail
	}
	query := engine.Query{Range: wanted.Range(), Top: top}
	if x.access.given != nil {
		r := query.Range
		within := x.access.within
		r = r.StartingAt(within.From)
		if within.Bounded && (!r.Bounded || within.To.Compare(r.To) < 0) {
			r.To, r.Bounded = within.To, true
		}
		query.Range = r
	}
	if !wanted.Exact() {
		query.Keep = wanted.Keeps
	}
	// An empty token is none: clients send what they found, were it nothing.
	if x.options.nextPartition != "" {
		var from entity.Key
		var formed bool
		if from.Partition, formed = wire.ParseContinuation(x.options.nextPartition); !formed {
			return entity.InvalidInput, "NextPartitionKey is no continuation token of this service"
		}
		if from.Row, formed = wire.ParseContinuation(x.options.next); !formed && x.options.next != "" {
			return entity.InvalidInput, "NextRowKey is no continuation token of this service"
		}
		query.Range = query.Range.StartingAt(from)
	} else if x.options.next != "" {
		return entity.InvalidInput, "NextRowKey comes without NextPartitionKey"
	}
	if top == 0 {
		// Nothing is wanted, and there is no more of that.
		query.Range.To, query.Range.Bounded = query.Range.From, true
	}
	// The engine keeps PartitionKeys with limits, of a range the first one.
	query.Range.From.Partition = keep(&x.kept.partition, query.Range.From.Partition)
	x.wanted = wanted
	x.setRequest(entity.Query, x.resource.Table)
	x.asked.Query = query
	return entity.OK, ""
}

// top reads $top, the greatest number of rows in the page.
func (x *exchange) top() (int, entity.Code, string) {
	if !x.options.has(optionTop) {
		return maxTop, entity.OK, ""
	}
	top, ok := smallNumber(x.options.top)
	if !ok || top > maxTop {
		return 0, entity.InvalidInput, "$top has to be 0 to 1000"
	}
	return top, entity.OK, ""
}

// readSelect reads $select, the names of the properties to show.
func (x *exchange) readSelect() (entity.Code, string) {
	if x.options.selected == "" {
		return entity.OK, ""
	}
	names := make([]string, 0, strings.Count(x.options.selected, ",")+1)
	for name := range strings.SplitSeq(x.options.selected, ",") {
		switch name = strings.TrimSpace(name); name {
		case "*":
			return entity.OK, ""
		case "":
		default:
			names = append(names, name)
		}
	}
	if len(names) > maxSelected {
		return entity.InvalidInput, "$select has more names than an entity has properties"
	}
	if len(names) > 0 {
		x.rendering.Select = names
	}
	return entity.OK, ""
}
