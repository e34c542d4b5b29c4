package workflow_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/workflow"
)

func TestWriteIDsReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]workflow.WriteID{
		"k3f9-12": {Run: "k3f9", Number: 12}, "K-0": {Run: "K"}, "1-18446744073709551615": {Run: "1", Number: math.MaxUint64},
		strings.Repeat("r", 32) + "-1": {Run: strings.Repeat("r", 32), Number: 1},
	} {
		got, ok := workflow.ParseWriteID(text)
		assert.Truef(t, ok && got == want, "ParseWriteID(%q) = %+v, %v; want %+v", text, got, ok, want)
	}
	// A mark or a number that is too long, signs, zeros before a number, parts that are missing, and other letters.
	for _, text := range []string{strings.Repeat("r", 33) + "-1", "1-18446744073709551616", "r--1", "r-+1", "r-01", "-1", "r-", "r1", "", "r -1", "ö-1"} {
		got, ok := workflow.ParseWriteID(text)
		assert.Falsef(t, ok, "ParseWriteID(%q) = %+v", text, got)
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
