//go:build ci

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Over HTTP the engine has a client for each account. It is without limits here, for
// what is refused in real time depends on the machine.
func TestShardedOverHTTP(t *testing.T) {
	intoShards(t)
	code, stdout, stderr := say(t, "run", "--verbose", "--quiet", "--no-probe", "--out", "run", "sharded.yaml",
		"--set", "phases.measure.for=1s", "--set", "model={profile: off}")
	require.Truef(t, code == codeOk && strings.Contains(stdout, "over 2 accounts"), "run = %d %s\n%s", code, stderr, stdout)
	record := read(t, "run")
	inShards(t, "over HTTP", record, 2, 150)
	if record.Connections == nil || record.Connections.Opened < 2 {
		t.Errorf("the connections are %+v; want some to each account", record.Connections)
	}
	for _, phase := range record.Phases {
		if phase.Reported && (len(phase.Accounts) != 2 || phase.Accounts[0].Offered != 75 || phase.Accounts[1].Offered != 75) {
			t.Errorf("the phase %s has the accounts %+v; want 75 entities offered to each", phase.Name, phase.Accounts)
		}
	}
}
