package wire

import (
	"math"

	"loadgen/engine/entity"
)

// written is how long an entity is as the body of a write.
func written(c *entity.Change) int64 {
	if c.Verb == entity.Delete {
		return 0
	}
	size := len(`{"PartitionKey":"","RowKey":""}`) + len(c.Key.Partition) + len(c.Key.Row)
	for i := range c.Properties {
		size += property(c.Properties[i].Name, &c.Properties[i].Value)
	}
	return int64(size)
}

// entityReplyLength is how long an entity is in a reply, in which its metadata is minimal; a selection
// leaves out its PartitionKey and the like only where somebody asks for that, so it is not
// looked at.
func entityReplyLength(k entity.Key, p entity.Packed) int64 {
	const tag = `"odata.etag":"W/\"datetime'%3A%3A'\"",`
	size := len(tag) - len("::") + len(`{"PartitionKey":"","RowKey":"","Timestamp":""}`) + 2*instant(p.Timestamp()) + len(k.Partition) + len(k.Row)
	properties := p.Cursor()
	for next := (entity.Property{}); properties.Next(&next); {
		size += property(next.Name, &next.Value)
	}
	return int64(size)
}

// property is how long a property is with the comma before it, and with its type where JSON
// does not tell that.
func property(name string, v *entity.Value) int {
	size := len(`,"":`) + len(name)
	annotated := len(`,"@odata.type":"Edm."`) + len(name)
	switch v.Type() {
	case entity.TypeString:
		return size + len(`""`) + len(v.Text())
	case entity.TypeBoolean:
		if v.Bool() {
			return size + len(`true`)
		}
		return size + len(`false`)
	case entity.TypeInt32:
		return size + digits(v.Int())
	case entity.TypeDouble:
		// It is exact where it is a whole number, else about.
		if f := v.Float(); math.Abs(f) < 1<<53 && f == math.Trunc(f) {
			return size + digits(int64(f)) + len(`.0`)
		}
		return size + len(`0.1234567890123456`)
	case entity.TypeInt64:
		return size + annotated + len(`Int64""`) + digits(v.Int())
	case entity.TypeDateTime:
		return size + annotated + len(`DateTime""`) + instant(v.Ticks())
	case entity.TypeGUID:
		return size + annotated + len(`Guid"00000000-0000-0000-0000-000000000000"`)
	case entity.TypeBinary:
		// Its billed size is its length and four bytes.
		return size + annotated + len(`Binary""`) + (v.Size()-4+2)/3*4
	default:
		return 0
	}
}

// instant is how long a time is: its fraction of a second has no zeros at the end.
func instant(t entity.Ticks) int {
	const second = 10_000_000
	fraction := t % second
	if fraction == 0 {
		return len(`2026-11-22T00:00:00Z`)
	}
	size := len(`2026-11-22T00:00:00.0000000Z`)
	for ; fraction%10 == 0; fraction /= 10 {
		size--
	}
	return size
}

// digits is how long a number is.
func digits(n int64) int {
	long := 1
	if n < 0 {
		long++
	}
	for n /= 10; n != 0; n /= 10 {
		long++
	}
	return long
}
