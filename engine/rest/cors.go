package rest

import (
	"net/http"
	"strconv"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

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
