package entity

// Nearly all text is ASCII, and every byte that is written passes through here:
// plain names, keys and texts are recognised by a table or eight bytes at a time, and
// only what is not plain is looked at character by character.

// What a byte may be, one bit each.
const (
	nameByte uint8 = 1 << iota
	nameStart
	keyByte
)

// byteKinds is indexed by a byte. It is zero for bytes outside ASCII.
var byteKinds = kindsOfBytes()

func kindsOfBytes() (kinds [256]uint8) {
	for i := range 128 {
		c := byte(i)
		if asciiLetter(c) || c == '_' {
			kinds[c] |= nameByte | nameStart
		}
		if asciiDigit(c) {
			kinds[c] |= nameByte
		}
		if !forbiddenInKey(rune(c)) {
			kinds[c] |= keyByte
		}
	}
	return kinds
}

func asciiLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func asciiDigit(c byte) bool { return '0' <= c && c <= '9' }

// plainName reports whether a name is an identifier of ASCII letters, digits and
// underscores, so that it has as many UTF-16 code units as bytes.
func plainName(name string) bool {
	if name == "" || byteKinds[name[0]]&nameStart == 0 {
		return false
	}
	all := nameByte
	for i := range len(name) {
		all &= byteKinds[name[i]]
	}
	return all != 0
}

// asciiPrefix returns the length of the longest prefix without a byte of 0x80
// or more.
func asciiPrefix(s string) int {
	const tops = 0x8080808080808080
	i := 0
	for ; i+32 <= len(s); i += 32 {
		c := s[i : i+32]
		if (word(c[:8])|word(c[8:16])|word(c[16:24])|word(c[24:]))&tops != 0 {
			break
		}
	}
	for ; i+8 <= len(s); i += 8 {
		if word(s[i:i+8])&tops != 0 {
			break
		}
	}
	for i < len(s) && s[i] < 0x80 {
		i++
	}
	return i
}

// word returns the first eight bytes as a number, which the compiler makes one
// load.
func word(c string) uint64 {
	return uint64(c[0]) | uint64(c[1])<<8 | uint64(c[2])<<16 | uint64(c[3])<<24 |
		uint64(c[4])<<32 | uint64(c[5])<<40 | uint64(c[6])<<48 | uint64(c[7])<<56
}
