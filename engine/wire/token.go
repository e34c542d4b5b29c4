package wire

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	tokenVersion = "1!"
	// maxToken is more than any token has: that of a key of 512 UTF-16 units,
	// or of a table's name with whatever a server packs beside it.
	maxToken = 4096
)

// AppendContinuation appends a continuation token for a key: opaque to clients, ASCII
// that a header and a query string can carry, never empty: 1!8!U21pdGg-. The
// empty key has one too: 1!0!. It is the key's length in base64 and the key in
// base64, whose padding is written as hyphens; + and / stay as they are.
func AppendContinuation(dst []byte, key string) []byte {
	dst = append(dst, tokenVersion...)
	dst = strconv.AppendInt(dst, int64(base64.StdEncoding.EncodedLen(len(key))), 10)
	dst = append(dst, '!')
	start := len(dst)
	dst = base64.StdEncoding.AppendEncode(dst, []byte(key))
	for i := len(dst) - 1; i >= start && dst[i] == '='; i-- {
		dst[i] = '-'
	}
	return dst
}

// ParseContinuation returns the key of a token, and false for any other text. A blank
// counts as the plus sign that it was before a client sent the token back in a
// query string without escaping it.
func ParseContinuation(token string) (key string, ok bool) {
	rest, ok := strings.CutPrefix(token, tokenVersion)
	if !ok || len(token) > maxToken {
		return "", false
	}
	length, text, ok := strings.Cut(rest, "!")
	// The length has one spelling only.
	if !ok || length != strconv.Itoa(len(text)) {
		return "", false
	}
	bare := strings.TrimRight(text, "-")
	if strings.ContainsAny(bare, "-=\r\n") {
		return "", false
	}
	if strings.Contains(bare, " ") {
		bare = strings.ReplaceAll(bare, " ", "+")
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(bare + "=="[:min(2, len(text)-len(bare))])
	if err != nil || !utf8.Valid(decoded) || base64.StdEncoding.EncodedLen(len(decoded)) != len(text) {
		return "", false
	}
	return string(decoded), true
}
