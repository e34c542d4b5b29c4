package entity

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// reader walks over the properties of a block. Each method reports false where
// the bytes are not what this package writes, after which there is nothing more
// to be read; none panics.
type reader struct {
	block []byte
	at    int
}

func (r *reader) atEnd() bool { return r.at == len(r.block) }

// text reads a length and as many bytes.
func (r *reader) text() (string, bool) {
	length, ok := r.uvarint()
	if !ok || length > uint64(len(r.block)-r.at) {
		return "", false
	}
	return r.view(int(length))
}

// view returns the next n bytes as a string that shares the block's memory: a
// block is never changed in place, so that the string stays what it is, and a
// scan that looks at a property of each row allocates nothing.
func (r *reader) view(n int) (string, bool) {
	if n > len(r.block)-r.at {
		return "", false
	}
	if n == 0 {
		return "", true
	}
	s := unsafe.String(&r.block[r.at], n)
	r.at += n
	return s, true
}

// value reads a type and its value.
func (r *reader) value() (Value, bool) {
	if r.atEnd() {
		return Value{}, false
	}
	v := Value{kind: Type(r.block[r.at])}
	r.at++
	ok := false
	switch v.kind {
	case TypeString, TypeBinary:
		v.text, ok = r.text()
	case TypeGUID:
		v.text, ok = r.view(16)
	case TypeBoolean:
		v.bits, ok = r.fixed(1)
		ok = ok && v.bits <= 1
	case TypeDateTime, TypeDouble:
		v.bits, ok = r.fixed(8)
	case TypeInt32:
		var i int64
		i, ok = r.varint()
		ok = ok && i >= math.MinInt32 && i <= math.MaxInt32
		v.bits = uint64(uint32(i))
	case TypeInt64:
		var i int64
		i, ok = r.varint()
		v.bits = uint64(i)
	}
	if !ok {
		return Value{}, false
	}
	return v, true
}

// skipValue passes over a type and its value, without a look at what it says.
func (r *reader) skipValue() bool {
	if r.atEnd() {
		return false
	}
	kind := Type(r.block[r.at])
	r.at++
	width := 0
	switch kind {
	case TypeString, TypeBinary:
		_, ok := r.text()
		return ok
	case TypeInt32, TypeInt64:
		_, ok := r.uvarint()
		return ok
	case TypeBoolean:
		width = 1
	case TypeDateTime, TypeDouble:
		width = 8
	case TypeGUID:
		width = 16
	default:
		return false
	}
	if width > len(r.block)-r.at {
		return false
	}
	r.at += width
	return true
}

// fixed reads a little-endian number of 1 or 8 bytes.
func (r *reader) fixed(width int) (uint64, bool) {
	if width > len(r.block)-r.at {
		return 0, false
	}
	at := r.at
	r.at += width
	if width == 1 {
		return uint64(r.block[at]), true
	}
	return binary.LittleEndian.Uint64(r.block[at:]), true
}

func (r *reader) varint() (int64, bool) {
	x, ok := r.uvarint()
	return int64(x>>1) ^ -int64(x&1), ok
}

// uvarint reads an unsigned varint in its shortest form; nearly all are lengths
// below 128.
func (r *reader) uvarint() (uint64, bool) {
	if r.at < len(r.block) && r.block[r.at] < 0x80 {
		r.at++
		return uint64(r.block[r.at-1]), true
	}
	x, n := binary.Uvarint(r.block[r.at:])
	if n <= 0 || r.block[r.at+n-1] == 0 {
		return 0, false
	}
	r.at += n
	return x, true
}
