package rest

import (
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// The operations on the account's service. Its settings are kept and shown; of
// them only the rules for web pages of other origins have an effect. Logging and
// metrics would go to places that are not served here.
var (
	getProperties = operation{status: 200, xml: true, needs: rights{types: "s", any: "r"},
		prepare: func(*exchange) (entity.Code, string) { return entity.OK, "" },
		present: func(x *exchange) {
			x.output = wire.AppendServiceProperties(x.output, x.tenant.properties.Load())
		}}
	setProperties = operation{status: 202, xml: true, writes: true, needs: rights{types: "s", any: "w"},
		prepare: func(x *exchange) (code entity.Code, detail string) {
			if code, detail = x.readXML(); code == entity.OK {
				x.settings, code, detail = wire.ParseServiceProperties(x.text())
			}
			return code, detail
		},
		// What is given changes, what is left out is kept. It is kept before it counts.
		perform: func(x *exchange) (entity.Code, string) {
			t, given := x.tenant, &x.settings
			t.setting.Lock()
			defer t.setting.Unlock()
			merged := *t.properties.Load()
			if given.Logging != nil {
				merged.Logging = given.Logging
			}
			if given.HourMetrics != nil {
				merged.HourMetrics = given.HourMetrics
			}
			if given.MinuteMetrics != nil {
				merged.MinuteMetrics = given.MinuteMetrics
			}
			if given.HasCors {
				merged.Cors = given.Cors
			}
			code := x.handler.engine.SetNote(x.target.account, "", wire.AppendServiceProperties(nil, &merged))
			if code == entity.OK {
				t.properties.Store(&merged)
			}
			return code, ""
		}}
	getStatistics = operation{status: 200, xml: true, needs: rights{types: "s", any: "r"},
		prepare: func(x *exchange) (entity.Code, string) {
			if !x.target.secondary {
				return entity.InvalidQueryParameterValue, "only the secondary has statistics"
			}
			return entity.OK, ""
		},
		present: func(x *exchange) {
			// The secondary is as new as the primary: it is the same.
			x.output = wire.AppendStatistics(x.output, x.handler.calendar.header(x.released))
		}}
)

// The operations on a table's stored access policies. They speak XML, and are
// for who has the account's key: no shared access signature lets anybody do
// them.
var (
	getPolicies = operation{status: 200, xml: true, prepare: (*exchange).checkTable,
		present: func(x *exchange) {
			x.output = wire.AppendPolicies(x.output, x.tenant.policies.get(x.resource.Table))
		}}
	setPolicies = operation{status: 204, xml: true, writes: true,
		prepare: func(x *exchange) (code entity.Code, detail string) {
			if code, detail = x.readXML(); code != entity.OK {
				return code, detail
			}
			if x.policies, code, detail = wire.ParsePolicies(x.text()); code != entity.OK {
				return code, detail
			}
			return x.checkTable()
		},
		perform: func(x *exchange) (entity.Code, string) {
			var note []byte
			if len(x.policies) > 0 {
				note = wire.AppendPolicies(nil, x.policies)
			}
			if code := x.handler.engine.SetNote(x.target.account, strings.Clone(x.resource.Table), note); code != entity.OK {
				return code, ""
			}
			if !x.tenant.policies.put(x.resource.Table, x.policies) {
				return entity.InvalidInput, "there are too many tables with access policies"
			}
			return entity.OK, ""
		}}
)

// checkTable returns TableNotFound where the table is missing that the path
// names.
func (x *exchange) checkTable() (entity.Code, string) {
	if !x.handler.engine.HasTable(x.target.account, x.resource.Table) {
		return entity.TableNotFound, ""
	}
	return entity.OK, ""
}
