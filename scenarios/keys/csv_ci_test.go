//go:build ci

package keys_test

import (
	"bytes"
	"strconv"
	"testing"
)

func TestReadCSVHasAMillionValuesAtMost(t *testing.T) {
	text := []byte("city\n")
	for i := range int64(1_000_001) {
		text = append(strconv.AppendInt(text, i, 36), '\n')
	}
	_, err := cities.Read(bytes.NewReader(text))
	if want := "events.csv:1000002: the file has more than 1000000 different values; expected at most so many"; err == nil || err.Error() != want {
		t.Errorf("Read() of a million and one values = %v; want %s", err, want)
	}
}
