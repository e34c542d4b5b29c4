package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// say runs the program in an empty folder and returns what it said.
func say(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = execute(context.Background(), undrawn(args), strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// undrawn has a command that runs load keep the record alone, unless it says itself what
// to keep: pictures take more time than most of the runs that tests need.
func undrawn(args []string) []string {
	runs := len(args) > 0 && slices.Contains([]string{"stress", "run", "simulate"}, args[0])
	if !runs || slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--no-charts") }) {
		return args
	}
	return append(slices.Clone(args), "--no-charts")
}

// planted is a key that must not be found where it does not belong.
const planted = "cGxhbnRlZHNlY3JldHBsYW50ZWRzZWNyZXRwbGFudGVk"

// longestFault is how many characters a line about a fault has at most.
const longestFault = 400

// leftIn lists every file and folder below a folder.
func leftIn(t *testing.T, folder string) []string {
	t.Helper()
	var left []string
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if path != folder {
			left = append(left, path)
		}
		return err
	})
	require.NoError(t, err)
	return left
}

// addFiles adds the texts of the files below a folder.
func addFiles(t *testing.T, texts map[string]string, folder string) {
	t.Helper()
	for _, name := range leftIn(t, folder) {
		if text, err := os.ReadFile(name); err == nil {
			texts[name] = string(text)
		}
	}
}

// withoutKey checks that no text has eight bytes of the planted key in a row, encoded or not.
func withoutKey(t *testing.T, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		assert.NotContainsf(t, text, "plantedsecret", "%s has the key", name)
		for i := 0; i+12 <= len(planted); i += 4 {
			assert.NotContainsf(t, text, planted[i:i+12], "%s has a part of the key", name)
		}
	}
}
