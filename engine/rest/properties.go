package rest

import (
	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// The operations on the account's service. Its settings are kept and shown; of
// them only the rules for web pages of other origins have an effect. Logging and
// metrics would go to places that are not served here.
var (
	getProperties = operation{xml: true, needs: rights{types: "s", any: "r"},
		prepare: (*exchange).prepareGetProperties, present: (*exchange).presentProperties}
	setProperties = operation{xml: true, writes: true, needs: rights{types: "s", any: "w"},
		prepare: (*exchange).prepareSetProperties, perform: (*exchange).setProperties, present: (*exchange).presentAccepted}
	getStatistics = operation{xml: true, needs: rights{types: "s", any: "r"},
		prepare: (*exchange).prepareGetStatistics, present: (*exchange).presentStatistics}
)

func (x *exchange) prepareGetProperties() (entity.Code, string) { return entity.OK, "" }

func (x *exchange) presentProperties() {
	x.status = 200
	x.output = wire.AppendProperties(x.output, x.tenant.properties.Load())
}

func (x *exchange) prepareSetProperties() (entity.Code, string) {
	if code, detail := x.readXML(); code != entity.OK {
		return code, detail
	}
	var code entity.Code
	var detail string
	x.settings, code, detail = wire.ParseProperties(x.text())
	return code, detail
}

func (x *exchange) setProperties() (entity.Code, string) {
	x.tenant.set(&x.settings)
	return entity.OK, ""
}

func (x *exchange) presentAccepted() { x.status = 202 }

// prepareGetStatistics refuses to tell on the primary, which does not know.
func (x *exchange) prepareGetStatistics() (entity.Code, string) {
	if !x.target.secondary {
		return entity.InvalidQueryParameterValue, "only the secondary has statistics"
	}
	return entity.OK, ""
}

// presentStatistics tells that the secondary is as new as the primary: it is the
// same.
func (x *exchange) presentStatistics() {
	x.status = 200
	x.output = wire.AppendStatistics(x.output, x.handler.calendar.header(x.released)[0])
}
