package accesslog

import (
	"net/url"
	"strconv"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/wire"
)

// locate finds out what a request is about from its operation, its address, its filter
// and the key of its object.
func (e *Entry) locate() {
	a := &e.Observed
	path, query, _ := strings.Cut(e.URL, "?")
	r, known := resourceOf(path, e.Account)
	if known {
		a.Table = r.Table
	}
	switch {
	case known && r.Kind == wire.EntityResource:
		a.setKey(r.Key)
		if a.Verb == entity.Query {
			a.Verb = entity.Get
		}
	case known && r.Kind == wire.EntitySetResource && (a.Verb == entity.Get || a.Verb == entity.Query):
		a.Verb = entity.Query
		text := ""
		for option := range strings.SplitSeq(query, "&") {
			name, value, _ := strings.Cut(option, "=")
			switch plain(name) {
			case "$filter":
				text = plain(value)
			case "$top":
				a.Top, _ = strconv.ParseInt(value, 10, 64)
			case "NextPartitionKey":
				a.Further = true
			}
		}
		a.setFilter(text)
	default:
		// An insert is a POST to the table: if its key stands anywhere, then here.
		if r, known := resourceOf(e.ObjectKey, e.Account); known {
			if a.Table == "" {
				a.Table = r.Table
			}
			if r.Kind == wire.EntityResource {
				a.setKey(r.Key)
			}
		}
	}
}

// resourceOf returns what an address is of, or the key of an object, which begins with
// the account.
func resourceOf(address, account string) (wire.Resource, bool) {
	path := address
	named := false
	if _, rest, absolute := strings.Cut(address, "://"); absolute {
		host, after, _ := strings.Cut(rest, "/")
		path = after
		label, _, dotted := strings.Cut(host, ".")
		named = dotted && (account == "" && strings.Contains(host, ".table.") || account != "" && strings.TrimSuffix(label, "-secondary") == account)
	} else {
		path = strings.TrimPrefix(path, "/")
	}
	if !named {
		first, rest, more := strings.Cut(path, "/")
		if more && (account == "" || strings.TrimSuffix(first, "-secondary") == account) {
			path = rest
		}
	}
	if path == "" {
		return wire.Resource{}, false
	}
	r, code, _ := wire.ParseResource(path)
	return r, code == entity.OK
}

func (o *Observed) setKey(key entity.Key) {
	o.PartitionKey, o.RowKey, o.HasPartition, o.HasRow = key.Partition, key.Row, true, true
}

// setFilter parses a $filter.
func (o *Observed) setFilter(text string) {
	parsed, code, _ := filter.Parse(text)
	if code != entity.OK {
		return
	}
	span := parsed.Range()
	o.PartitionKey, o.HasPartition = span.Partition()
	o.Class, o.Shape, o.Filter, o.Exact = span.Class().String(), parsed.Shape(), text, parsed.Exact()
}

// plain returns a text of a query without its escapes; one that is malformed as it is.
func plain(text string) string {
	if !strings.ContainsAny(text, "%+") {
		return text
	}
	if unescaped, err := url.QueryUnescape(text); err == nil {
		return unescaped
	}
	return text
}
