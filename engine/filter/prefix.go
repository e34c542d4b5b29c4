package filter

import "unicode/utf8"

// afterPrefix returns the first string in the order of the index that comes
// after every string that begins with prefix, and false where none does: the
// prefix without its last character, followed by the character next to that.
// A prefix is a string of whole characters.
func afterPrefix(prefix string) (string, bool) {
	for prefix != "" {
		last, width := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-width]
		if next, ok := nextCharacter(last); ok {
			return prefix + string(next), true
		}
	}
	return "", false
}

// nextCharacter returns the character that follows c by UTF-16 code unit, and
// false for the last of all. The surrogates stand between U+D7FF and U+E000,
// and with them, as pairs, all supplementary characters.
func nextCharacter(c rune) (rune, bool) {
	switch c {
	case 0xD7FF:
		return 0x10000, true
	case utf8.MaxRune:
		return 0xE000, true
	case 0xFFFF:
		return 0, false
	default:
		return c + 1, true
	}
}
