//go:build long && unix

package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	gateSets  = flag.Int("gate-sets", 20, "how many sets of live runs of the same build are compared")
	gatePairs = flag.Int("gate-pairs", 8, "how many pairs of runs a set has")
)

// mostAlarms is how many sets of the same build may be called different.
const mostAlarms = 1

// gateScenario is short: 20 sets of 8 pairs are 320 runs. Its times are those of the
// model, upon which the machine puts its own.
//
//go:embed testdata/live-gate.yaml
var gateScenario string

// Live runs of the same build are not called different, and ten percent more service
// time are found.
func TestLongLiveGate(t *testing.T) {
	folder, build := t.TempDir(), binary(t)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "live.yaml"), []byte(gateScenario), 0o600))
	alarms, again := 0, 0
	for n := 0; n < *gateSets; n++ {
		told := gatedLive(t, folder, build, build, fmt.Sprintf("set-%d", n+1))
		t.Logf("A/A, set %d: %s", n+1, told)
		switch told.code {
		case codeOk:
			if told.Verdict != "no difference" {
				alarms++
			}
		case 11:
			alarms++
		case codeInvalidRun:
			// The machine had no time for its generator: that is no verdict.
			if again++; again > *gateSets {
				t.Fatalf("%d sets were not valid; expected a machine with less to do", again)
			}
			n--
		default:
			t.Errorf("A/A, set %d: exit code %d", n+1, told.code)
		}
	}
	if t.Logf("A/A: %d alarms of %d sets, and %d sets that were not valid", alarms, *gateSets, again); alarms > mostAlarms {
		t.Errorf("%d of %d sets of the same build were called different; want at most %d", alarms, *gateSets, mostAlarms)
	}
	// The older build is this one with a tenth less of service time.
	older := filepath.Join(folder, "older")
	script := fmt.Sprintf("#!/bin/sh\nexec %s \"$@\" --set model.read_time=9090us\n", build)
	require.NoError(t, os.WriteFile(older, []byte(script), 0o700))
	told := gatedLive(t, folder, build, older, "slower")
	t.Logf("+10%% of service time: %s", told)
	if told.code != 11 || told.Verdict != "regression" || told.Metrics[0].Change < 0.05 {
		t.Errorf("+10%% of service time: exit code %d; want 11, and the time that has grown", told.code)
	}
}

// toldLive is what a gate printed.
type toldLive struct {
	code    int
	Verdict string
	Metrics []struct {
		Metric       string
		A, B, Change float64
		P            float64
	}
	Scenarios []struct {
		Reason string
		Notes  []string
	}
}

func (l toldLive) String() string {
	text := fmt.Sprintf("exit %d, %s", l.code, l.Verdict)
	for _, m := range l.Metrics {
		text += fmt.Sprintf("; %s %.4g against %.4g, %+.1f%%, p = %.3g", m.Metric, m.B, m.A, 100*m.Change, m.P)
	}
	for _, s := range l.Scenarios {
		for _, note := range s.Notes {
			if strings.HasPrefix(note, "repeated") {
				text += "; " + note
			}
		}
	}
	return text
}

// gatedLive has a build gate itself against an older one.
func gatedLive(t *testing.T, folder, build, older, out string) toldLive {
	t.Helper()
	c := exec.CommandContext(t.Context(), build, "gate", "live.yaml", "--against", older, "--count", fmt.Sprint(*gatePairs),
		"--quiet", "--format", "json", "--out", out)
	var stdout, stderr bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = folder, &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	told := toldLive{code: c.ProcessState.ExitCode()}
	if err := json.Unmarshal(stdout.Bytes(), &told); err != nil {
		t.Fatalf("%v in %q, %q", err, &stdout, &stderr)
	}
	require.NoError(t, os.RemoveAll(filepath.Join(folder, out)))
	return told
}
