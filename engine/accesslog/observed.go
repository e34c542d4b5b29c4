package accesslog

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// Unknown is a number, or a length of time, that a line leaves empty.
const Unknown = -1

// Observed is one request as the service saw it: what was asked for, and the outcome. The handler of this
// module's service fills it, and so does a line of a log as far as it goes.
type Observed struct {
	// At is when the service had received the request, by a line of a log. Arrived is the same since the
	// start of what is observed.
	At      entity.Ticks
	Arrived clock.Instant
	// EndToEnd is how long the request took until its reply was acknowledged or written, Server until the
	// reply was ready, or [Unknown].
	EndToEnd, Server time.Duration

	// Verb is what was asked for; 0 for what is no operation on a table or its entities, and for what was
	// turned away before it could be one. Operation is what a log calls it.
	Verb      entity.Verb
	Operation string
	Table     string
	// PartitionKey is that of the one partition that the request is about, if HasPartition.
	PartitionKey string
	HasPartition bool
	// RowKey is that of an operation on one entity, and of a transaction's first change. HasRow says that a
	// line of a log has it.
	RowKey string
	HasRow bool
	// Inserts says that the operation, or the transaction's first change, may create its entity.
	Inserts bool
	// Class is the name of a query's class, Shape its filter without constants, Filter that with them. Exact
	// says that the filter keeps all that it reads. Top is the bound of a page, 0 for none, and Further
	// says that this is a page after the first. The service's handler fills Class and Shape alone.
	Class, Shape, Filter string
	Exact, Further       bool
	Top                  int64

	// Injected is the name of the planned fault that the request met, empty for none.
	Injected string
	// Status is that of the reply; 0 if it was lost or the sender had gone. A transaction that failed has 202.
	Status int
	// Code is the outcome of the operation, even if its reply was lost: OK, or an error.
	Code entity.Code
	// Crowded says that the refusal is for want of room for the body: it is no code of the model, and
	// counts as failed. AccountBusy says that a refusal is for the account, not for a partition.
	Crowded, AccountBusy bool
	// Counted is how many entities the service counted, Returned how many of them the reply has. Asked is
	// how many a write counts if it is carried out; of a log, how many a transaction or a query is about,
	// or [Unknown].
	Counted, Returned, Asked int64
	// Spans says where a query counted them, in the order of the index.
	Spans []Span

	// ClientRequestID is the identifier that the client gave, which attempts at one operation share.
	ClientRequestID string
	RequestID, ETag string
	// RequestBytes and ResponseBytes are the sizes of the bodies.
	RequestBytes, ResponseBytes int64
	// Request is what the service's handler received, without its body; nil in a log.
	Request *http.Request
}

// Span is how many entities a query counted in one partition.
type Span struct {
	PartitionKey string
	Counted      int64
}

// Key returns the keys of the entity.
func (o *Observed) Key() entity.Key {
	return entity.Key{Partition: o.PartitionKey, Row: o.RowKey}
}

// EndTime returns when the reply was acknowledged or written.
func (o *Observed) EndTime() clock.Instant { return o.Arrived.Add(max(0, o.EndToEnd)) }

// FinalStatus returns the HTTP status of the operation: a transaction that failed is answered with 202 and
// the error inside.
func (o *Observed) FinalStatus() int {
	if o.Status == 0 || o.Code != entity.OK && o.Status < http.StatusBadRequest {
		return o.Code.Status()
	}
	return o.Status
}

// Outcome is the outcome of a request, with the values of results.Class.
type Outcome uint8

// The outcomes: an answer, a refusal since the service was busy, anything else.
const (
	Ok Outcome = iota + 1
	Throttled
	Failed
)

// Outcome returns the outcome of the request. A 404, 409 or 412 is an answer: an application that looks
// whether an entity exists, or creates a table that may be there, expects it.
func (o *Observed) Outcome() Outcome {
	switch status := o.FinalStatus(); {
	case o.Status == 0 || o.Crowded:
		return Failed
	case status == http.StatusServiceUnavailable, status == http.StatusTooManyRequests, status == http.StatusGatewayTimeout,
		o.Code == entity.OperationTimedOut:
		return Throttled
	case status < http.StatusBadRequest, status == http.StatusNotFound, status == http.StatusConflict, status == http.StatusPreconditionFailed:
		return Ok
	}
	return Failed
}

// Billed reports whether the service bills the request as a transaction, see [entity.Billed].
func (o *Observed) Billed() bool { return entity.Billed(o.FinalStatus(), o.Code) }

// operations are the operations on tables and entities by their names: that of the page on logged
// operations, which is the only one in a log of the service, and others that own logs have, in lower case:
// ours, the HTTP methods, and those of the SDKs.
var operations = []struct {
	verb            entity.Verb
	logged, aliases string
}{
	{entity.Insert, "InsertEntity", "post create add createentity addentity"},
	{entity.Replace, "UpdateEntity", "update replaceentity"},
	{entity.Merge, "MergeEntity", "patch patchentity"},
	{entity.InsertOrReplace, "InsertOrReplaceEntity", "put upsert upsertentity putentity"},
	{entity.InsertOrMerge, "InsertOrMergeEntity", ""},
	{entity.Delete, "DeleteEntity", "remove removeentity"},
	{entity.Get, "QueryEntity", "read retrieve getentity getentityifexists retrieveentity"},
	{entity.Query, "QueryEntities", "scan list listentities executequery executequerysegmented newlistentitiespager"},
	{entity.Batch, "EntityGroupTransaction", "transaction submittransaction executebatch"},
	{entity.CreateTable, "CreateTable", "createtableifnotexists"},
	{entity.DeleteTable, "DeleteTable", "deletetableifexists"},
}

// OperationOf returns the name that logs have for a verb, empty for none.
func OperationOf(verb entity.Verb) string {
	for i := range operations {
		if operations[i].verb == verb {
			return operations[i].logged
		}
	}
	return ""
}

// verbs are the operations by their names: those of the service's logs, and in lower case all.
var verbs = sync.OnceValue(func() map[string]entity.Verb {
	byName := make(map[string]entity.Verb)
	for _, one := range operations {
		byName[one.logged] = one.verb
		own := strings.ReplaceAll(one.verb.String(), "-", "")
		for _, alias := range slices.Concat([]string{strings.ToLower(one.logged), own}, strings.Fields(one.aliases)) {
			byName[alias] = one.verb
		}
	}
	return byName
})

// plainOperation returns the verb that a log of one's own names in any case, 0 for none. The GET of one
// entity has a RowKey.
func plainOperation(name string, hasRow bool) entity.Verb {
	if name == http.MethodGet && !hasRow {
		return entity.Query
	}
	return verbs()[strings.TrimSuffix(strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(name)), "async")]
}

// CategoryOf returns the category of resource logs that an operation belongs to.
func CategoryOf(verb entity.Verb) string {
	switch verb {
	case entity.Get, entity.Query, 0:
		return "StorageRead"
	case entity.Delete, entity.DeleteTable:
		return "StorageDelete"
	default:
		return "StorageWrite"
	}
}
