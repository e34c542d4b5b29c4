package entity

import "unicode/utf8"

// The parts of an entity's size, in bytes, by the rule that the service bills
// by: text counts two bytes per UTF-16 code unit.
const (
	entityOverhead   = 4
	propertyOverhead = 8
	lengthOverhead   = 4
	bytesPerUnit     = 2
)

// Size returns the size of an entity in bytes by the service's billing rule:
// 4, plus 2 per UTF-16 code unit of its keys, plus for each property 8, 2 per
// code unit of its name and the [Value.Size] of its value.
func Size(k Key, properties []Property) int {
	size := keySize(k)
	for i := range properties {
		p := &properties[i]
		size += propertyOverhead + bytesPerUnit*units(p.Name) + p.Value.Size()
	}
	return size
}

// Size returns the size of a value in bytes by the service's billing rule: a
// string of n UTF-16 code units 2n + 4, a binary of n bytes n + 4, a DateTime,
// Double or Int64 8, a Guid 16, an Int32 4, a Boolean 1.
func (v Value) Size() int {
	switch v.kind {
	case TypeString:
		return bytesPerUnit*units(v.text) + lengthOverhead
	case TypeBinary:
		return len(v.text) + lengthOverhead
	case TypeDateTime, TypeDouble, TypeInt64:
		return 8
	case TypeGUID:
		return 16
	case TypeInt32:
		return 4
	case TypeBoolean:
		return 1
	default:
		return 0
	}
}

func keySize(k Key) int {
	return entityOverhead + bytesPerUnit*(units(k.Partition)+units(k.Row))
}

func units(s string) int {
	n, _ := measure(s)
	return n
}

// measure returns the length of s in UTF-16 code units and whether s is valid
// UTF-8. An invalid byte counts one unit.
func measure(s string) (units int, valid bool) {
	units, valid = asciiPrefix(s), true
	for s = s[units:]; s != ""; {
		r, width := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && width == 1 {
			valid = false
		}
		units++
		if width == 4 {
			units++
		}
		s = s[width:]
	}
	return units, valid
}
