package wire

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// Base is an account's address, which the absolute URLs of replies begin with.
type Base struct {
	// URL is scheme, host and, in path style, the account, without a slash at
	// the end: http://127.0.0.1:10002/devstoreaccount1.
	URL     string
	Account string
}

// ResourceKind is what a path names.
type ResourceKind uint8

// The resources of an account.
const (
	// ServiceResource is the account itself: the empty path.
	ServiceResource ResourceKind = iota + 1
	// TablesResource is the list of tables: Tables or Tables().
	TablesResource
	// TableResource is one table: Tables('Name').
	TableResource
	// EntitySetResource is all entities of a table: Name or Name().
	EntitySetResource
	// EntityResource is one entity: Name(PartitionKey='p',RowKey='r').
	EntityResource
	// BatchResource takes entity group transactions: $batch.
	BatchResource
)

// Resource is what a path names.
type Resource struct {
	Kind  ResourceKind
	Table string
	Key   entity.Key
}

// ParseResource returns what an escaped path names, as it stands on the wire
// after the account and a slash, without the query string. The code is OK, or
// else with one line of detail: InvalidURI where the path is not well-formed or
// names no resource of an account, InvalidInput where it gets its keys wrong.
// It does not look whether table and key are ones that could exist.
//
// The path is decoded once and only then parsed, so that quotes,
// parentheses and commas may come escaped; a plus sign is a plus sign. One slash at
// the end says nothing.
func ParseResource(escaped string) (r Resource, code entity.Code, detail string) {
	path, err := url.PathUnescape(strings.TrimSuffix(escaped, "/"))
	if err != nil {
		return Resource{}, entity.InvalidURI, "invalid percent escape in the path"
	}
	if !utf8.ValidString(path) {
		return Resource{}, entity.InvalidURI, "path is not UTF-8"
	}
	switch path {
	case "":
		return Resource{Kind: ServiceResource}, entity.OK, ""
	case "$batch":
		return Resource{Kind: BatchResource}, entity.OK, ""
	}
	name, keys, keyed := strings.Cut(path, "(")
	if name == "" || strings.ContainsAny(name, "/'),=") {
		return Resource{}, entity.InvalidURI, "path names no resource"
	}
	if keyed {
		var closed bool
		if keys, closed = strings.CutSuffix(keys, ")"); !closed {
			return Resource{}, entity.InvalidInput, "path's parenthesis is not closed"
		}
		keys = skipBlanks(keys)
	}
	// No table can have this name, in whatever case.
	if strings.EqualFold(name, "Tables") {
		if keys == "" {
			return Resource{Kind: TablesResource}, entity.OK, ""
		}
		name, rest, ok := cutLiteral(keys)
		if !ok || rest != "" {
			return Resource{}, entity.InvalidInput, "path has no quoted table name"
		}
		return Resource{Kind: TableResource, Table: name}, entity.OK, ""
	}
	if keys == "" {
		return Resource{Kind: EntitySetResource, Table: name}, entity.OK, ""
	}
	key, keyed := parseKeys(keys)
	if !keyed {
		return Resource{}, entity.InvalidInput, "path has no PartitionKey='…',RowKey='…'"
	}
	return Resource{Kind: EntityResource, Table: name, Key: key}, entity.OK, ""
}

// parseKeys reads both keys. Clients write the PartitionKey first; as both are
// named, the other order has but one meaning too.
func parseKeys(keys string) (k entity.Key, ok bool) {
	first, value, rest, ok := cutKey(keys)
	if !ok || !strings.HasPrefix(rest, ",") {
		return entity.Key{}, false
	}
	second, other, rest, ok := cutKey(skipBlanks(rest[1:]))
	switch {
	case !ok || rest != "":
		return entity.Key{}, false
	case first == jsonPartitionKey && second == jsonRowKey:
		return entity.Key{Partition: value, Row: other}, true
	case first == jsonRowKey && second == jsonPartitionKey:
		return entity.Key{Partition: other, Row: value}, true
	default:
		return entity.Key{}, false
	}
}

// cutKey cuts Name='value' off the front of text, with the blanks after it.
func cutKey(text string) (name, value, rest string, ok bool) {
	name, rest, ok = strings.Cut(text, "=")
	if !ok {
		return "", "", "", false
	}
	value, rest, ok = cutLiteral(skipBlanks(rest))
	return strings.TrimRight(name, " "), value, rest, ok
}

// cutLiteral cuts a literal off the front of text, with the blanks after it: a
// quote, characters among which each quote is doubled, a quote.
func cutLiteral(text string) (value, rest string, ok bool) {
	if !strings.HasPrefix(text, "'") {
		return "", "", false
	}
	text = text[1:]
	doubled := false
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\'')
		if i < 0 {
			return "", "", false
		}
		at += i
		if !strings.HasPrefix(text[at+1:], "'") {
			value, rest = text[:at], skipBlanks(text[at+1:])
			break
		}
		doubled = true
		at += len("''")
	}
	if doubled {
		value = strings.ReplaceAll(value, "''", "'")
	}
	return value, rest, true
}

func skipBlanks(text string) string { return strings.TrimLeft(text, " ") }

// tableHosts are what the hosts of the table service end with, in each of its clouds.
var tableHosts = [...]string{".table.core.windows.net", ".table.core.chinacloudapi.cn", ".table.core.usgovcloudapi.net",
	".table.core.cloudapi.de", ".table.storage.azure.net"}

// IsTableHost reports whether a host, with or without a port, is one of the table service's.
func IsTableHost(host string) bool {
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	host = strings.TrimSuffix(host, ".")
	return slices.ContainsFunc(tableHosts[:], func(end string) bool { return strings.HasSuffix(host, end) })
}
