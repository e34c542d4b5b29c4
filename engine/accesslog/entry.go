package accesslog

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
)

// ErrLog is wrapped by every fault of a log.
var ErrLog = errors.New("accesslog: no log of a table service")

// Unknown stands for a number, or a length of time, that a line leaves empty.
const Unknown = -1

// Entry is one line of a log. Texts that a line does not have are empty, numbers
// [Unknown].
type Entry struct {
	// At is when the service had received the request.
	At entity.Ticks
	// Operation is the name of the REST operation, such as InsertEntity.
	Operation string
	// Status is what the service calls the outcome: Success, ThrottlingError, an error code.
	Status string
	// HTTP is the status code, 0 where the request was broken off.
	HTTP int
	// EndToEnd is how long the request took until its reply was acknowledged, Server what of
	// that the service worked.
	EndToEnd, Server time.Duration

	Authentication                 string
	Requester, Account, Service    string
	URL, ObjectKey, RequestID      string
	Index                          int64
	Address, Version               string
	RequestHeader, RequestPacket   int64
	ResponseHeader, ResponsePacket int64
	ContentLength                  int64
	RequestMD5, ServerMD5          string
	ETag, LastModified, Conditions string
	UserAgent, Referrer, ClientID  string

	// What resource logs alone have.
	Category, ResourceID, Location, Protocol, TLS, Schema, Metric string

	About
}

// About is what a request is about, as far as its line says.
type About struct {
	// Verb is what was asked for, 0 for what is no operation on a table or its entities.
	Verb  entity.Verb
	Table string
	// Key is that of the one entity, or the PartitionKey of a query in one partition.
	Key entity.Key
	// Keyed says that the PartitionKey is known, KeyedRow that the RowKey is.
	Keyed, KeyedRow bool
	// Class is how the documents rate a query, Shape its filter without constants, Filter
	// that with them, and Exact says that it keeps all that it reads. Top is the bound of a
	// page, 0 for none, and Further says that this is a page after the first.
	Class, Shape, Filter string
	Exact, Further       bool
	Top                  int64
	// Entities is how many a transaction wrote or a query read, where the line says so.
	Entities int64
}

// Outcome is what became of a request.
type Outcome uint8

// The outcomes: an answer, one of the service's ways to say not now, anything else.
const (
	Ok Outcome = iota
	Throttled
	Failed
)

// timeouts are the codes of requests that ended with 500 since the service took too long.
var timeouts = []string{"ServerTimeoutError", "OperationTimedOut"}

// Outcome returns what became of the request. A 404, 409 or 412 is an answer like another.
func (e *Entry) Outcome() Outcome {
	switch {
	case e.HTTP == http.StatusServiceUnavailable, e.HTTP == http.StatusTooManyRequests, e.HTTP == http.StatusGatewayTimeout:
		return Throttled
	case e.HTTP == http.StatusInternalServerError && slices.Contains(timeouts, trimAuth(e.Status)) && !e.ClientTimedOut():
		return Throttled
	case e.HTTP == http.StatusNotFound, e.HTTP == http.StatusConflict, e.HTTP == http.StatusPreconditionFailed:
		return Ok
	case e.HTTP == 0 || e.HTTP >= http.StatusBadRequest:
		return Failed
	}
	return Ok
}

// ClientTimedOut reports whether a request ended with 500 because the timeout that its client
// set was too short. The service was not busy. Resource logs name this cause in Metric.
func (e *Entry) ClientTimedOut() bool {
	return trimAuth(e.Status) == string(entity.ClientTimeoutError) || trimAuth(e.Metric) == string(entity.ClientTimeoutError)
}

// trimAuth returns a status without the prefix of requests that were not signed with an account
// key.
func trimAuth(status string) string {
	return strings.TrimPrefix(strings.TrimPrefix(status, "SAS"), "Anonymous")
}

// Billed reports whether the service bills the request as a transaction, see [entity.Billed].
func (e *Entry) Billed() bool {
	if e.ClientTimedOut() {
		return true
	}
	return entity.Billed(e.HTTP, entity.Code(e.Status))
}

// operations are the names of the Table service's operations that are about tables and
// entities, from the page on logged operations.
var operations = map[string]entity.Verb{
	"InsertEntity":           entity.Insert,
	"UpdateEntity":           entity.Replace,
	"MergeEntity":            entity.Merge,
	"InsertOrReplaceEntity":  entity.InsertOrReplace,
	"InsertOrMergeEntity":    entity.InsertOrMerge,
	"DeleteEntity":           entity.Delete,
	"QueryEntity":            entity.Get,
	"QueryEntities":          entity.Query,
	"EntityGroupTransaction": entity.Batch,
	"CreateTable":            entity.CreateTable,
	"DeleteTable":            entity.DeleteTable,
}

// OperationOf returns the name that logs have for a verb, empty for none.
func OperationOf(verb entity.Verb) string {
	for name, of := range operations {
		if of == verb {
			return name
		}
	}
	return ""
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
