package wire

import (
	"encoding/base64"
	"math"

	"loadgen/engine/entity"
)

// bodyLength returns the length of an entity as the body of a write.
func bodyLength(c *entity.Change) int64 {
	if c.Verb == entity.Delete {
		return 0
	}
	size := len(`{"PartitionKey":"","RowKey":""}`) + len(c.Key.Partition) + len(c.Key.Row)
	for i := range c.Properties {
		size += property(c.Properties[i].Name, &c.Properties[i].Value, true)
	}
	return int64(size)
}

// BatchPayload returns the size of a transaction's entities in the JSON of [AppendBatch] without its framing, which
// [entity.MaxBatchPayload] limits. It is exact from a sixth of the limit on; below, texts count without escapes.
func BatchPayload(changes []entity.Change) int64 {
	const maxEscape = len(`\u0000`)
	size := int64(0)
	for i := range changes {
		size += bodyLength(&changes[i])
	}
	if size <= int64(entity.MaxBatchPayload/maxEscape) {
		return size
	}
	size = 0
	var body []byte
	for i := range changes {
		if c := &changes[i]; c.Verb != entity.Delete {
			body = AppendEntityBody(body[:0], c.Key, c.Properties)
			size += int64(len(body))
		}
	}
	return size
}

// entityReplyLength returns the length of an entity in a reply at a level of metadata, without the name of the table,
// which full metadata repeats. A selected entity has its keys and the selected properties, others have all.
func entityReplyLength(k entity.Key, p entity.Packed, selected []string, level Level) int64 {
	stamp := instant(p.Timestamp())
	size := len(`{"PartitionKey":"","RowKey":""}`) + len(k.Partition) + len(k.Row)
	if level != NoMetadata {
		const tag = `"odata.etag":"W/\"datetime'%3A%3A'\"",`
		size += len(tag) - len("::") + stamp
	}
	if level == FullMetadata {
		const full = `"odata.type":"loadgen.","odata.id":"http://127.0.0.1:10002/loadgen/(PartitionKey='',RowKey='')",` +
			`"odata.editLink":"(PartitionKey='',RowKey='')",`
		size += len(full) + 2*int(key(k))
	}
	if len(selected) > 0 {
		return int64(size + selectedLength(p, selected, level))
	}
	size += len(`,"Timestamp":""`) + stamp
	if level == FullMetadata {
		size += len(`"Timestamp@odata.type":"Edm.DateTime",`)
	}
	properties := p.Cursor()
	for next := (entity.Property{}); properties.Next(&next); {
		size += property(next.Name, &next.Value, level != NoMetadata)
	}
	return int64(size)
}

// selectedLength returns the length of the selected properties; those that the entity lacks are null.
func selectedLength(p entity.Packed, selected []string, level Level) (size int) {
	for _, name := range selected {
		if v, some := p.Lookup(name); some {
			size += property(name, &v, level != NoMetadata)
		} else {
			size += len(`,"":null`) + len(name)
		}
	}
	return size
}

// property returns the length of a property with the comma before it, and with its annotation if necessary.
func property(name string, v *entity.Value, annotated bool) int {
	size := len(`,"":`) + len(name)
	if v.Type() == entity.TypeDouble {
		// It is exact for whole numbers, and about right for others.
		if f := v.Float(); math.Abs(f) >= 1<<53 || f != math.Trunc(f) {
			return size + len(`0.1234567890123456`)
		}
	} else if annotated && needsAnnotation(v) {
		size += len(`,"@odata.type":""`) + len(name) + len(v.Type().String())
	}
	switch v.Type() {
	case entity.TypeString:
		return size + len(`""`) + len(v.Text())
	case entity.TypeBinary:
		// Its billed size is its length and four bytes.
		return size + len(`""`) + base64.StdEncoding.EncodedLen(int(v.Size())-4)
	case entity.TypeDateTime:
		return size + len(`""`) + instant(v.Ticks())
	default:
		var room [64]byte
		return size + len(jsonUTF8.appendValue(room[:0], v)) - len(`,`)
	}
}

// instant returns the length of an instant, whose fraction has no trailing zeros. Formatting it would take three times as long, for
// every simulated attempt.
func instant(t entity.Ticks) int {
	fraction := t % 10_000_000
	if fraction == 0 {
		return wholeInstant + len("Z")
	}
	size := len(stampLayout)
	for ; fraction%10 == 0; fraction /= 10 {
		size--
	}
	return size
}
