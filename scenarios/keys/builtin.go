package keys

import (
	"encoding/binary"
	"encoding/hex"
	"slices"

	"loadgen/engine/entity"
)

// The built-in names. The first three follow the attributes, in this order; the others are the only time among
// the attributes.
const (
	nameNumber = "number"
	nameUUID   = "uuid"
	nameUUID7  = "uuid7"
	nameTime   = "time"
	nameTicks  = "ticks"
)

var builtins = []string{nameNumber, nameUUID, nameUUID7, nameTime, nameTicks}

// slotOf returns the slot of an attribute that exists, one of a name or built in.
func (o *Options) slotOf(name string) slot {
	if at := o.position(name); at >= 0 {
		return slot{attribute: at}
	}
	switch name {
	case nameNumber, nameUUID, nameUUID7:
		return slot{attribute: len(o.Attributes) + slices.Index(builtins, name)}
	case nameTime, nameTicks:
		if times := o.times(); len(times) == 1 {
			s := slot{attribute: times[0]}
			if name == nameTicks {
				s.apply = []transform{{kind: toTicks}}
			}
			return s
		}
	}
	return slot{attribute: -1}
}

// times returns the positions of the attributes that are times.
func (o *Options) times() []int {
	var at []int
	for i, a := range o.Attributes {
		if _, is := a.Values.(Time); is {
			at = append(at, i)
		}
	}
	return at
}

// uuid is 128 bits, the more significant first.
type uuid struct{ high, low uint64 }

// unixEpoch is 1970-01-01T00:00:00Z.
const unixEpoch entity.Ticks = 621_355_968_000_000_000

// marked puts the version, and the variant of the RFC, in their places.
func (u uuid) marked(version uint64) uuid {
	u.high = u.high&^0xf000 | version<<12
	u.low = u.low&^(3<<62) | 2<<62
	return u
}

// appendUUID adds the text to dst: 36 characters, in lower case.
func appendUUID(dst []byte, u uuid) []byte {
	bytes := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(make([]byte, 0, 16), u.high), u.low)
	dst = hex.AppendEncode(dst, bytes[:4])
	for _, end := range [...]int{6, 8, 10} {
		dst = hex.AppendEncode(append(dst, '-'), bytes[end-2:end])
	}
	return hex.AppendEncode(append(dst, '-'), bytes[10:])
}

// uuidTime is how many characters of a version 7 its milliseconds take.
const uuidTime = len("01932c5f-a400")
