package wire

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string. It is a view into the text where it has no escapes, and a
// fresh string else. Lone surrogates are faults: no UTF-8 text can hold them.
func (s *jsonScanner) str() (string, bool) {
	raw, escapes, ok := s.quoted()
	if !ok || !escapes {
		return raw, ok
	}
	var b strings.Builder
	b.Grow(len(raw))
	for {
		i := strings.IndexByte(raw, '\\')
		if i < 0 {
			b.WriteString(raw)
			return b.String(), true
		}
		b.WriteString(raw[:i])
		r, width := escaped(raw[i:])
		if width == 0 {
			return "", s.fail("invalid escape in string ending")
		}
		b.WriteRune(r)
		raw = raw[i+width:]
	}
}

// quoted passes over a string and returns its inside, which is valid UTF-8
// without control characters, and whether there are escapes in it, which are yet
// to be looked at.
func (s *jsonScanner) quoted() (raw string, escapes, ok bool) {
	if s.fault != "" || s.peek() != '"' {
		return "", false, s.fail("no string")
	}
	start := s.at + 1
	wide := false
	for i := start; ; i++ {
		i = plainUpTo(s.text, i)
		if i >= len(s.text) {
			return "", false, s.fail("unterminated string")
		}
		switch c := s.text[i]; {
		case c == '"':
			raw = s.text[start:i]
			if wide && !utf8.ValidString(raw) {
				return "", false, s.fail("invalid UTF-8")
			}
			s.at = i + 1
			return raw, escapes, true
		case c == '\\':
			escapes = true
			i++ // Whatever comes next is no end of the string.
		case c < ' ':
			s.at = i
			return "", false, s.fail("control character in string")
		default:
			wide = true
		}
	}
}

// plainUpTo returns the index of the first byte from i on that is a quote, a backslash, a control character or not ASCII: of
// what a JSON string cannot contain as it is, or what needs a closer look. It takes eight bytes at a time, since all text passes
// through here.
func plainUpTo(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		if found := marks(word(s[i:i+8])) & tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
	}
	return i
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// marks returns a word with the top bit set of the first byte, in the order of
// the text, that plainUpTo stops at; other bits above that one mean nothing, nor
// do those that are no top bits. Without such a byte no top bit is set.
//
// In each byte, subtracting sets the top bit where the byte was less than what
// is subtracted. A borrow can set bits by mistake, but only above a byte that is
// rightly marked. Where bit 1 is turned over, a quote and the control characters
// are what is less than 21 hexadecimal.
func marks(word uint64) uint64 {
	return word | ((word ^ ones*2) - ones*0x21) | ((word ^ ones*'\\') - ones)
}

// word returns eight bytes as a number, which the compiler makes one load.
func word(c string) uint64 {
	return uint64(c[0]) | uint64(c[1])<<8 | uint64(c[2])<<16 | uint64(c[3])<<24 |
		uint64(c[4])<<32 | uint64(c[5])<<40 | uint64(c[6])<<48 | uint64(c[7])<<56
}

// escaped returns the character that the escape at the front of s means and the
// length of the escape, 0 if it is invalid.
func escaped(s string) (rune, int) {
	const letters, meant = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if len(s) < 2 {
		return 0, 0
	}
	if at := strings.IndexByte(letters, s[1]); at >= 0 {
		return rune(meant[at]), 2
	}
	unit := escapedUnit(s)
	switch {
	case unit < 0:
		return 0, 0
	case !utf16.IsSurrogate(unit):
		return unit, 6
	}
	if r := utf16.DecodeRune(unit, escapedUnit(s[6:])); r != utf8.RuneError {
		return r, 12
	}
	return 0, 0
}

// escapedUnit returns the code unit that \uXXXX at the front of s means, or -1.
func escapedUnit(s string) rune {
	if len(s) < 6 || s[:2] != `\u` {
		return -1
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}
