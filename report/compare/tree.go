package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// mostShown is how many bytes of a value are shown, mostKey of a key or name.
	mostShown = 120
	mostKey   = 120
	// mostText is the longest text that is read, and deepest how far it may nest.
	mostText = 64 << 20
	deepest  = 200
)

// parseTree reads one JSON value and nothing behind it. Numbers stay as they are
// written.
func parseTree(text []byte) (any, error) {
	if len(text) > mostText {
		return nil, fmt.Errorf("%w: %d bytes are more than %d", ErrTree, len(text), mostText)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTree, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows the value, at byte %d", ErrTree, decoder.InputOffset())
	}
	if tooDeep(tree, deepest) {
		return nil, fmt.Errorf("%w: it nests deeper than %d", ErrTree, deepest)
	}
	return tree, nil
}

func tooDeep(tree any, left int) bool {
	if left == 0 {
		return true
	}
	switch tree := tree.(type) {
	case map[string]any:
		for _, value := range tree {
			if tooDeep(value, left-1) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(tree, func(value any) bool { return tooDeep(value, left-1) })
	}
	return false
}

// pathWord returns a key or name as it stands in a path: as it is where it holds only
// letters, digits, "_", "-", "/" and inner blanks, else in quotes.
func pathWord(key string) string {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-/ ", r))
	}
	if key == "" || strings.TrimSpace(key) != key || strings.ContainsFunc(key, odd) {
		return strconv.Quote(cut(key, mostKey))
	}
	return cut(key, mostKey)
}

// shown returns a value as JSON on one line, cut off where it is long.
func shown(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("compare: a value that was read cannot be written: " + err.Error())
	}
	return cut(strings.TrimSuffix(text.String(), "\n"), mostShown)
}

// cut returns the beginning of a text, and whole letters only.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
