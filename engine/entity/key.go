package entity

import (
	"cmp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Key is the primary key of an entity. Either part may be empty.
type Key struct {
	Partition string
	Row       string
}

// Compare returns -1, 0 or +1 as k comes before, at or after other in the
// index: by PartitionKey, then by RowKey, each as the function [Compare] has it.
func (k Key) Compare(other Key) int {
	if c := Compare(k.Partition, other.Partition); c != 0 {
		return c
	}
	return Compare(k.Row, other.Row)
}

// Compare returns -1, 0 or +1 as a comes before, at or after b in the order of
// the index: ordinal, by UTF-16 code unit, a prefix before what it begins. It
// is a total order of any strings, valid UTF-8 or not.
//
// UTF-8 bytes have that order already, save that a supplementary character
// (first byte F0 and up) comes before U+E000 to U+FFFF (first byte EE or EF),
// because its UTF-16 form begins with a surrogate.
func Compare(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(rank(a[i]), rank(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// rank maps the bytes onto themselves so that EE and EF come last.
func rank(b byte) byte {
	switch {
	case b < 0xEE:
		return b
	case b < 0xF0:
		return b + 0x10
	default:
		return b - 2
	}
}

// SortKey returns a string whose plain byte order, against other sort keys, is
// the order of [Compare]: s with each supplementary character written as two
// surrogates of three bytes each (CESU-8, Unicode Technical Report 26). Where s
// has none, that is s itself and nothing is allocated. The order is promised
// for valid UTF-8.
func SortKey(s string) string {
	i := supplementary(s)
	if i == len(s) {
		return s
	}
	sorted := make([]byte, 0, len(s)+len(s)/2+2)
	for i < len(s) {
		sorted = append(sorted, s[:i]...)
		s = s[i:]
		r, width := utf8.DecodeRuneInString(s)
		if width == 4 {
			high, low := utf16.EncodeRune(r)
			sorted = appendSurrogate(appendSurrogate(sorted, high), low)
		} else {
			sorted = append(sorted, s[:width]...)
		}
		s = s[width:]
		i = supplementary(s)
	}
	return string(append(sorted, s...))
}

// FromSortKey returns the string that [SortKey] turned into sorted; it is
// sorted itself, without an allocation, if nothing needs conversion.
func FromSortKey(sorted string) string {
	if strings.IndexByte(sorted, 0xED) < 0 {
		return sorted
	}
	i := surrogates(sorted)
	if i == len(sorted) {
		return sorted
	}
	var s strings.Builder
	s.Grow(len(sorted))
	for i < len(sorted) {
		s.WriteString(sorted[:i])
		s.WriteRune(utf16.DecodeRune(surrogateAt(sorted, i), surrogateAt(sorted, i+3)))
		sorted = sorted[i+6:]
		i = surrogates(sorted)
	}
	s.WriteString(sorted)
	return s.String()
}

// supplementary returns the index of the first byte that can begin a
// supplementary character, or the length of s.
func supplementary(s string) int {
	for i := asciiPrefix(s); i < len(s); i++ {
		if s[i] >= 0xF0 {
			return i
		}
	}
	return len(s)
}

// surrogates returns the index of the first pair of surrogates in three bytes
// each, or the length of s.
func surrogates(s string) int {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], 0xED)
		if i < 0 {
			return len(s)
		}
		i += from
		if utf16.IsSurrogate(surrogateAt(s, i)) &&
			utf16.DecodeRune(surrogateAt(s, i), surrogateAt(s, i+3)) != utf8.RuneError {
			return i
		}
		from = i + 1
	}
}

func appendSurrogate(dst []byte, r rune) []byte {
	return append(dst, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
}

// surrogateAt returns the surrogate written in three bytes at i, and 0 where
// there is none.
func surrogateAt(s string, i int) rune {
	if i+3 > len(s) || s[i] != 0xED || s[i+1]&0xE0 != 0xA0 || s[i+2]&0xC0 != 0x80 {
		return 0
	}
	return 0xD000 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F)
}
