package protocol

import (
	"crypto/sha256"
	"encoding/hex"
)

// digest is a hash in hexadecimal digits.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// split cuts bytes into parts that a message carries; one at least.
func split(text []byte) [][]byte {
	var parts [][]byte
	for len(text) > partBytes {
		parts = append(parts, text[:partBytes])
		text = text[partBytes:]
	}
	return append(parts, text)
}

// gathered are parts that arrive in any order, and more than once. The zero value waits
// for nothing.
type gathered struct {
	parts  [][]byte
	had    []bool
	misses int
}

// gather waits for so many parts.
func gather(parts int) gathered {
	return gathered{parts: make([][]byte, parts), had: make([]bool, parts), misses: parts}
}

// put keeps a part, the first of its number.
func (g *gathered) put(part int, text []byte) {
	if part >= len(g.parts) || g.had[part] {
		return
	}
	g.parts[part], g.had[part] = text, true
	g.misses--
}

// whole returns all bytes, once every part is there, and whether they have the digest.
func (g *gathered) whole(sha256 string) (text []byte, sound bool) {
	for _, part := range g.parts {
		text = append(text, part...)
	}
	return text, digest(text) == sha256
}
