package rest

import (
	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// The operations on a table's stored access policies. They speak XML, and are
// for who has the account's key: no shared access signature lets anybody do
// them.
var (
	getPolicies = operation{xml: true, prepare: (*exchange).prepareGetPolicies, present: (*exchange).presentPolicies}
	setPolicies = operation{xml: true, writes: true, prepare: (*exchange).prepareSetPolicies,
		perform: (*exchange).setPolicies, present: (*exchange).presentNothing}
)

func (x *exchange) prepareGetPolicies() (entity.Code, string) {
	return x.checkTable()
}

// checkTable returns TableNotFound where the table is missing that the path
// names.
func (x *exchange) checkTable() (entity.Code, string) {
	if !x.handler.engine.HasTable(x.target.account, x.resource.Table) {
		return entity.TableNotFound, ""
	}
	return entity.OK, ""
}

func (x *exchange) presentPolicies() {
	x.status = 200
	x.output = wire.AppendPolicies(x.output, x.tenant.policies.get(x.resource.Table))
}

func (x *exchange) prepareSetPolicies() (entity.Code, string) {
	if code, detail := x.readXML(); code != entity.OK {
		return code, detail
	}
	var code entity.Code
	var detail string
	if x.policies, code, detail = wire.ParsePolicies(x.text()); code != entity.OK {
		return code, detail
	}
	return x.checkTable()
}

func (x *exchange) setPolicies() (entity.Code, string) {
	if !x.tenant.policies.put(x.resource.Table, x.policies) {
		return entity.InvalidInput, "there are too many tables with access policies"
	}
	return entity.OK, ""
}
