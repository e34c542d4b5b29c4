package rest

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// queryOptions are the options of a query string, decoded. They are copies, or
// parts of the request's own target.
type queryOptions struct {
	filter, top, selected, format  string
	nextTable, nextPartition, next string
	comp, restype, timeout         string
	// present has the given options, empty ones included.
	present option
	// access has the options of a shared access signature, nil for none.
	access *wire.SharedAccess
	// unsupported is an OData option that the service does not support.
	unsupported string
}

// option is a set of options.
type option uint16

const (
	optionFilter option = 1 << iota
	optionTop
	optionSelect
	optionFormat
	optionNextTable
	optionNextPartition
	optionNextRow
	optionComp
	optionRestype
	optionTimeout
)

func (q *queryOptions) has(o option) bool { return q.present&o != 0 }

// parse reads a query string. The code is OK, or else AuthenticationFailed or
// InvalidQueryParameterValue. Options that no service knows mean nothing.
//
// It walks by hand, since a map of slices for every request would cost more than
// many a request itself.
func (q *queryOptions) parse(text string) (entity.Code, string) {
	for text != "" {
		var pair string
		pair, text, _ = strings.Cut(text, "&")
		name, value, _ := strings.Cut(pair, "=")
		name, validName := unescapeQuery(name)
		value, validValue := unescapeQuery(value)
		if !validName || !validValue {
			return entity.InvalidQueryParameterValue, "the query string is not percent-encoded UTF-8"
		}
		place, which := q.place(name)
		if place != nil {
			if q.has(which) {
				return entity.InvalidQueryParameterValue, "a query option comes twice"
			}
			*place, q.present = value, q.present|which
			continue
		}
		switch name {
		case "$orderby", "$skip", "$count", "$inlinecount", "$expand", "$apply", "$compute", "$search", "$skiptoken":
			q.unsupported = name
			continue
		}
		// One of a signature that comes twice was not signed so.
		access := q.access
		if access == nil {
			access = new(wire.SharedAccess)
		}
		known, first := access.Set(name, value)
		if known {
			q.access = access
		}
		if !first {
			return entity.AuthenticationFailed, "duplicate option of the shared access signature"
		}
	}
	return entity.OK, ""
}

// place returns where the value of an option is kept, nil for none.
func (q *queryOptions) place(name string) (*string, option) {
	switch name {
	case "$filter":
		return &q.filter, optionFilter
	case "$top":
		return &q.top, optionTop
	case "$select":
		return &q.selected, optionSelect
	case "$format":
		return &q.format, optionFormat
	case "NextTableName":
		return &q.nextTable, optionNextTable
	case "NextPartitionKey":
		return &q.nextPartition, optionNextPartition
	case "NextRowKey":
		return &q.next, optionNextRow
	case "comp":
		return &q.comp, optionComp
	case "restype":
		return &q.restype, optionRestype
	case "timeout":
		return &q.timeout, optionTimeout
	}
	return nil, 0
}

// unescapeQuery decodes a part of a query string: %XX, and a plus sign for a
// blank. It is false for an escape that is none and for what is not UTF-8.
func unescapeQuery(text string) (string, bool) {
	plain, err := url.QueryUnescape(text)
	return plain, err == nil && utf8.ValidString(plain)
}

// smallNumber reads a decimal number of up to four digits, without a sign.
func smallNumber(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	return int(n), err == nil && len(text) <= 4
}

// target is the parsed target of a request line. Nothing is decoded, because this text is signed.
type target struct {
	// path is the escaped path with the slash at its front, query what follows
	// the question mark.
	path, query string
	// account is without the suffix of the secondary.
	account   string
	secondary bool
	// segment is the account as the path has it, empty in host style.
	segment string
	// resource is the escaped path after the account and a slash.
	resource string
}

const secondarySuffix = "-secondary"

// parseTarget parses the target of a request; it is false without a path.
//
// The account is the first label of the host if that is a name with a dot and the label an account's. Otherwise, as
// for an address or localhost, it is the first segment of the path.
func parseTarget(r *http.Request, tenants map[string]*tenant) (target, bool) {
	var t target
	path := r.RequestURI
	if !strings.HasPrefix(path, "/") {
		// The absolute form has scheme and host before the path. An empty one counts as a
		// slash, for the signature as well.
		_, rest, absolute := strings.Cut(path, "://")
		if !absolute {
			return t, false
		}
		path = "/"
		if i := strings.IndexAny(rest, "/?"); i >= 0 {
			path += strings.TrimPrefix(rest[i:], "/")
		}
	}
	t.path, t.query, _ = strings.Cut(path, "?")
	host := r.Host
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 {
		host = host[:colon]
	}
	// The last label of a name is never a number, that of an address always.
	label, _, dotted := strings.Cut(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if dotted && label != "" && host[0] != '[' && last != "" && (last[0] < '0' || last[0] > '9') {
		t.account, t.secondary = strings.CutSuffix(label, secondarySuffix)
		if tenants[t.account] != nil {
			t.resource = t.path[1:]
			return t, true
		}
	}
	t.segment, t.resource, _ = strings.Cut(t.path[1:], "/")
	t.account, t.secondary = strings.CutSuffix(t.segment, secondarySuffix)
	return t, true
}
