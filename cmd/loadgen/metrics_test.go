package main

import (
	"bytes"
	"context"
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

// Metrics that other machines reach come with a warning, which is no event.
func TestMetricsThatOthersReach(t *testing.T) {
	t.Chdir(t.TempDir())
	over, end := context.WithCancel(t.Context())
	end()
	for _, row := range []struct {
		typed  string
		warned bool
	}{{"0.0.0.0:0 --ui none", true}, {"0.0.0.0:0 --ui json", false}, {"127.0.0.1:0 --ui none", false}} {
		var out, said bytes.Buffer
		execute(over, strings.Fields("stress --target in-process --no-charts --metrics-listen "+row.typed), strings.NewReader(""), &out, &said)
		assert.Equalf(t, row.warned, strings.Contains(said.String(), "nothing guards"), "--metrics-listen %s: %q", row.typed, &said)
	}
}
