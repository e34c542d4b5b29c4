//go:build linux && ci

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/results"
)

// hanging is the program in a process of its own, with a run that lasts for an hour, and
// the service that it loads.
type hanging struct {
	*service
	t       *testing.T
	program *exec.Cmd
	folder  string
	clock   clock.Real
}

// newHanging is still to be started.
func newHanging(t *testing.T, more ...string) *hanging {
	t.Helper()
	// What this process ignores, the program would, too; what it listens for, not.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(heard) })
	h := &hanging{service: newService(t, model.Off, 0), t: t, folder: filepath.Join(t.TempDir(), "run"), clock: clock.NewReal()}
	h.program = program(t, nil, h.args(append([]string{"--yes", "--no-probe", "--no-charts", "--duration", "1h", "--rate", "200", "--out", h.folder}, more...)...)...)
	return h
}

// loaded waits until the service has seen so many requests more.
func (h *hanging) loaded(requests int64) {
	h.t.Helper()
	until := h.handler.Counts().Requests + requests
	for h.handler.Counts().Requests < until {
		if h.clock.Now().Offset() > 30*time.Second {
			h.t.Fatalf("the service has seen %d requests; want %d", h.handler.Counts().Requests, until)
		}
		require.NoError(h.t, h.clock.Sleep(h.t.Context(), h.clock.Now().Add(5*time.Millisecond)))
	}
}

func (h *hanging) send(s os.Signal) {
	h.t.Helper()
	require.NoError(h.t, h.program.Process.Signal(s))
}

// left holds what the program has left behind, which ended with a code, against what it is
// to: a partial record that was judged, and no table.
func (h *hanging) left(code, want int) {
	h.t.Helper()
	assert.Equal(h.t, want, code, "exit code")
	if left := h.engine.TableNames("races"); len(left) > 0 {
		h.t.Errorf("the run left the tables %v", left)
	}
	if record := read(h.t, h.folder); record.Validity != results.Partial || record.Summary == nil || record.Summary.Operations == 0 {
		h.t.Errorf("the record is %s, its summary %+v; want a partial one that was judged", record.Validity, record.Summary)
	}
}

// A pipe that breaks while nobody hung up ends the program, as it does any.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	c := program(t, nil, "help", "exit-codes")
	reads, writes, err := os.Pipe()
	require.NoError(t, err)
	c.Stdout = writes
	require.NoError(t, errors.Join(reads.Close(), c.Start(), writes.Close()))
	_ = c.Wait()
	if status, _ := c.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGPIPE {
		t.Errorf("the program ended with %v; want it ended by SIGPIPE", c.ProcessState)
	}
}

// A run that is killed says nothing, and leaves its table: the doctor drops it where the run
// came as far as to mark it, and nothing else.
func TestKilledRunAtEachMoment(t *testing.T) {
	t.Parallel()
	for i, row := range []struct{ left, dropped bool }{{false, false}, {true, false}, {true, true}, {true, true}, {true, true}} {
		m := moments[i]
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, m)
			c := program(t, nil, s.args("--yes", "--no-probe", "--no-charts")...)
			s.frozen = m.is == nil // for the process goes on until what it says is read
			s.reached = func() {
				_ = c.Process.Kill()
				if i == len(moments)-1 {
					s.kill()
				}
			}
			c.Stderr = s
			require.NoError(t, c.Start())
			_ = c.Wait()
			s.settle() // what the killed process sent is carried out all the same
			left := s.engine.TableNames("races")
			if c.ProcessState.ExitCode() >= 0 || (len(left) == 1) != row.left || strings.Contains(s.said(), "left") {
				t.Fatalf("%v, the tables %v are left, it said %s; want it killed, a table left: %t", c.ProcessState, left, s.said(), row.left)
			}
			code, stdout, stderr := say(t, append([]string{"doctor", "--clean", "--yes", "--target", s.direct, "--key-file", s.keyFile}, tablesOf(left)...)...)
			after := s.engine.TableNames("races")
			if code != codeOk || (len(after) < len(left)) != row.dropped || strings.Contains(stdout, "1 table dropped") != row.dropped {
				t.Errorf("doctor --clean = %d, %s%s, and leaves %v; want the table dropped: %t", code, stdout, stderr, after, row.dropped)
			}
			if row.left && !row.dropped && !strings.Contains(stdout, "not ours: "+left[0]+", no marker") {
				t.Errorf("doctor --clean says\n%swant the table named that stays", stdout)
			}
		})
	}
}

func tablesOf(names []string) []string {
	var flags []string
	for _, name := range names {
		flags = append(flags, "--table", name)
	}
	return flags
}

// The second signal ends the process itself, while its service is silent.
func TestSecondSignalEndsTheProcess(t *testing.T) {
	t.Parallel()
	s := newStage(t, moments[3])
	c := program(t, nil, s.args("--yes", "--no-probe", "--no-charts")...)
	s.frozen, s.reached = true, func() { _ = c.Process.Signal(os.Interrupt) }
	s.told = func(text []byte) {
		if bytes.Contains(text, []byte("dropping table")) {
			_ = c.Process.Signal(os.Interrupt)
		}
	}
	c.Stderr = s
	require.NoError(t, c.Start())
	_ = c.Wait()
	e := ended{code: c.ProcessState.ExitCode(), said: s.said(), left: s.engine.TableNames("races")}
	if e.code != codeInterrupted || len(e.left) != 1 || len(e.unnamed(s.url)) > 0 || strings.Contains(e.said, "report") {
		t.Errorf("exit code %d, the tables %v are left\n%swant %d, and one that was named", e.code, e.left, e.said, codeInterrupted)
	}
}

// A run under nohup outlives its terminal, and can be ended otherwise.
func TestUnderNohup(t *testing.T) {
	t.Parallel()
	h := newHanging(t)
	itself := h.program.Args
	h.program.Path, h.program.Args = "/bin/sh", append([]string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, itself...)
	var said strings.Builder
	h.program.Stdout, h.program.Stderr = &said, &said
	if err := h.program.Start(); err != nil {
		t.Skipf("no shell here: %v", err)
	}
	h.loaded(100)
	h.send(syscall.SIGHUP)
	h.loaded(200)
	h.send(syscall.SIGTERM)
	_ = h.program.Wait()
	h.left(h.program.ProcessState.ExitCode(), codeTerminated)
	if text := said.String(); !strings.Contains(text, "run partial") || !strings.Contains(text, "loadgen: terminated;") {
		t.Errorf("it said\n%s\nwant a report of what was done until it was terminated", text)
	}
}

// A run whose terminal is closed ends as one that is interrupted does, though nobody can
// read its report.
func TestTerminalThatIsClosed(t *testing.T) {
	t.Parallel()
	h := newHanging(t)
	o := startOnTerminal(t, 100, h.program)
	h.loaded(100)
	require.NoError(t, o.terminal.Close())
	h.left(o.ended(), codeHungUp)
}

// What a hang-up ends writes what it can, whatever has become of those who read it, and
// takes its time for it, however often it is hung up.
func TestHungUpBehindAPipe(t *testing.T) {
	t.Parallel()
	h := newHanging(t)
	reads, writes, err := os.Pipe()
	require.NoError(t, err)
	h.program.Stdout, h.program.Stderr = writes, writes
	require.NoError(t, errors.Join(h.program.Start(), writes.Close()))
	h.loaded(100)
	h.send(syscall.SIGHUP)
	h.send(syscall.SIGHUP)
	require.NoError(t, reads.Close())
	_ = h.program.Wait()
	h.left(h.program.ProcessState.ExitCode(), codeHungUp)
}

// A command that waits for the writer of a named pipe, or for its text, ends at the first signal.
func TestSignalDuringInput(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		args    []string
		written string // empty without a writer
	}{
		{"a scenario", []string{"simulate"}, ""},
		{"a scenario that was begun", []string{"scenarios", "check"}, "name: x\n"},
		{"keys", []string{"keys"}, ""},
		{"keys that were begun", []string{"keys"}, "PartitionKey,RowKey\n"},
		{"a log", []string{"logs"}, "1"},
		{"a replayed log", []string{"logs", "replay"}, ""},
		{"a key file", []string{"serve", "--listen", "127.0.0.1:0", "--key-file"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			pipe := filepath.Join(t.TempDir(), "pipe.yaml")
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			var stdout, stderr bytes.Buffer
			notice := newShutdownNotice(&stderr)
			ctx, cancel := context.WithCancelCause(withNotice(context.Background(), notice))
			signals, ended, codes := make(chan os.Signal, 1), make(chan struct{}), make(chan int, 2)
			go func() {
				defer close(ended)
				if code := execute(ctx, append(row.args, pipe), strings.NewReader(""), &stdout, io.Discard); ctx.Err() == nil {
					codes <- code
				}
			}()
			var writer *os.File
			if row.written != "" {
				var err error
				writer, err = os.OpenFile(pipe, os.O_WRONLY, 0)
				require.NoError(t, err)
				_, err = writer.WriteString(row.written)
				require.NoError(t, err)
			}
			signals <- syscall.SIGTERM
			handleSignals(signals, cancel, notice, func(code int) { codes <- code })
			assert.Equal(t, codeTerminated, <-codes)
			assert.Equal(t, 1, strings.Count(stderr.String(), "\n"), "one line says why it ended")
			if writer == nil { // the command may not have opened it yet
				var err error
				writer, err = os.OpenFile(pipe, os.O_RDWR, 0)
				require.NoError(t, err)
			}
			require.NoError(t, writer.Close())
			<-ended
		})
	}
}
