package entity

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"
)

// Packed is an entity's timestamp and properties in one compact block, without
// its key: the form in which a store keeps it. It is never changed in place,
// and may then be shared between goroutines.
//
// The block is the timestamp (8 bytes), the number of properties (2 bytes) and,
// for each property, the length of its name, the name, its type (1 byte) and its
// value. Lengths are unsigned varints and Int32 and Int64 zigzag varints, each
// in its shortest form; a Boolean takes 1 byte, a DateTime or Double 8, a Guid
// 16; strings and binaries carry their length before them. Fixed numbers are
// little-endian.
type Packed []byte

const (
	countAt  = 8
	headSize = 10
	// minPropertyBytes is an empty name, a type and a value of one byte.
	minPropertyBytes = 3
	maxPackedBytes   = 1<<16 - 1
)

// Pack appends the block of an entity to dst, which it may reuse, and returns
// the extended slice: a Packed where dst was empty. It copies all it is given.
// The properties must have passed [Change.Validate]; it panics on a value
// without a type.
func Pack(dst []byte, t Ticks, properties []Property) Packed {
	size := headSize
	for i := range properties {
		size += packedSize(&properties[i])
	}
	if cap(dst)-len(dst) < size {
		dst = append(make([]byte, 0, len(dst)+size), dst...)
	}
	n := len(dst)
	dst = dst[:n+size]
	binary.LittleEndian.PutUint64(dst[n:], uint64(t))
	binary.LittleEndian.PutUint16(dst[n+countAt:], checkCount(len(properties)))
	n += headSize
	for i := range properties {
		n = putProperty(dst, n, &properties[i])
	}
	return dst
}

// Timestamp returns the time of the last write, which is the entity's version;
// 0 where the block is too short to hold one.
func (p Packed) Timestamp() Ticks {
	if len(p) < headSize {
		return 0
	}
	return Ticks(binary.LittleEndian.Uint64(p))
}

// Unpack appends the properties to dst, in stored order, and returns the
// extended slice; its names and strings are views into the block. A block that
// was not written by this package yields ErrCorrupt and dst as it was.
func (p Packed) Unpack(dst []Property) ([]Property, error) {
	read, count := p.reader()
	if count < 0 {
		return dst, ErrCorrupt
	}
	n := len(dst)
	unpacked := slices.Grow(dst, count)[:n+count]
	for i := range count {
		if !read.property(&unpacked[n+i]) {
			return dst, ErrCorrupt
		}
	}
	if !read.atEnd() {
		return dst, ErrCorrupt
	}
	return unpacked, nil
}

// Lookup returns the value of one property, and false where the entity has
// none of that name (names compare with regard to case) or the block cannot be
// read so far. A string is a view into the block; nothing is allocated.
func (p Packed) Lookup(name string) (Value, bool) {
	read, count := p.reader()
	for range count {
		found, ok := read.text()
		if !ok {
			break
		}
		if found == name {
			var v Value
			ok = read.reach(valueAt(read.block, read.at, &v))
			return v, ok
		}
		if !read.skipValue() {
			break
		}
	}
	return Value{}, false
}

// reader returns a reader of the properties and their number, which is negative
// where the block cannot hold as many as it claims.
func (p Packed) reader() (reader, int) {
	if len(p) < headSize {
		return reader{}, corrupt
	}
	count := int(binary.LittleEndian.Uint16(p[countAt:]))
	if count*minPropertyBytes > len(p)-headSize {
		return reader{}, corrupt
	}
	return reader{block: unsafe.String(unsafe.SliceData(p), len(p)), at: headSize}, count
}

func checkCount(count int) uint16 {
	if count > maxPackedBytes {
		panic("entity: Pack of more properties than a block can count")
	}
	return uint16(count)
}

func appendProperty(dst []byte, p *Property) []byte {
	n, size := len(dst), packedSize(p)
	dst = slices.Grow(dst, size)[:n+size]
	putProperty(dst, n, p)
	return dst
}

// putProperty writes a property at an index of dst, which has the room, and
// returns the index after it.
func putProperty(dst []byte, at int, p *Property) int {
	at = putUvarint(dst, at, uint64(len(p.Name)))
	at += copy(dst[at:], p.Name)
	v := &p.Value
	dst[at] = byte(v.kind)
	at++
	switch v.kind {
	case TypeString, TypeBinary:
		at = putUvarint(dst, at, uint64(len(v.text)))
		return at + copy(dst[at:], v.text)
	case TypeGUID:
		return at + copy(dst[at:], v.text)
	case TypeBoolean:
		dst[at] = byte(v.bits)
		return at + 1
	case TypeDateTime, TypeDouble:
		binary.LittleEndian.PutUint64(dst[at:], v.bits)
		return at + 8
	case TypeInt32, TypeInt64:
		return putUvarint(dst, at, zigzag(v.Int()))
	default:
		panic("entity: Pack of a value without a type")
	}
}

func putUvarint(dst []byte, at int, x uint64) int {
	for ; x >= 0x80; x >>= 7 {
		dst[at] = byte(x) | 0x80
		at++
	}
	dst[at] = byte(x)
	return at + 1
}

// packedSize returns how many bytes putProperty writes.
func packedSize(p *Property) int {
	size := uvarintSize(uint64(len(p.Name))) + len(p.Name) + 1
	switch v := &p.Value; v.kind {
	case TypeString, TypeBinary:
		return size + uvarintSize(uint64(len(v.text))) + len(v.text)
	case TypeGUID:
		return size + len(v.text)
	case TypeBoolean:
		return size + 1
	case TypeDateTime, TypeDouble:
		return size + 8
	default:
		return size + uvarintSize(zigzag(v.Int()))
	}
}

// zigzag maps the integers of small magnitude to small numbers, as
// binary.AppendVarint does.
func zigzag(i int64) uint64 { return uint64(i)<<1 ^ uint64(i>>63) }

func uvarintSize(x uint64) int {
	if x < 0x80 {
		return 1
	}
	return (bits.Len64(x) + 6) / 7
}

// Cursor walks over the properties of a [Packed], in stored order, for a caller
// that needs each of them once. It belongs to one goroutine.
type Cursor struct {
	read reader
	left int
}

// Cursor returns a cursor before the first property.
func (p Packed) Cursor() Cursor {
	read, count := p.reader()
	return Cursor{read, count}
}

// Next reads the next property into p, and reports whether there was one. Its
// name and string are views into the block.
func (c *Cursor) Next(p *Property) bool {
	if c.left <= 0 {
		return false
	}
	name, at := textAt(c.read.block, c.read.at)
	p.Name = name
	if at = valueAt(c.read.block, at, &p.Value); at == nowhere {
		return false // With properties left.
	}
	c.read.at = at
	c.left--
	return true
}

// Err returns, once there is no next property, ErrCorrupt for a block that was
// not written by this package.
func (c *Cursor) Err() error {
	if c.left == 0 && c.read.atEnd() {
		return nil
	}
	return ErrCorrupt
}

// corrupt is the number of properties left of a block that cannot be read.
const corrupt = -1

// Row is one entity of a page.
type Row struct {
	Key    Key
	Entity Packed
}
