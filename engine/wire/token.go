package wire

// AppendToken appends a continuation token for a key: opaque to clients, ASCII
// that a header and a query string can carry, never empty: 1!8!U21pdGg-.
func AppendToken(dst []byte, key string) []byte { panic("contract") }

// ParseToken returns the key of a token, and false for any other text.
func ParseToken(token string) (key string, ok bool) { panic("contract") }
