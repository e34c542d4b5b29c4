package rest

import (
	"net/http"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// understand finds out what the request asks for, as far as that can be seen
// without looking into a table. The code is OK, or else that of the error reply.
func (x *exchange) understand() (entity.Code, string) {
	r := x.request
	x.method = r.Method
	// How to answer comes first: it goes for every error reply as well. Their
	// format is JSON until the options say something else.
	var acceptable bool
	accept := headerOf(r, "Accept")
	x.level, acceptable = wire.ParseLevel(accept)
	x.xml = !acceptsJSON(accept)

	var formed bool
	if x.target, formed = parseTarget(r, x.handler.tenants); !formed {
		return entity.InvalidURI, "the request target is no path"
	}
	if x.tenant = x.handler.tenants[x.target.account]; x.tenant != nil {
		x.target.account = x.tenant.name // which lasts longer than the request
	}
	if r.Host == "" {
		return hostInformationNotPresent, "a request needs a Host"
	}
	if code, detail := x.options.parse(x.target.query); code != entity.OK {
		return code, detail
	}
	if x.options.has(optionFormat) {
		x.level, acceptable = wire.ParseLevel(x.options.format)
		x.xml = !acceptsJSON(x.options.format)
	}
	if r.Method == http.MethodOptions {
		return x.preparePreflight()
	}
	for _, check := range checks {
		if code, detail := check(x); code != entity.OK {
			return code, detail
		}
	}
	// From here on the operation decides, for its errors as well.
	if x.operation.parts {
		x.level, acceptable = wire.MinimalMetadata, true
	}
	if x.xml = x.operation.xml; !x.xml && !acceptable {
		x.xml = true
		return entity.AtomFormatNotSupported, ""
	}
	x.rendering.Level = x.level
	x.rendering.Base = wire.Base{URL: x.base.begin(r.TLS != nil, r.Host, x.target.segment), Account: x.target.account}
	x.asked.Account = x.target.account
	x.asked.Number = x.number
	if code, detail := x.operation.prepare(x); code != entity.OK {
		return code, detail
	}
	return x.permitKeys()
}

// checks are what every request has to pass, in their order.
var checks = [...]func(*exchange) (entity.Code, string){(*exchange).authenticate, (*exchange).checkHeaders, (*exchange).dispatch, (*exchange).permit}

// hostInformationNotPresent is for what only HTTP/1.0 lets come without a host.
const hostInformationNotPresent entity.Code = "HostInformationNotPresent"

// acceptsJSON reports whether an Accept header, or a format, names JSON.
func acceptsJSON(accept string) bool { return strings.Contains(strings.ToLower(accept), "json") }

// checkHeaders checks the headers and options that any operation may have, and
// finds out the method.
func (x *exchange) checkHeaders() (entity.Code, string) {
	if version := headerOf(x.request, versionHeader); version != "" && !wire.IsServiceVersion(version) {
		return entity.InvalidHeaderValue, "x-ms-version has to be a date, yyyy-mm-dd"
	}
	if x.options.unsupported != "" {
		return entity.NotImplemented, "the query option " + x.options.unsupported + " is not supported"
	}
	if x.options.has(optionTimeout) {
		seconds, ok := smallNumber(x.options.timeout)
		if !ok {
			return entity.InvalidQueryParameterValue, "timeout has to be a number of seconds"
		}
		// The engine waits for as long as the service does at most.
		x.asked.Timeout = time.Duration(seconds) * time.Second
	}
	// With X-HTTP-Method clients send what their network lets through as a POST only.
	override := x.request.Header["X-Http-Method"]
	switch {
	case len(override) == 0:
		return entity.OK, ""
	case x.request.Method != http.MethodPost:
		return entity.MethodOverrideNotPost, ""
	case len(override) > 1:
		return entity.MethodOverrideIncorrectCount, ""
	}
	switch override[0] {
	case methodMerge, http.MethodPatch, http.MethodPut, http.MethodDelete:
		x.method = override[0]
		return entity.OK, ""
	}
	return entity.MethodOverrideIncorrectValue, ""
}

const methodMerge = "MERGE"

// prefersNothing reports whether the sender of an insert wants no body in
// return: what the first of its preferences says that is about that.
func (x *exchange) prefersNothing() bool {
	for _, header := range x.request.Header["Prefer"] {
		for preference := range strings.SplitSeq(header, ",") {
			preference, _, _ = strings.Cut(preference, ";")
			preference = strings.TrimSpace(preference)
			if nothing := strings.EqualFold(preference, preferNothing); nothing || strings.EqualFold(preference, preferContent) {
				return nothing
			}
		}
	}
	return false
}

const (
	preferNothing = "return-no-content"
	preferContent = "return-content"
)
