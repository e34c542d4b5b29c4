package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxValueBytes limits the text of a value, maxKeyBytes that of a key or name.
	maxValueBytes = 120
	maxKeyBytes   = 120
)

// parseTree parses exactly one JSON value. Numbers keep their text.
func parseTree(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTree, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: text after the value, at byte %d", ErrTree, decoder.InputOffset())
	}
	return tree, nil
}

// pathWord returns a key or name for a path: unchanged if it has only letters, digits, "_",
// "-", "/" and inner blanks, else in quotes.
func pathWord(key string) string {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-/ ", r))
	}
	if key == "" || strings.TrimSpace(key) != key || strings.ContainsFunc(key, odd) {
		return strconv.Quote(cut(key, maxKeyBytes))
	}
	return cut(key, maxKeyBytes)
}

// jsonOf returns a value as JSON on one line, truncated.
func jsonOf(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("compare: a value that was read cannot be written: " + err.Error())
	}
	return cut(strings.TrimSuffix(text.String(), "\n"), maxValueBytes)
}

// cut truncates a text at a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}
