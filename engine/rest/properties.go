package rest

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// The operations on the account's service. Settings are kept and shown; only CORS rules have an effect.
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
		// Missing settings keep their values. The engine stores the settings before they apply.
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

// The operations on a table's stored access policies, in XML. They require the account's key: no shared access
// signature allows them.
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
				return entity.InvalidInput, "too many tables have access policies"
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

// tenant is one account that the handler serves: its key and its settings. It
// is safe for concurrent use.
type tenant struct {
	name   string
	secret *wire.Secret
	// properties is what the service of the account is set to. It is replaced as
	// a whole, and what it points to never altered.
	properties atomic.Pointer[wire.ServiceProperties]
	// setting is held while new properties are made of old ones.
	setting  sync.Mutex
	policies policies
}

// policies are the stored access policies of an account's tables.
type policies struct {
	mu sync.RWMutex
	// of is keyed by the name in lower case. A list that is here is never
	// altered.
	of map[string][]wire.SignedIdentifier
}

// maxTables bounds for how many tables there are policies, mostly to bound what
// tables leave behind that were deleted without the handler's knowledge.
const maxTables = 1 << 16

func (p *policies) get(table string) []wire.SignedIdentifier {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.of[strings.ToLower(table)]
}

// put replaces the policies of a table; it is false where there would be too
// many tables that have some.
func (p *policies) put(table string, all []wire.SignedIdentifier) bool {
	table = strings.ToLower(table)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(all) == 0 {
		delete(p.of, table)
		return true
	}
	if _, known := p.of[table]; !known && len(p.of) >= maxTables {
		return false
	}
	// The table's name may be a view into what a request lies in.
	p.of[strings.Clone(table)] = all
	return true
}

// The headers of CORS.
const (
	originHeader           = "Origin"
	varyHeader             = "Vary"
	requestMethodHeader    = "Access-Control-Request-Method"
	requestHeadersHeader   = "Access-Control-Request-Headers"
	allowOriginHeader      = "Access-Control-Allow-Origin"
	allowMethodsHeader     = "Access-Control-Allow-Methods"
	allowHeadersHeader     = "Access-Control-Allow-Headers"
	allowCredentialsHeader = "Access-Control-Allow-Credentials"
	exposeHeadersHeader    = "Access-Control-Expose-Headers"
	maxAgeHeader           = "Access-Control-Max-Age"
)

// preflight answers a browser's preflight request, which is never signed.
var preflight = operation{status: 200, present: func(x *exchange) {
	x.headers.add(allowOriginHeader, headerOf(x.request, originHeader))
	x.headers.add(allowMethodsHeader, headerOf(x.request, requestMethodHeader))
	if headers := headerOf(x.request, requestHeadersHeader); headers != "" {
		x.headers.add(allowHeadersHeader, headers)
	}
	x.headers.text = strconv.AppendInt(x.headers.text, int64(x.rule.MaxAge), 10)
	x.headers.close(maxAgeHeader)
	x.headers.add(allowCredentialsHeader, "true")
}}

func (x *exchange) preparePreflight() (entity.Code, string) {
	origin, method := headerOf(x.request, originHeader), headerOf(x.request, requestMethodHeader)
	headers := headerOf(x.request, requestHeadersHeader)
	if origin == "" || method == "" {
		return entity.InvalidHeaderValue, "a preflight needs Origin and Access-Control-Request-Method"
	}
	if !headerText(origin, maxHeaderBytes) || !headerText(method, maxHeaderBytes) || !headerText(headers, maxHeaderBytes) {
		return entity.InvalidHeaderValue, "a preflight's headers are visible ASCII"
	}
	if x.tenant != nil {
		x.rule = wire.FindCORSRule(x.tenant.properties.Load().Cors, origin, method, headers)
	}
	if x.rule == nil {
		return entity.CorsPreflightFailure, ""
	}
	x.operation = &preflight
	return entity.OK, ""
}

// addCORS adds the headers that allow a page of another origin to read the reply, success or failure. The
// request was carried out in any case.
func (x *exchange) addCORS() {
	if x.tenant == nil || x.request.Method == http.MethodOptions {
		return
	}
	rules := x.tenant.properties.Load().Cors
	if len(rules) == 0 {
		return
	}
	origin := headerOf(x.request, originHeader)
	if origin == "" && x.request.Method != http.MethodGet && x.request.Method != http.MethodHead {
		return
	}
	// A cache may show a reply without an origin to a page: a rule for any origin also applies to it, and
	// otherwise Vary says that the reply depends on the origin.
	rule := wire.FindCORSRule(rules, origin, x.request.Method, "")
	switch {
	case rule == nil || !headerText(origin, maxHeaderBytes):
		x.headers.add(varyHeader, originHeader)
		return
	case rule.ForAnyOrigin():
		x.headers.add(allowOriginHeader, "*")
	default:
		x.headers.add(allowOriginHeader, origin)
		x.headers.add(varyHeader, originHeader)
		x.headers.add(allowCredentialsHeader, "true")
	}
	for i, name := range rule.Exposed {
		if i > 0 {
			x.headers.text = append(x.headers.text, ',')
		}
		x.headers.text = append(x.headers.text, name...)
	}
	if len(rule.Exposed) > 0 {
		x.headers.close(exposeHeadersHeader)
	}
}
