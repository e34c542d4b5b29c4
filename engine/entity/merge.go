package entity

import (
	"encoding/binary"
	"slices"
)

// MergePacked returns the block of an entity after a merge at time t: a stored
// property that changes does not name keeps its value, one that it names takes
// the new value and type in its stored position, and the others follow in their
// order. Neither argument is altered or kept. The names in changes must be
// distinct. It returns nil where stored is too corrupt to be walked through.
func MergePacked(stored Packed, t Ticks, changes []Property) Packed {
	read, count := stored.reader()
	if count < 0 {
		return nil
	}
	// The block is put together in scratch memory and copied once its size is
	// known, so that what is kept has no slack.
	var room [2048]byte
	dst := room[:0]
	dst = binary.LittleEndian.AppendUint64(dst, uint64(t))
	merged := binary.LittleEndian.AppendUint16(dst, checkCount(0))
	var marks [MaxProperties/64 + 1]uint64
	used := marks[:] // with a bit for each change
	if len(changes) > MaxProperties {
		used = make([]uint64, len(changes)/64+1)
	}
	// Where the search for a change begins: a client tends to name properties in the order in
	// which they are stored.
	next := 0
	for range count {
		start := read.at
		name, ok := read.text()
		if !ok || !read.skipValue() {
			return nil
		}
		var change *Property
		for range changes {
			at := next
			if next++; next == len(changes) {
				next = 0
			}
			if changes[at].Name == name {
				used[at/64] |= 1 << (at % 64)
				change = &changes[at]
				break
			}
		}
		if change != nil {
			merged = appendProperty(merged, change)
		} else {
			merged = append(merged, stored[start:read.at]...)
		}
	}
	if !read.atEnd() {
		return nil
	}
	for i := range changes {
		if used[i/64]&(1<<(i%64)) == 0 {
			merged = appendProperty(merged, &changes[i])
			count++
		}
	}
	binary.LittleEndian.PutUint16(merged[countAt:], checkCount(count))
	return slices.Clone(merged)
}

// Validate returns OK where an entity of this key keeps within the limits on
// the number of properties and on the size as a whole, the two that a merge can
// exceed though the change itself is valid; or else a code and one line of
// detail. A corrupt block is invalid input.
func (p Packed) Validate(k Key) (Code, string) {
	read, count := p.reader()
	if count < 0 {
		return InvalidInput, "the stored entity cannot be read"
	}
	if count > MaxProperties {
		return tooManyProperties(count)
	}
	// No part of an entity counts more than twice its bytes here, plus what
	// the rule adds for a property: most entities need no closer look.
	size := keySize(k)
	if size+2*len(p)+count*(propertyOverhead+lengthOverhead+8) <= MaxEntityBytes {
		return OK, ""
	}
	for range count {
		var p Property
		if !read.property(&p) {
			return InvalidInput, "the stored entity cannot be read"
		}
		size += propertyOverhead + bytesPerUnit*units(p.Name) + p.Value.Size()
	}
	if size > MaxEntityBytes {
		return entityTooLarge(size)
	}
	return OK, ""
}
