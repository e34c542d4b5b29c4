//go:build ci

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// Over HTTP the engine has a client for each account. It is without limits here, for
// what is refused in real time depends on the machine.
func TestShardedOverHTTP(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	code, stdout, stderr := say(t, "run", "--verbose", "--quiet", "--no-probe", "--out", filepath.Join(folder, "run"), shardedIn(t, folder),
		"--set", "phases.measure.for=1s", "--set", "model={profile: off}")
	require.Truef(t, code == codeOk && strings.Contains(stdout, "over 2 accounts"), "run = %d %s\n%s", code, stderr, stdout)
	record := read(t, filepath.Join(folder, "run"))
	sum, all := record.Total(results.Reported), record.Total(results.Everything)
	assert.EqualValues(t, 150, sum.Attempts, "attempts that are reported")
	assert.Zero(t, sum.Throttled, "attempts that were throttled")
	assert.Equal(t, [3]int64{all.Attempts, all.Throttled, all.Counted},
		[3]int64{record.Target.Requests, record.Target.Throttled, record.Target.Entities}, "what the accounts counted")
	assert.Equal(t, 2, record.Manifest.Accounts, "the accounts of the manifest")
	if record.Connections == nil || record.Connections.Opened < 2 {
		t.Errorf("the connections are %+v; want some to each account", record.Connections)
	}
	for _, phase := range record.Phases {
		if phase.Reported && (len(phase.Accounts) != 2 || phase.Accounts[0].Offered != 75 || phase.Accounts[1].Offered != 75) {
			t.Errorf("the phase %s has the accounts %+v; want 75 entities offered to each", phase.Name, phase.Accounts)
		}
	}
}
