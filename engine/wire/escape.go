package wire

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// AppendEntityPath appends the escaped path of an entity, without a slash
// before it: T(PartitionKey='a%20b',RowKey='O%27%27X').
func AppendEntityPath(dst []byte, table string, k entity.Key) []byte {
	dst = appendTableSegment(dst, table)
	dst = append(dst, "(PartitionKey='"...)
	dst = appendLiteral(dst, k.Partition)
	dst = append(dst, "',RowKey='"...)
	dst = appendLiteral(dst, k.Row)
	return append(dst, "')"...)
}

// AppendTablePath appends the escaped path of a table: Tables('T').
func AppendTablePath(dst []byte, table string) []byte {
	dst = append(dst, "Tables('"...)
	dst = appendLiteral(dst, table)
	return append(dst, "')"...)
}

// AppendQueryValue appends a value of a query string, percent-encoded (a blank
// is %20).
func AppendQueryValue(dst []byte, value string) []byte {
	for i := range len(value) {
		dst = appendEscaped(dst, value[i])
	}
	return dst
}

// appendLiteral appends what stands between the quotes of a literal. Whatever
// is not unreserved by RFC 3986 is escaped, so that no character of a key can
// be taken for one of the path.
func appendLiteral(dst []byte, s string) []byte {
	for i := range len(s) {
		if s[i] == '\'' {
			dst = append(dst, "%27%27"...)
		} else {
			dst = appendEscaped(dst, s[i])
		}
	}
	return dst
}

// appendTableSegment appends a table's name as a segment of a path. The dollar
// sign of the tables of metrics may stand there as it is.
func appendTableSegment(dst []byte, table string) []byte {
	for i := range len(table) {
		if table[i] == '$' {
			dst = append(dst, '$')
		} else {
			dst = appendEscaped(dst, table[i])
		}
	}
	return dst
}

func appendEscaped(dst []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	if unreserved(c) {
		return append(dst, c)
	}
	return append(dst, '%', digits[c>>4], digits[c&0xF])
}

// unreserved reports whether c may stand for itself anywhere in a URL.
func unreserved(c byte) bool {
	letter := 'a' <= c|0x20 && c|0x20 <= 'z'
	return letter || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// inLink reports whether c stands for itself in the addresses that the service writes.
func inLink(c byte) bool { return unreserved(c) || strings.IndexByte("!*()", c) >= 0 }

const (
	tokenVersion = "1!"
	// maxToken is more than any token has: that of a key of 512 UTF-16 units,
	// or of a table's name with further data of a server.
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
