package workflow_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/workflow"
)

func TestWriteIDsReadAsTheyAreWritten(t *testing.T) {
	for _, row := range []struct {
		name string
		text string
		want workflow.WriteID
		ok   bool
	}{
		{"an id", "k3f9-12", workflow.WriteID{Run: "k3f9", Number: 12}, true},
		{"the number 0", "K-0", workflow.WriteID{Run: "K", Number: 0}, true},
		{"the greatest number", "1-18446744073709551615", workflow.WriteID{Run: "1", Number: math.MaxUint64}, true},
		{"the longest mark", strings.Repeat("r", 32) + "-1", workflow.WriteID{Run: strings.Repeat("r", 32), Number: 1}, true},
		{"a longer mark", strings.Repeat("r", 33) + "-1", workflow.WriteID{}, false},
		{"a greater number", "1-18446744073709551616", workflow.WriteID{}, false},
		{"a negative number", "r--1", workflow.WriteID{}, false},
		{"a number with a sign", "r-+1", workflow.WriteID{}, false},
		{"a number with zeros before it", "r-01", workflow.WriteID{}, false},
		{"no run", "-1", workflow.WriteID{}, false},
		{"no number", "r-", workflow.WriteID{}, false},
		{"no separator", "r1", workflow.WriteID{}, false},
		{"nothing", "", workflow.WriteID{}, false},
		{"a blank", "r -1", workflow.WriteID{}, false},
		{"a letter that is not of ASCII", "ö-1", workflow.WriteID{}, false},
	} {
		got, ok := workflow.ParseWriteID(row.text)
		assert.Truef(t, ok == row.ok && (!ok || got == row.want),
			"%s: ParseWriteID(%q) = %+v, %v; want %+v, %v", row.name, row.text, got, ok, row.want, row.ok)
	}
}

func FuzzParseWriteID(f *testing.F) {
	for _, text := range []string{"", "r-1", "k3f9-18446744073709551615", "r-01", "-", "ö-1", "r-1-1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if id, ok := workflow.ParseWriteID(text); ok && id.String() != text {
			t.Errorf("ParseWriteID(%q).String() = %q; want what was read", text, id.String())
		}
	})
}
