package target

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// Token is an opaque continuation token, for the target that returned it. Its text can be stored and resumed later, also
// by another process.
type Token struct {
	// Present is false for no token; a token may have two empty keys.
	Present          bool
	NextPartitionKey string
	NextRowKey       string
}

// The text of a token: a mark with the version of the form, and the two keys in
// base64 as URLs have it, without padding: from.UDE.MDAx. No token is the empty
// text. It holds nothing that YAML, JSON, a shell or a URL would take for its own.
const (
	tokenMark = "from."
	// maxTokenText is more than the tokens of any service have: two headers of
	// 4 KiB, encoded.
	maxTokenText = 16 << 10
)

// MarshalText returns the token as text; the error is always nil.
func (t Token) MarshalText() ([]byte, error) {
	if !t.Present {
		return []byte{}, nil
	}
	text := append(make([]byte, 0, 64), tokenMark...)
	text = base64.RawURLEncoding.AppendEncode(text, []byte(t.NextPartitionKey))
	text = append(text, '.')
	return base64.RawURLEncoding.AppendEncode(text, []byte(t.NextRowKey)), nil
}

// UnmarshalText reads what MarshalText wrote and nothing else: each token has one
// text. The error wraps [ErrToken] and leaves the token as it was.
func (t *Token) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*t = Token{}
		return nil
	}
	if len(text) > maxTokenText {
		return fmt.Errorf("%w: it has %d bytes; expected at most %d", ErrToken, len(text), maxTokenText)
	}
	rest, marked := strings.CutPrefix(string(text), tokenMark)
	partition, row, parted := strings.Cut(rest, ".")
	if !marked || !parted {
		return fmt.Errorf("%w: expected %sPARTITION.ROW", ErrToken, tokenMark)
	}
	read := Token{Present: true}
	for _, part := range []struct {
		name, text string
		into       *string
	}{{"PartitionKey", partition, &read.NextPartitionKey}, {"RowKey", row, &read.NextRowKey}} {
		// The decoder passes over line ends, which no token of ours has.
		plain, err := base64.RawURLEncoding.Strict().DecodeString(part.text)
		if err != nil || strings.ContainsAny(part.text, "\r\n") {
			return fmt.Errorf("%w: its %s is not base64 as in URLs, without padding", ErrToken, part.name)
		}
		*part.into = string(plain)
	}
	*t = read
	return nil
}
