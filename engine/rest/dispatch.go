package rest

import (
	"net/http"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// operation is an operation of the service.
type operation struct {
	// writes reports that the secondary rejects it, xml that its body and reply are XML.
	writes, xml bool
	// parts reports that each part of the body has its own format: Accept of the whole request does not
	// matter.
	parts bool
	// needs is what a shared access signature has to allow. update is the verb with a condition, upsert that
	// without.
	needs          rights
	update, upsert entity.Verb
	// prepare parses headers and body, and fills in the engine's request. Without a verb the engine is not
	// called.
	prepare func(*exchange) (entity.Code, string)
	// perform carries out an operation that is not the engine's, nil for none.
	perform func(*exchange) (entity.Code, string)
	// status is that of a success, and present makes the rest of its reply, nil for nothing.
	status  int
	present func(*exchange)
	// refuse makes a failure's reply in the operation's own form, and reports whether it did.
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

// resources is indexed by the kind of resource. The account itself has only components.
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

// component is a part of a resource named by query options.
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

// dispatch finds the operation of the method and the resource.
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
