package azure

import (
	"fmt"
	"net/http"
	"strconv"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/target"
)

// The headers that differ between requests have a slot each.
const (
	dateSlot = iota
	nameSlot
	proofSlot
	typeSlot
	matchSlot
	preferSlot
	headerSlots
)

// slotNames are the headers of the slots, in the spelling of the service's
// documents.
var slotNames = [headerSlots]string{
	"x-ms-date", "x-ms-client-request-id", "Authorization", "Content-Type", "If-Match", "Prefer",
}

const (
	jsonType = "application/json"
	noEcho   = "return-no-content"
	// mostTop is the greatest page that the service gives; it refuses a greater
	// $top.
	mostTop = 1000
)

// identity says that a body goes out as it is. net/http then neither looks how
// long the body is nor says so, and sends nothing of an empty one. What it is
// for: a request that has a body which cannot be had again is one that net/http
// never sends twice, and all of ours have one, a GET's being empty. Otherwise it
// would, unseen, send a GET again whose connection was closed by the service.
var identity = []string{"identity"}

// fixedHeaders returns the headers that all requests have.
func (t *Target) fixedHeaders() http.Header {
	headers := http.Header{
		"Accept":                {"application/json;odata=minimalmetadata"},
		"DataServiceVersion":    {"3.0;"},
		"MaxDataServiceVersion": {"3.0;NetFx"},
		"User-Agent":            {"loadgen"},
		"x-ms-version":          {"2019-02-02"},
	}
	if t.askCounted {
		headers[wire.AskHeader] = []string{wire.AskCounted}
	}
	return headers
}

// start begins a request; the path is appended to a.line next.
func (a *attempt) start(method string) {
	a.request.Method = method
	a.line = append(append(a.line[:0], a.target.endpoint.segment...), '/')
	a.content = a.content[:0]
	a.values = [headerSlots]string{}
	a.got = 0
	a.wrote.Store(false)
}

// write makes the request of an operation, or says in one line why there is
// none.
func (a *attempt) write(op *target.Operation) (fault string) {
	c := &op.Change
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
	case entity.CreateTable, entity.DeleteTable:
		a.writeTable(op)
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

// unsendable says why a change cannot be told on the wire, where the presence
// of If-Match alone tells an update from an upsert: the service would carry out
// another one, or refuse the form.
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
	text, ok := op.Query.Range.Text()
	if !ok {
		return "nothing sent: no $filter says that range of keys"
	}
	a.start(http.MethodGet)
	a.line = append(wire.AppendQueryValue(a.line, op.Table), "()"...)
	path := len(a.line)
	a.option("$filter=", text)
	if op.Query.Top > 0 {
		a.option("$top=", strconv.Itoa(min(op.Query.Top, mostTop)))
	}
	if token := &op.Query.Token; token.Present {
		a.option("NextPartitionKey=", token.NextPartitionKey)
		a.option("NextRowKey=", token.NextRowKey)
	}
	a.finish(op.Number, path)
	return ""
}

func (a *attempt) writeBatch(op *target.Operation) (fault string) {
	for i := range op.Changes {
		if fault := unsendable(&op.Changes[i], op.Changes[i].Verb); fault != "" {
			return fmt.Sprintf("%s (write %d of the transaction)", fault, i)
		}
	}
	a.start(http.MethodPost)
	a.line = append(a.line, "$batch"...)
	// No line of JSON can look like a boundary, whatever this is.
	id := fmt.Sprintf("%016x-%x", op.Number, op.Attempt)
	a.values[typeSlot] = "multipart/mixed; boundary=batch_" + id
	base := wire.Base{URL: a.target.base, Account: a.target.endpoint.account}
	a.content = wire.AppendBatch(a.content, id, base, op.Table, op.Changes, a.target.etags.write)
	a.finish(op.Number, len(a.line))
	return ""
}

func (a *attempt) writeTable(op *target.Operation) {
	if op.Verb == entity.DeleteTable {
		a.start(http.MethodDelete)
		a.line = wire.AppendTablePath(a.line, op.Table)
	} else {
		a.start(http.MethodPost)
		a.line = append(a.line, "Tables"...)
		a.values[typeSlot], a.values[preferSlot] = jsonType, noEcho
		a.content = wire.AppendTableName(a.content, op.Table)
	}
	a.finish(op.Number, len(a.line))
}

// option appends a parameter of the query string; an empty one is left out.
func (a *attempt) option(name, value string) {
	if value == "" {
		return
	}
	a.separate()
	a.line = wire.AppendQueryValue(append(a.line, name...), value)
}

// separate appends what comes before a parameter. A question mark in a path
// would be escaped.
func (a *attempt) separate() {
	for _, c := range a.line {
		if c == '?' {
			a.line = append(a.line, '&')
			return
		}
	}
	a.line = append(a.line, '?')
}

// finish signs the request and fills in what depends on the whole of it. path is
// how much of a.line is the path.
func (a *attempt) finish(number uint64, path int) {
	t := a.target
	secret, signature := t.endpoint.prove()
	if signature != nil {
		a.separate()
		a.line = append(a.line, signature.query...)
	}
	// As an opaque part, the request target goes out byte for byte as it is
	// signed here.
	a.url.Opaque = string(a.line)
	a.values[dateSlot] = t.dates.at(t.clock.Now())
	a.proof = strconv.AppendUint(append(append(a.proof[:0], t.runID...), '-'), number, 10)
	a.values[nameSlot] = string(a.proof)
	if secret != nil {
		a.proof = secret.AppendAuthorization(a.proof[:0], t.scheme, &wire.Signable{
			Method: a.request.Method, ContentType: a.values[typeSlot], Date: a.values[dateSlot],
			Account: t.endpoint.account, Path: a.url.Opaque[:path],
		})
		a.values[proofSlot] = string(a.proof)
	}
	for i, name := range slotNames {
		if a.values[i] == "" {
			delete(a.headers, name)
		} else {
			a.headers[name] = a.values[i : i+1 : i+1]
		}
	}
	a.body.Reset(a.content)
	a.request.ContentLength = int64(len(a.content))
	a.request.TransferEncoding = nil
	if len(a.content) == 0 {
		a.request.TransferEncoding = identity
	}
}
