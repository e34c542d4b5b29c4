//go:build long && unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/target"
)

var (
	doubtRuns = flag.Int("doubt-runs", 20, "how many runs are stopped and continued, and as many left alone")
	longLoad  = flag.Duration("long-load", 10*time.Minute, "how long load is sent while memory is watched")
	shortLoad = flag.Duration("short-load", time.Minute, "after which time memory is first looked at")
)

// longChild names the variable that makes the test binary the command, or the load
// whose memory is watched.
const longChild = "LOADGEN_LONG_CHILD"

// mostWrong of the runs may be judged wrongly, each way.
const mostWrong = 1

func TestLongSelfDoubt(t *testing.T) {
	if os.Getenv(longChild) == "command" {
		os.Exit(execute(context.Background(), flag.Args(), os.Stdin, os.Stdout, os.Stderr))
	}
	for _, row := range []struct {
		name    string
		stopped bool
	}{
		{"stopped for 80 ms of every 100", true},
		{"left alone", false},
	} {
		wrong, again := 0, 0
		for n := 0; n < *doubtRuns; n++ {
			s, disturbed := doubted(t, row.stopped)
			if disturbed > 0 && !row.stopped && wrongly(s, row.stopped) && again < *doubtRuns {
				t.Logf("%s, run %d: %s %v, but this process stood still for %v, too: not left alone, again", row.name, n+1, s.Validity, s.ClientLimited, disturbed)
				again++
				n--
				continue
			}
			late := float64(s.Late) / float64(max(1, s.Sent))
			t.Logf("%s, run %d: %s, %.1f%% late, lag p90 %s, %v", row.name, n+1, s.Validity, 100*late, spelledMicros(s.Lag.P90), s.ClientLimited)
			if wrongly(s, row.stopped) {
				wrong++
			}
			assert.Truef(t, s.Scheduled == s.Sent+s.Dropped && s.Attempts == s.OkAttempts+s.Throttled+s.Failed,
				"%s, run %d: the books do not close: %+v", row.name, n+1, s)
		}
		if t.Logf("%s: %d of %d judged wrongly, %d runs repeated", row.name, wrong, *doubtRuns, again); wrong > mostWrong {
			t.Errorf("%s: %d of %d runs are judged wrongly; want at most %d", row.name, wrong, *doubtRuns, mostWrong)
		}
	}
}

// wrongly reports whether a run is not valid, or was judged to be limited by the client
// where it was not, or the other way round.
func wrongly(s *results.Summary, limited bool) bool {
	return s.Validity != results.Valid || len(s.ClientLimited) > 0 != limited
}

func spelledMicros(n *int64) string {
	if n == nil {
		return "–"
	}
	return fmt.Sprint(time.Duration(*n) * time.Microsecond)
}

// doubted runs the command for some seconds at a modest rate in a process of its
// own, which is stopped and continued all the time, or not. It returns for how long
// this process, which does nothing meanwhile, was not let run by the machine, either.
func doubted(t *testing.T, stopped bool) (s *results.Summary, disturbed time.Duration) {
	t.Helper()
	c := child(t, "command", "TestLongSelfDoubt", "--", "stress", "--rate", "500", "--duration", "2s",
		"--set", "phases.load.entities=500", "--set", "phases.peak.hold=false", "--format", "json", "--quiet", "--out", filepath.Join(t.TempDir(), "run"))
	var stdout bytes.Buffer
	c.Stdout = &stdout
	watch := run.StartHealthSampler(run.HealthOptions{Clock: clock.NewReal(), Source: run.NewHealthProcess(), Cores: 1})
	defer watch.Stop()
	require.NoError(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	require.NoError(t, interfered(c.Process, ended, stopped), "the run")
	s = new(results.Summary)
	require.NoError(t, json.Unmarshal(stdout.Bytes(), s))
	return s, watch.Stop().LongestStill
}

// interfered stops and continues a process until it ends, and returns how it did.
func interfered(p *os.Process, ended <-chan error, stopped bool) error {
	for {
		if stopped {
			// The process may have ended meanwhile: the channel tells.
			_ = p.Signal(syscall.SIGSTOP)
			time.Sleep(80 * time.Millisecond)
			_ = p.Signal(syscall.SIGCONT)
		}
		select {
		case err := <-ended:
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// child is the test binary, about to run one test in a role of its own.
func child(t *testing.T, role, test string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), self, append([]string{"-test.run", "^" + test + "$"}, args...)...)
	c.Env = append(os.Environ(), longChild+"="+role)
	c.Stderr = os.Stderr
	return c
}

func TestLongMemoryStaysAsItIs(t *testing.T) {
	if os.Getenv(longChild) == "load" {
		sendFor(t, *longLoad)
		return
	}
	if _, err := residentOf(os.Getpid()); err != nil {
		t.Skipf("this system does not tell what a process holds: %v", err)
	}
	c := child(t, "load", "TestLongMemoryStaysAsItIs", "-long-load", longLoad.String(), "-test.timeout", (*longLoad + time.Minute).String())
	require.NoError(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	const each = time.Second
	early, last := int64(0), int64(0)
	for after := each; ; after += each {
		select {
		case err := <-ended:
			require.NoError(t, err)
			t.Logf("resident after %v: %.1f MiB; at the end of %v: %.1f MiB", *shortLoad, mebi(early), *longLoad, mebi(last))
			if early == 0 || float64(last) > 1.1*float64(early) {
				t.Errorf("resident at the end = %.1f MiB; want at most a tenth more than the %.1f MiB after %v", mebi(last), mebi(early), *shortLoad)
			}
			return
		case <-time.After(each):
		}
		if held, err := residentOf(c.Process.Pid); err == nil && held > 0 {
			last = held
			if after <= *shortLoad {
				early = held
			}
		}
	}
}

func mebi(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// sendFor sends 10,000 operations a second to nothing, recorded and looked at as
// those of any run.
func sendFor(t *testing.T, length time.Duration) {
	clk := clock.NewReal()
	recorder, err := results.NewRecorder(results.Dir(t.TempDir()), results.Manifest{Operations: []results.Kind{{Name: "put", Group: "PUT"}}})
	require.NoError(t, err)
	s, err := scenarios.Builtin("stress")
	require.NoError(t, err)
	generator, err := s.Generator()
	require.NoError(t, err)
	change := entity.Change{Verb: entity.InsertOrReplace, Key: generator.Key(0), Properties: generator.Properties(0)}
	operation := target.Operation{Verb: change.Verb, Table: s.Table, Change: change}
	steps, err := arrival.NewSteps(arrival.Step{Rate: 10_000, Length: length})
	require.NoError(t, err)
	live := &drive.Live{Clock: clk, Target: run.Nowhere{}, Workers: 64}
	look := run.StartHealthSampler(run.HealthOptions{Clock: clk, Source: run.NewHealthProcess(), Tell: recorder.Health,
		Load: func() run.GeneratorLoad { return run.GeneratorLoad(live.Load()) }, Cores: runtime.GOMAXPROCS(0), Workers: live.Workers})
	stage := &drive.Stage{Name: "peak", Schedule: steps, Grace: time.Second, WholeSecond: true,
		Phases: []results.Phase{{Name: "peak", End: length, Rate: 10_000, Reported: true}},
		Build:  func(_ uint64, w *drive.Work) { w.Operation = operation }}
	failure := live.Run(t.Context(), stage, &drive.Ledger{Recorder: recorder})
	seen := look.Stop()
	recorder.UpdateRecord(func(of *results.Record) { of.Generator = seen })
	require.NoError(t, errors.Join(failure, recorder.Finish(clk.Now().Offset(), results.Valid, nil, nil)))
	if used, known := run.CPU(); known {
		fmt.Fprintf(os.Stderr, "CPU of all of it: %.2f µs an operation\n", used.Seconds()*1e6/(10_000*length.Seconds()))
	}
}

// residentOf returns the bytes of memory that a process holds, by the files of
// Linux.
func residentOf(pid int) (int64, error) {
	file, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), "VmRSS:"); found {
			kibi, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kibi << 10, err
		}
	}
	return 0, errors.New("no line of resident memory")
}
