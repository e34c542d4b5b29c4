//go:build linux && ci

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNotOneEscapeByte runs the program where no escape sequence is welcome.
func TestNotOneEscapeByte(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		terminal    bool
		environment []string
		args        []string
	}{
		{"a pipe", false, nil, nil},
		{"a terminal, and NO_COLOR", true, []string{"NO_COLOR=1"}, nil},
		{"a terminal that is dumb", true, []string{"TERM=dumb"}, nil},
		{"a terminal of a CI", true, []string{"CI=true"}, nil},
		{"a terminal, and --ui plain", true, nil, []string{"--ui", "plain"}},
		{"a terminal, and --ui none", true, nil, []string{"--ui", "none"}},
		{"a terminal, and --ui json", true, nil, []string{"--ui", "json"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := program(t, tt.environment, append([]string{"simulate", "stress", "--no-charts", "--one-profile", "--set", "phases.load.entities=100",
				"--set", "phases.peak.rates=[50]", "--set", "phases.peak.each=1s", "--format", "json"}, tt.args...)...)
			var said string
			code := 0
			if tt.terminal {
				o := startOnTerminal(t, 100, c)
				code = o.ended()
				said = o.said.String()
			} else {
				out, err := c.CombinedOutput()
				said = string(out)
				require.NoErrorf(t, err, "%v\n%s", err, out)
			}
			require.Truef(t, code == 0 && strings.Contains(said, `"verdict"`), "exit code %d, and it wrote\n%s", code, said)
			assert.NotContainsf(t, said, "\x1b", "it wrote escape sequences: %q", said)
			if quiet := !strings.Contains(said, "peak: 200 operations in 4s"); quiet != (tt.name == "a terminal, and --ui none" || tt.name == "a terminal, and --ui json") {
				t.Errorf("it told of the run by plain lines: %t\n%s", !quiet, said)
			}
		})
	}
}
