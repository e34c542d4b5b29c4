package survey

import (
	"errors"
	"io"
)

// Fields returns all rows of a text as they are told apart, up to the first that
// cannot be.
func Fields(from io.Reader) ([][]string, error) {
	r := newRecords(from)
	var rows [][]string
	for {
		err := r.next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		var row []string
		for _, field := range r.fields {
			row = append(row, string(field))
		}
		rows = append(rows, row)
	}
}

// ValidKey says of a part of a key whether a table would take it.
func ValidKey(key []byte) bool { return validKey(key) }

// ParseInstant returns an instant in nanoseconds and how it is written.
func ParseInstant(text string) (nanoseconds int64, kind string) {
	at, written := parseInstant([]byte(text))
	return int64(at), written.String()
}
