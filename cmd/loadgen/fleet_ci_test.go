//go:build ci && unix

package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/fleet"
)

// fleetOf is a leader and its members, each in a process of its own, on one service.
type fleetOf struct {
	*testing.T
	s       *service
	token   string
	address string
	leader  *talker
	members []*talker
}

// talker is a process, and what it has said so far.
type talker struct {
	t    *testing.T
	c    *exec.Cmd
	mu   sync.Mutex
	said bytes.Buffer
	// more is told whenever it has said something, ended that it ended.
	more  chan struct{}
	ended chan struct{}
}

func (k *talker) Write(text []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.said.Write(text)
	select {
	case k.more <- struct{}{}:
	default:
	}
	return len(text), nil
}

func (k *talker) text() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.said.String()
}

// talk starts the program.
func talk(t *testing.T, args ...string) *talker {
	t.Helper()
	k := &talker{t: t, c: program(t, nil, args...), more: make(chan struct{}, 1), ended: make(chan struct{})}
	k.c.Stdout, k.c.Stderr = k, k
	require.NoError(t, k.c.Start())
	go func() {
		// How it ended is asked of its state.
		_ = k.c.Wait()
		close(k.ended)
	}()
	t.Cleanup(func() {
		// It may stand still, and have ended.
		_ = k.c.Process.Kill()
		<-k.ended
	})
	return k
}

// long is how long something may take on a machine that is not there for seconds.
const long = 90 * time.Second

// says waits until the process has said something.
func (k *talker) says(what string) {
	k.t.Helper()
	late := time.After(long)
	for !strings.Contains(k.text(), what) {
		select {
		case <-k.more:
		case <-k.ended:
			if !strings.Contains(k.text(), what) {
				k.t.Fatalf("it ended, and never said %q:\n%s", what, k.text())
			}
		case <-late:
			k.t.Fatalf("it never said %q:\n%s", what, k.text())
		}
	}
}

// ends waits for the process to end with a code, having said something.
func (k *talker) ends(code int, what string) {
	k.t.Helper()
	select {
	case <-k.ended:
	case <-time.After(long):
		k.t.Fatalf("it does not end:\n%s", k.text())
	}
	flat := strings.Join(strings.Fields(k.text()), " ")
	if got := k.c.ProcessState.ExitCode(); got != code || !strings.Contains(flat, what) {
		k.t.Errorf("it ends with %d, want %d and that it says %q:\n%s", got, code, what, k.text())
	}
}

func (k *talker) signal(s syscall.Signal) {
	k.t.Helper()
	require.NoError(k.t, k.c.Process.Signal(s))
}

// newFleet starts a leader that waits for so many members.
func newFleet(t *testing.T, members string, more ...string) *fleetOf {
	t.Helper()
	return fleetOn(t, members, append([]string{"stress", "--rate", "40", "--duration", "25s", "--set", "phases.load.entities=50", "--out", "run"}, more...)...)
}

// fleetOn starts a leader of a command that waits for so many members.
func fleetOn(t *testing.T, members string, command ...string) *fleetOf {
	t.Helper()
	f := &fleetOf{T: t, s: newService(t, model.Documented, 0), token: filepath.Join(t.TempDir(), "token"), address: freeAddress(t)}
	require.NoError(t, os.WriteFile(f.token, []byte("a-token-that-is-long-enough-for-a-test\n"), 0o600))
	f.leader = talk(t, append(command, "--target", f.s.url, "--key-file", f.s.keyFile, "--yes", "--no-probe",
		"--lead", f.address, "--processes", members, "--token-file", f.token)...)
	return f
}

// freeAddress is one of loopback at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// join starts a member.
func (f *fleetOf) join(name string, more ...string) *talker {
	return f.joinAt(f.address, name, f.token, more...)
}

func (f *fleetOf) joinAt(address, name, token string, more ...string) *talker {
	f.Helper()
	k := talk(f.T, append([]string{"run", "--join", "nats://" + address, "--token-file", token, "--label", "name=" + name, "--target", f.s.url, "--key-file", f.s.keyFile}, more...)...)
	f.members = append(f.members, k)
	return k
}

// began waits until all are ready: from now on a loss is one of the run.
func (f *fleetOf) began() { f.Helper(); f.leader.says("begin together") }

// reported waits until the leader has written so many seconds of its members.
func (f *fleetOf) reported(out string, seconds int) {
	f.Helper()
	require.Eventually(f.T, func() bool {
		text, _ := os.ReadFile(filepath.Join(out, results.IntervalsFile))
		return bytes.Count(text, []byte("\n")) >= seconds
	}, long, 50*time.Millisecond)
}

// What becomes of fleets of real processes: killed, stopped, cut off, without their leader,
// of another build, with another token, too many, too few, and twice led.
func TestFleetsOfProcesses(t *testing.T) {
	// Most of the time of each is waited for: four at a time do not wait for each other.
	histories, lanes := make(chan func()), sync.WaitGroup{}
	for range 4 {
		lanes.Go(func() {
			for history := range histories {
				history()
			}
		})
	}
	for name, history := range map[string]func(f *testing.T){
		"a member is killed": func(t *testing.T) {
			f := newFleet(t, "2")
			a := f.join("nor\x1bth") // a terminal must not see what it controls
			f.join("south")
			f.began()
			a.signal(syscall.SIGKILL)
			f.leader.ends(codeInvalidRun, `nor\x1bth was lost`)
			assert.NotContains(t, f.leader.text(), "\x1b")
			f.members[1].ends(codeOk, "")
		},
		"a member stands still, and comes back": func(t *testing.T) {
			f := newFleet(t, "2")
			a := f.join("north")
			f.join("south")
			f.began()
			a.signal(syscall.SIGSTOP)
			f.leader.says("north was lost")
			a.signal(syscall.SIGCONT)
			f.leader.ends(codeInvalidRun, "north was lost")
			a.ends(codeTarget, "")
		},
		"a connection is cut": func(t *testing.T) {
			f := newFleet(t, "2")
			between := newSplice(t, f.address)
			a := f.joinAt(between.Addr().String(), "north", f.token)
			f.join("south")
			f.began()
			between.cut()
			f.leader.ends(codeInvalidRun, "north was lost")
			a.ends(codeTarget, "the leader of the fleet was lost")
		},
		"the leader is killed": func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "killed")
			f := newFleet(t, "2", "--out", out)
			a, b := f.join("north"), f.join("south")
			f.began()
			const seconds = 5
			f.reported(out, seconds)
			f.leader.signal(syscall.SIGKILL)
			record, err := results.Read(results.Dir(out))
			require.NoError(t, err)
			killed, attempts := record.Killed(), int64(0)
			require.NotNil(t, killed)
			for i := range record.Intervals {
				attempts += record.Intervals[i].Attempts
			}
			assert.GreaterOrEqual(t, killed.Seconds, int64(seconds))
			assert.Greater(t, attempts, int64(40*(seconds-3)), "requests of both members")
			a.ends(codeTarget, "the leader of the fleet was lost")
			b.ends(codeTarget, "the leader of the fleet was lost")
		},
		"one more than asked for, and an interrupt": func(t *testing.T) {
			f := newFleet(t, "1")
			f.join("north")
			f.began()
			f.join("south").ends(codeTarget, "the fleet has its 1 members")
			f.leader.signal(syscall.SIGINT)
			f.leader.ends(codeInterrupted, "")
		},
		"another build, another token, and so fewer than asked for": func(t *testing.T) {
			f := newFleet(t, "2", "--join-within", "6s")
			token, err := fleet.ReadToken(f.token)
			require.NoError(t, err)
			o := fleet.JoinOptions{Bus: fleet.BusOptions{URL: "nats://" + f.address, Token: token, Wait: long}, Clock: clock.NewReal()}
			o.Name, o.Version, o.Deadline = "old", "another", long
			err = fleet.Join(t.Context(), o)
			assert.Truef(t, err != nil && strings.Contains(err.Error(), `old is build "another"`), "another build is told %v", err)
			other := filepath.Join(t.TempDir(), "other")
			require.NoError(t, os.WriteFile(other, []byte("another-token-that-is-long-enough-too\n"), 0o600))
			f.joinAt(f.address, "north", other).ends(codeTarget, "not let in")
			f.leader.ends(codeTarget, "not all members have joined: 0 of 2")
		},
		"two leaders at one address": func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "first")
			f := newFleet(t, "1", "--out", out)
			member := f.join("north")
			f.reported(out, 2)
			second := talk(t, "stress", "--target", f.s.url, "--key-file", f.s.keyFile, "--yes", "--no-probe", "--out", "run", "--set", "phases.load.entities=50",
				"--lead", f.address, "--processes", "1", "--token-file", f.token)
			second.ends(codeUsage, "address already in use")
			f.leader.signal(syscall.SIGINT)
			f.leader.ends(codeInterrupted, "")
			member.ends(codeOk, "")
		},
		"a member is killed in the first of three runs": func(t *testing.T) {
			f := newFleet(t, "2", "--count", "3")
			a, b := f.join("north"), f.join("south")
			f.began()
			a.signal(syscall.SIGKILL)
			f.leader.ends(codeInvalidRun, "the remaining runs are skipped")
			b.ends(codeOk, "")
		},
		"a contest": func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "two.yaml")
			require.NoError(t, os.WriteFile(path, []byte(twoInTurns), 0o644))
			f := fleetOn(t, "2", "contest", path, "--count", "1", "--out", "run")
			a, b := f.join("north"), f.join("south")
			f.leader.ends(codeOk, "2 of 2 runs")
			a.ends(codeOk, "")
			b.ends(codeOk, "")
			f.asOnTheVirtualClock(path)
		},
		"a search, and an interrupt": func(t *testing.T) {
			f := fleetOn(t, "2", "stress", "--find-limit", "partition from=600 to=1200 step=2s", "--set", "phases.load.entities=50", "--out", "run")
			a, b := f.join("north"), f.join("south")
			f.leader.says("limit 3:")
			f.leader.signal(syscall.SIGINT)
			f.leader.ends(codeInterrupted, "")
			a.ends(codeOk, "")
			b.ends(codeOk, "")
			f.searched()
		},
		"it goes on without whom it lost": func(t *testing.T) {
			f := newFleet(t, "2", "--on-loss", "finish", "--duration", "6s")
			a, b := f.join("north"), f.join("south")
			f.began()
			a.signal(syscall.SIGKILL)
			f.leader.ends(codeInvalidRun, "north was lost")
			b.ends(codeOk, "")
		},
	} {
		histories <- func() { t.Run(name, history) }
	}
	close(histories)
	lanes.Wait()
}
