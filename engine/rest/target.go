package rest

import (
	"net/http"
	"strings"
)

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
