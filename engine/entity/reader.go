package entity

// reader walks over the properties of a block. Each method reports false where
// the bytes are not what this package writes, after which there is nothing more
// to be read; none panics.
type reader struct {
	// block shares the memory of a Packed: that is never changed in place, so
	// that its parts stay what they are, and a scan that looks at a property of
	// each row allocates nothing.
	block string
	at    int
}

func (r *reader) atEnd() bool { return r.at == len(r.block) }

// property reads the next property into p, whose value is undefined if it
// fails.
func (r *reader) property(p *Property) bool {
	name, at := textAt(r.block, r.at)
	p.Name = name
	return r.reach(valueAt(r.block, at, &p.Value))
}

func (r *reader) text() (string, bool) {
	text, at := textAt(r.block, r.at)
	return text, r.reach(at)
}

// skipValue passes over a type and its value, without a look at what it says.
func (r *reader) skipValue() bool {
	if r.atEnd() {
		return false
	}
	at := r.at + 1
	switch Type(r.block[r.at]) {
	case TypeString, TypeBinary:
		_, at = textAt(r.block, at)
	case TypeInt32, TypeInt64:
		_, at = uvarintAt(r.block, at)
	case TypeBoolean:
		at++
	case TypeDateTime, TypeDouble:
		at += 8
	case TypeGUID:
		at += 16
	default:
		return false
	}
	return r.reach(at)
}

// reach moves the reader to an index, and reports false for one that does not
// exist.
func (r *reader) reach(at int) bool {
	if at < 0 || at > len(r.block) {
		return false
	}
	r.at = at
	return true
}

// The functions below return the index after what they have read at an index,
// and nowhere for what is no such thing; nowhere has nothing to be read.
const nowhere = -1

// textAt reads a length and as many bytes. Nearly all lengths are below 128.
func textAt(block string, at int) (string, int) {
	if uint(at) < uint(len(block)) {
		if n, rest := int(block[at]), block[at+1:]; n < 0x80 && n <= len(rest) {
			return rest[:n], at + 1 + n
		}
	}
	return longTextAt(block, at)
}

func longTextAt(block string, at int) (string, int) {
	length, at := uvarintAt(block, at)
	if at < 0 || length > uint64(len(block)-at) {
		return "", nowhere
	}
	end := at + int(length)
	return block[at:end], end
}

func valueAt(block string, at int, v *Value) int {
	if uint(at) >= uint(len(block)) {
		return nowhere
	}
	kind := Type(block[at])
	at++
	var bits uint64
	var text string
	switch kind {
	case TypeString, TypeBinary:
		text, at = textAt(block, at)
	case TypeGUID:
		if text = block[at:]; len(text) < 16 {
			return nowhere
		}
		text, at = text[:16], at+16
	case TypeBoolean:
		if at == len(block) || block[at] > 1 {
			return nowhere
		}
		bits, at = uint64(block[at]), at+1
	case TypeDateTime, TypeDouble:
		if len(block)-at < 8 {
			return nowhere
		}
		bits, at = word(block[at:at+8]), at+8
	case TypeInt32, TypeInt64:
		if bits, at = uvarintAt(block, at); at < 0 {
			return nowhere
		}
		i := int64(bits>>1) ^ -int64(bits&1)
		if bits = uint64(i); kind == TypeInt32 {
			if i != int64(int32(i)) {
				return nowhere
			}
			bits = uint64(uint32(i))
		}
	default:
		return nowhere
	}
	*v = Value{kind, bits, text}
	return at
}

// uvarintAt reads an unsigned varint in its shortest form; nearly all are
// lengths of one byte.
func uvarintAt(block string, at int) (uint64, int) {
	if uint(at) < uint(len(block)) && block[at] < 0x80 {
		return uint64(block[at]), at + 1
	}
	return longUvarintAt(block, at)
}

// lastShift is where the tenth byte of a varint stands; only one bit of it counts.
const lastShift = 63

func longUvarintAt(block string, at int) (uint64, int) {
	if at < 0 {
		return 0, nowhere
	}
	x, shift := uint64(0), 0
	for ; at < len(block) && shift <= lastShift; at++ {
		b := block[at]
		x |= uint64(b&0x7F) << shift
		if b < 0x80 {
			// The last byte of several is not empty, nor does any go beyond 64 bits.
			if b == 0 && shift > 0 || b > 1 && shift == lastShift {
				return 0, nowhere
			}
			return x, at + 1
		}
		shift += 7
	}
	return 0, nowhere
}
