package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// digest returns a SHA-256 hash in hexadecimal digits.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// split returns bytes as parts for one message each, none without bytes.
func split(text []byte) [][]byte { return slices.Collect(slices.Chunk(text, partBytes)) }

// collector collects parts that arrive in any order, and more than once. The zero value misses none.
type collector struct {
	parts   [][]byte
	had     []bool
	missing int
}

func newCollector(parts int) collector {
	return collector{parts: make([][]byte, parts), had: make([]bool, parts), missing: parts}
}

// put keeps a part, unless it has it.
func (c *collector) put(part int, text []byte) {
	if part < len(c.parts) && !c.had[part] {
		c.parts[part], c.had[part] = text, true
		c.missing--
	}
}

// join returns all bytes, and whether they have the digest. No part may be missing.
func (c *collector) join(sha256 string) (text []byte, intact bool) {
	text = bytes.Join(c.parts, nil)
	return text, digest(text) == sha256
}
