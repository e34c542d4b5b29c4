package wire

import (
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string. It is a view into the text where it has no escapes, and a
// fresh string else.
func (s *jsonScanner) str() (string, bool) {
	raw, escapes, ok := s.quoted()
	if !ok || !escapes {
		return raw, ok
	}
	return s.unescape(raw)
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
			return "", false, s.fail("a string without end")
		}
		switch c := s.text[i]; {
		case c == '"':
			raw = s.text[start:i]
			if wide && !utf8.ValidString(raw) {
				return "", false, s.fail("a string that is not UTF-8")
			}
			s.at = i + 1
			return raw, escapes, true
		case c == '\\':
			escapes = true
			i++ // Whatever comes next is no end of the string.
		case c < ' ':
			s.at = i
			return "", false, s.fail("a control character in a string")
		default:
			wide = true
		}
	}
}

// plainUpTo returns the index of the first byte from i on that is a quote, a
// backslash, a control character or no ASCII: of whatever a JSON string cannot
// hold just as it is, or needs a closer look. It takes eight bytes at a time,
// since all text that goes in or out passes through here.
func plainUpTo(s string, i int) int {
	last := len(s) - 8
	if i <= last {
		for ; i <= last; i += 8 {
			if marks := notPlain(s[i : i+8]); marks != 0 {
				return i + bits.TrailingZeros64(marks)/8
			}
		}
		// The rest is looked at together with plain bytes before it.
		if marks := notPlain(s[last:]); marks != 0 {
			return last + bits.TrailingZeros64(marks)/8
		}
		return len(s)
	}
	for i < len(s) && plain(s[i]) {
		i++
	}
	return i
}

// notPlain returns a word with the top bit set of the first byte, in the order
// of the text, that plainUpTo stops at; what lies above that bit means nothing.
//
// In each byte, subtracting sets the top bit where the byte was less than what
// is subtracted. A borrow can set bits by mistake, but only above a byte that is
// rightly marked.
func notPlain(c string) uint64 {
	const (
		ones = 0x0101010101010101
		tops = 0x8080808080808080
	)
	word := uint64(c[0]) | uint64(c[1])<<8 | uint64(c[2])<<16 | uint64(c[3])<<24 |
		uint64(c[4])<<32 | uint64(c[5])<<40 | uint64(c[6])<<48 | uint64(c[7])<<56
	return (word | (word - ones*' ') | ((word ^ ones*'"') - ones) | ((word ^ ones*'\\') - ones)) & tops
}

func plain(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }

// unescape returns the string that the inside of a quoted one means. Lone
// surrogates are faults: no UTF-8 text can hold them.
func (s *jsonScanner) unescape(raw string) (string, bool) {
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
			return "", s.fail("a bad escape in the string that ends")
		}
		b.WriteRune(r)
		raw = raw[i+width:]
	}
}

// escaped returns the character that the escape at the front of s means and how
// long the escape is, 0 where there is no such escape.
func escaped(s string) (rune, int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch c := s[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	r := escapedUnit(s)
	if r < 0 || !utf16.IsSurrogate(r) {
		return r, escapeWidth(r >= 0, 6)
	}
	r = utf16.DecodeRune(r, escapedUnit(s[6:]))
	return r, escapeWidth(r != utf8.RuneError, 12)
}

func escapeWidth(ok bool, width int) int {
	if !ok {
		return 0
	}
	return width
}

// escapedUnit returns the code unit that \uXXXX at the front of s means, or -1.
func escapedUnit(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	var r rune
	for i := 2; i < 6; i++ {
		d := jsonHexDigit(s[i])
		if d < 0 {
			return -1
		}
		r = r<<4 | rune(d)
	}
	return r
}

// jsonHexDigit returns the value of a hexadecimal digit in either case, or -1.
func jsonHexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	default:
		return -1
	}
}
