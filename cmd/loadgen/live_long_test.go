//go:build long && unix

package main

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	layout "loadgen/report/text"
	"loadgen/results"
)

// best repeats a live measurement up to three times until nothing is wrong: the
// machine may stand still for longer than a partition's burst lasts. What does
// not hold in any of three is a fault of the tool.
func best(t *testing.T, fault func() string) {
	t.Helper()
	var told string
	for n := 1; n <= 3; n++ {
		if told = fault(); told == "" {
			t.Logf("run %d holds", n)
			return
		}
		t.Logf("run %d: %s", n, told)
	}
	t.Errorf("in none of three runs: %s", told)
}

func TestLiveSaturation(t *testing.T) {
	best(t, func() string {
		code, s, record := stressed(t)
		require.Equal(t, codeOk, code, "exit code")
		require.NotEqual(t, results.Invalid, s.Validity, "the run")
		if s.Saturation == nil || math.Abs(*s.Saturation/2000-1) > .02 {
			return "saturation within 2 % of 2,000 entities/s"
		}
		t.Logf("saturation %.0f, interval %v", *s.Saturation, s.SaturationInterval)
		for _, p := range s.Phases {
			if p.Offered <= 1000 && p.ThrottledPerSecond > 0 {
				return "nothing throttled at 1,000/s"
			}
		}
		if len(s.ClientLimited) > 0 {
			// The generator and the engine share this machine; the report says
			// so, and is not of the shape of one without such marks.
			t.Logf("client-limited: %v", s.ClientLimited)
			return ""
		}
		return unlikeSample(t, record)
	})
}

// unlikeSample tells how the text report of a live run differs in shape from the
// sample of docs/output.md.
func unlikeSample(t *testing.T, record *results.Record) string {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, report.Screen(&text, report.Document(record, record.Summary), layout.Look{Verbose: true}))
	// The command is another one: it names the format and the folder; and in which seconds
	// the generator was late, and why, is the machine's.
	want, got := shape(latePattern.ReplaceAllString(sample(t), "")), shape(latePattern.ReplaceAllString(text.String(), ""))
	if diff := cmp.Diff(want[:len(want)-1], got[:min(len(got), len(want)-1)]); diff != "" {
		return "a report of the shape that docs/output.md shows:\n" + diff
	}
	return ""
}

func TestLiveThrottledWithoutRetry(t *testing.T) {
	best(t, func() string {
		code, s, _ := stressed(t, "--retry", "none", "--rate", "4000", "--duration", "6s")
		require.Equal(t, codeOk, code, "exit code")
		require.NotEqual(t, results.Invalid, s.Validity, "the run")
		// The first second holds the burst that an idle partition saved up:
		// the last half is steady.
		share := 1.0
		if len(s.Phases) == 1 && s.Phases[0].ShareLostSettled != nil {
			share = *s.Phases[0].ShareLostSettled
		}
		t.Logf("share of the attempts throttled: %.4f", share)
		if math.Abs(share-.5) > .02 {
			return "half of the attempts throttled at 4,000/s, within 2 points"
		}
		return ""
	})
}
