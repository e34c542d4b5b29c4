//go:build (live || long) && unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/report/verdict"
	"loadgen/results"
)

// spinChild names the variable that makes the test binary a process that computes, with
// what it holds as its nice value.
const spinChild = "LOADGEN_SPIN_CHILD"

// longestSpin ends a process that computes whose parent did not.
const longestSpin = 10 * time.Minute

// A default stress finds its saturation beside whatever computes, with steps of a second,
// or says that it cannot be told: of three to five seconds some are cut short by the other.
// What it claims is right.
func TestLiveStressBesideAComputingProcess(t *testing.T) {
	besideComputing(t, "TestLiveStressBesideAComputingProcess", 2, "--duration", "1s")
}

// So does a whole one.
func TestLongStressBesideAComputingProcess(t *testing.T) {
	besideComputing(t, "TestLongStressBesideAComputingProcess", 5)
}

// besideComputing runs a stress so many times beside a process of the lowest priority that
// computes, and as often beside one of its own.
func besideComputing(t *testing.T, test string, times int, args ...string) {
	if nice, err := strconv.Atoi(os.Getenv(spinChild)); err == nil {
		spin(nice)
	}
	for _, nice := range []int{19, 0} {
		stop := compute(t, test, nice)
		defer stop()
		for n := 1; n <= times; n++ {
			saturates(t, fmt.Sprintf("nice %d, run %d", nice, n), len(args) > 0, args...)
		}
		stop()
	}
}

// spin computes at a nice value on one thread until its parent ends, or for a time, and
// ends the process.
func spin(nice int) {
	runtime.LockOSThread()
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice); err != nil {
		panic(err)
	}
	parent := os.Getppid()
	for began := time.Now(); time.Since(began) < longestSpin && os.Getppid() == parent; {
		for x := 0; x < 1_000_000; x++ {
		}
	}
	os.Exit(0)
}

// compute starts a process that computes at a nice value, and returns what ends it.
func compute(t *testing.T, test string, nice int) (stop func()) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), self, "-test.run", "^"+test+"$")
	c.Env = append(os.Environ(), spinChild+"="+strconv.Itoa(nice))
	require.NoError(t, c.Start())
	return func() {
		_ = c.Process.Kill() // where it has ended by itself, Wait tells nothing else
		_ = c.Wait()
	}
}

// saturates fails the test unless a stress finds its saturation within a hundredth of the
// model's 2,000, in a run that bears it; or, where it may, claims none, or an interval that
// holds it: of so few seconds that are left the median may be one that served what came late.
func saturates(t *testing.T, name string, may bool, args ...string) {
	t.Helper()
	_, s, record := stressed(t, args...)
	if s.Saturation == nil && may {
		t.Logf("%s: no saturation (%s), %s; %s", name, s.SaturationWhy, s.Validity, strained(record))
		return
	}
	wide := may && len(s.SaturationInterval) == 2 && s.SaturationInterval[0] <= 2020 && s.SaturationInterval[1] >= 1980
	if s.Saturation == nil || (*s.Saturation < 1980 || *s.Saturation > 2020) && !wide || s.Validity != results.Valid {
		t.Errorf("%s: saturation = %s (%s), %s %v; want 1,980 to 2,020\n%s", name, spelled(s.Saturation), s.SaturationWhy,
			s.Validity, s.ClientLimited, eachSecond(record))
	}
	t.Logf("%s: saturation %s in %v, %s; %s", name, spelled(s.Saturation), s.SaturationInterval, s.Validity, strained(record))
}

// eachSecond returns a line for each second of a run: what a verdict rests on.
func eachSecond(record *results.Record) string {
	var text strings.Builder
	for _, row := range record.Intervals {
		fmt.Fprintf(&text, "%3d %-12s %5d due %5d sent %5d late %5d served %5d throttled\n",
			row.Second, row.Phase, row.Scheduled, row.Sent, row.Late, row.Served, row.Throttled)
	}
	return text.String()
}

func spelled(x *float64) string {
	if x == nil {
		return "none"
	}
	return fmt.Sprintf("%.1f", *x)
}

// stressed runs the command and returns its exit code, its summary and its record, whose books close.
func stressed(t *testing.T, args ...string) (int, *results.Summary, *results.Record) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	folder := t.TempDir()
	args = append([]string{"stress", "--format", "json", "--quiet", "--out", folder}, args...)
	code := execute(context.Background(), args, nil, &stdout, &stderr)
	if code == codeInternal || code == codeUsage {
		t.Fatalf("run %v = %d\n%s", args, code, &stderr)
	}
	s := new(results.Summary)
	require.NoError(t, json.Unmarshal(stdout.Bytes(), s))
	if s.Attempts != s.OkAttempts+s.Throttled+s.Failed || s.Scheduled != s.Sent+s.Dropped {
		t.Fatalf("the books do not close: %v %+v", s.Reasons, s)
	}
	return code, s, read(t, folder)
}

// strained tells how many of the reported seconds were late, and why.
func strained(record *results.Record) string { return verdict.Lateness(verdict.Strains(record)) }
