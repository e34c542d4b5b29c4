package wire

import (
	"strings"

	"loadgen/engine/entity"
)

// The lengths of the heads of requests and replies without keys, measured between this module's client and service:
// request line or status, a signature, dates and ids.
const (
	GetHead, QueryHead, InsertHead, WriteHead, DeleteHead, TableHead = 453, 437, 507, 507, 469, 470
	// TimeoutHead is a timeout option of two digits.
	TimeoutHead = len("?timeout=30")

	MatchHead, SelectHead, TopHead                     = 13, 35, 8
	BatchHead, InsertPartHead, PartHead                = 700, 317, 321
	GotHead, PageHead, MadeHead, DoneHead, RefusedHead = 459, 411, 583, 355, 560
	DoneBatchHead, MadePartHead, DonePartHead          = 560, 554, 312
)

// RequestWeight returns the length of a request in bytes, except of a query, see [QueryWeight].
func RequestWeight(verb entity.Verb, c *entity.Change, changes []entity.Change) int64 {
	switch verb {
	case entity.Get:
		return GetHead + key(c.Key)
	case entity.Delete:
		return DeleteHead + key(c.Key)
	case entity.Insert:
		return InsertHead + bodyLength(c)
	case entity.Merge, entity.Replace:
		return WriteHead + MatchHead + key(c.Key) + bodyLength(c)
	case entity.InsertOrMerge, entity.InsertOrReplace:
		return WriteHead + key(c.Key) + bodyLength(c)
	case entity.Batch:
		size := int64(BatchHead)
		for i := range changes {
			if size += bodyLength(&changes[i]); changes[i].Verb == entity.Insert {
				size += InsertPartHead
			} else {
				size += PartHead + key(changes[i].Key)
			}
		}
		return size
	default:
		return TableHead
	}
}

// QueryWeight returns the approximate length of a query's request in bytes: its head and a range of keys with quotes and
// operators.
func QueryWeight(from, to entity.Key, selected []string) int64 {
	const words = 60
	size := QueryHead + words + int(key(from)+key(to))
	if len(selected) > 0 {
		size += SelectHead
		for _, name := range selected {
			size += len(name) + len("%2C")
		}
	}
	return int64(size)
}

// ReplyWeight returns the length of a reply in bytes, with the entity of a Get at a level of metadata.
func ReplyWeight(verb entity.Verb, c *entity.Change, changes []entity.Change, got entity.Packed, level Level) int64 {
	switch {
	case got != nil:
		metadata := len(`"odata.metadata":"http://127.0.0.1:10002/loadgen/$metadata#/@Element",`)
		if level == NoMetadata {
			metadata = 0
		}
		return GotHead + int64(metadata) + entityReplyLength(c.Key, got, nil, level)
	case verb == entity.Insert:
		return MadeHead + 2*key(c.Key)
	case verb == entity.Batch:
		size := int64(DoneBatchHead)
		for i := range changes {
			if size += DonePartHead; changes[i].Verb == entity.Insert {
				size += MadePartHead - DonePartHead + 2*key(changes[i].Key)
			}
		}
		return size
	default:
		return DoneHead
	}
}

// PageWeight returns the approximate length of a query's reply in bytes, from at most 64 of its rows, evenly spaced.
// Rows of a query with $select have their keys and the selected properties.
func PageWeight(rows int, row func(i int) (entity.Key, entity.Packed), selected []string, level Level) int64 {
	metadata := len(`{"odata.metadata":"http://127.0.0.1:10002/loadgen/$metadata#","value":[]}`)
	if level == NoMetadata {
		metadata = len(`{"value":[]}`)
	} else if len(selected) > 0 {
		metadata += len(`&$select=PartitionKey,RowKey,`) + len(strings.Join(selected, ","))
	}
	const most = 64
	looked, sum := 0, int64(0)
	for i := 0; i < rows; i += (rows + most - 1) / most {
		key, packed := row(i)
		sum += entityReplyLength(key, packed, selected, level) + 1
		looked++
	}
	if looked > 0 {
		sum = sum * int64(rows) / int64(looked)
	}
	return PageHead + int64(metadata) + sum
}

// key returns the length of a key in an address.
func key(k entity.Key) int64 { return escapedLength(k.Partition) + escapedLength(k.Row) }

// escapedLength returns the length of a text in an address.
func escapedLength(s string) int64 {
	size := 0
	for len(s) >= 4 {
		// Four at a time, since it runs for every attempt.
		size += int(escapes[s[0]]) + int(escapes[s[1]]) + (int(escapes[s[2]]) + int(escapes[s[3]]))
		s = s[4:]
	}
	for i := range len(s) {
		size += int(escapes[s[i]])
	}
	return int64(size)
}

// escapes are the lengths of bytes in an address, as [AppendLinkLiteral] writes them.
var escapes = func() (table [256]uint8) {
	for c := range table {
		table[c] = uint8(len(AppendLinkLiteral(nil, string([]byte{byte(c)}))))
	}
	return table
}()
