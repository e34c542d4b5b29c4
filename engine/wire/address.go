package wire

import "loadgen/engine/entity"

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
// else InvalidURI or InvalidInput with one line of detail. It does not look
// whether table and key are ones that could exist.
func ParseResource(escaped string) (r Resource, code entity.Code, detail string) {
	panic("contract")
}

// AppendEntityPath appends the escaped path of an entity, without a slash
// before it: T(PartitionKey='a%20b',RowKey='O%27%27X').
func AppendEntityPath(dst []byte, table string, k entity.Key) []byte { panic("contract") }

// AppendTablePath appends the escaped path of a table: Tables('T').
func AppendTablePath(dst []byte, table string) []byte { panic("contract") }

// AppendQueryValue appends a value of a query string, percent-encoded (a blank
// is %20).
func AppendQueryValue(dst []byte, value string) []byte { panic("contract") }
