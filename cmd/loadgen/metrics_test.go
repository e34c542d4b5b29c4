package main

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A port that is taken ends the run before it begins, in one line, and nothing is left behind.
func TestAddressesThatAreTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	t.Chdir(t.TempDir())
	for _, typed := range []string{"stress --target in-process --metrics-listen=", "stress --target in-process --live=", "simulate --live="} {
		code, _, stderr := say(t, strings.Fields(typed+taken.Addr().String())...)
		assert.Truef(t, code == codeUsage && strings.Contains(stderr, "in use") && strings.Count(stderr, "\n") == 1,
			"%s of a port that is taken = %d %q; want %d and one line", typed, code, stderr, codeUsage)
	}
	if left := leftIn(t, "."); len(left) > 0 {
		t.Errorf("it left %v behind", left)
	}
}
