//go:build ci

package keys_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReadCSVHasAMillionValuesAtMost(t *testing.T) {
	text := []byte("city\n")
	for i := range int64(1_000_001) {
		text = append(strconv.AppendInt(text, i, 36), '\n')
	}
	_, err := cities.Read(bytes.NewReader(text))
	assert.Truef(t, err != nil && strings.HasPrefix(err.Error(), "events.csv:1000002: "),
		"Read() of a million and one values = %v; want a fault of the last line", err)
}
