package rest

import (
	"net/http"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// operation is one of the things that can be asked of the service.
type operation struct {
	// writes says that the secondary does not take it, xml that it speaks XML
	// rather than JSON.
	writes, xml bool
	// parts says that each part of the body names the format of its answer: what the
	// request as a whole accepts does not matter.
	parts bool
	// needs is what a shared access signature has to allow. Where upsert is a
	// verb, that is what the request does without a condition, and update with one.
	needs          rights
	update, upsert entity.Verb
	// prepare reads what the request says beyond its target, and fills in what
	// the engine is asked. An operation that leaves the verb empty is
	// not the engine's.
	prepare func(*exchange) (entity.Code, string)
	// perform does what one that is not the engine's is there to do, nil for
	// nothing but to look.
	perform func(*exchange) (entity.Code, string)
	// status is that of the reply to one that was carried out, and present makes the rest
	// of it, nil for nothing.
	status  int
	present func(*exchange)
	// refuse makes the reply to one that was not, where that takes a form of its
	// own, and reports whether it did.
	refuse func(*exchange) bool
}

// methods are the operations on a kind of resource.
type methods struct {
	// allow is the header of a reply to any other method.
	allow string
	of    []method
}

type method struct {
	name string
	does *operation
}

// resources is indexed by the kind of resource. The account itself has nothing
// but components.
var resources = [...]methods{
	wire.ServiceResource: {},
	wire.TablesResource: {"GET, POST", []method{
		{http.MethodGet, &queryTables}, {http.MethodPost, &createTable}}},
	wire.TableResource: {"DELETE, GET", []method{
		{http.MethodGet, &getTable}, {http.MethodDelete, &deleteTable}}},
	wire.EntitySetResource: {"GET, POST", []method{
		{http.MethodPost, &insertEntity}, {http.MethodGet, &queryEntities}}},
	wire.EntityResource: {"DELETE, GET, MERGE, PATCH, PUT", []method{
		{http.MethodGet, &getEntity}, {http.MethodPut, &replaceEntity}, {methodMerge, &mergeEntity},
		{http.MethodPatch, &mergeEntity}, {http.MethodDelete, &deleteEntity}}},
	wire.BatchResource: {"POST", []method{{http.MethodPost, &transact}}},
}

// component is a part of a resource, as the options of a query string name it.
type component struct {
	of            wire.ResourceKind
	restype, comp string
}

var components = map[component]methods{
	{wire.EntitySetResource, "", "acl"}: {"GET, HEAD, PUT", []method{
		{http.MethodGet, &getPolicies}, {http.MethodHead, &getPolicies}, {http.MethodPut, &setPolicies}}},
	{wire.ServiceResource, "service", "properties"}: {"GET, PUT", []method{
		{http.MethodGet, &getProperties}, {http.MethodPut, &setProperties}}},
	{wire.ServiceResource, "service", "stats"}: {"GET", []method{{http.MethodGet, &getStatistics}}},
}

// dispatch finds the operation that the method and the resource stand for.
func (x *exchange) dispatch() (entity.Code, string) {
	var code entity.Code
	var detail string
	if x.resource, code, detail = wire.ParseResource(x.target.resource); code != entity.OK {
		return code, detail
	}
	all, known := resources[x.resource.Kind], true
	if x.options.has(optionComp | optionRestype) {
		all, known = components[component{x.resource.Kind, x.options.restype, x.options.comp}]
	}
	if !known {
		return entity.InvalidQueryParameterValue, "the resource has no such component"
	}
	for _, m := range all.of {
		if m.name == x.method {
			x.operation = m.does
		}
	}
	if x.operation == nil {
		x.headers.add("Allow", all.allow)
		return entity.MethodNotAllowed, ""
	}
	if x.operation.writes && x.target.secondary {
		return entity.AuthorizationFailure, secondaryWrite
	}
	return entity.OK, ""
}

const secondaryWrite = "the secondary is read-only"
