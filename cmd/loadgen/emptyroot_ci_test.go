//go:build ci && linux

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// emptyRoot is a folder that holds the program as it is released, and nothing that a system
// has besides: no shell, no /proc, no home, no zones of time. It is what the image of the
// Dockerfile comes to.
type emptyRoot struct {
	t      *testing.T
	folder string
}

// nobody is the user of the image.
const nobody = 65532

func newEmptyRoot(t *testing.T) emptyRoot {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("another root takes being root")
	}
	r := emptyRoot{t, t.TempDir()}
	program := filepath.Join(r.folder, "loadgen")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
	if built := os.Getenv("LOADGEN"); built != "" { // by .ci/run, in the same way
		build = exec.Command("cp", built, program)
	}
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, said)
	}
	for _, way := range []string{r.folder, filepath.Dir(r.folder)} { // which are root's alone
		require.NoError(t, os.Chmod(way, 0o755))
	}
	require.NoError(t, os.Mkdir(filepath.Join(r.folder, "work"), 0o777))
	r.own("work", 0o555)
	return r
}

// own gives a folder of the root to the user, with these permissions.
func (r emptyRoot) own(name string, mode os.FileMode) {
	r.t.Helper()
	path := filepath.Join(r.folder, name)
	require.NoError(r.t, errors.Join(os.MkdirAll(path, mode), os.Chown(path, nobody, nobody), os.Chmod(path, mode)))
}

// run runs the program in the root, in its folder work, without any variable.
func (r emptyRoot) run(args ...string) (code int, stdout, stderr string) {
	r.t.Helper()
	return r.in("/work", args...)
}

func (r emptyRoot) in(folder string, args ...string) (code int, stdout, stderr string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "/loadgen", args...)
	command.Path, command.Err, command.Dir, command.Env = "/loadgen", nil, folder, []string{}
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: r.folder, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	var out, err bytes.Buffer
	command.Stdout, command.Stderr = &out, &err
	var exit *exec.ExitError
	if failed := command.Run(); failed != nil && !errors.As(failed, &exit) {
		r.t.Errorf("%v: %v", args, failed)
		return -1, "", ""
	}
	for _, said := range []string{out.String(), err.String()} {
		assert.Truef(r.t, !strings.Contains(said, "panic:") && !strings.Contains(said, "goroutine "),
			"%v: it panics:\n%s", args, said)
	}
	return command.ProcessState.ExitCode(), out.String(), err.String()
}

// first is the first command of the README, for a second of one rate; a run of it is one of
// a night.
var first = []string{"stress", "--rate", "200", "--duration", "1s", "--no-probe", "--quiet"}

func TestAnEmptyRoot(t *testing.T) {
	r := newEmptyRoot(t)
	t.Parallel()
	r.own("locked", 0o555)
	var doctor sync.WaitGroup
	doctor.Go(r.doctor) // half a minute, most of which it waits
	defer doctor.Wait()
	t.Run("that cannot be written", r.unwritable)
	r.own("work", 0o755)
	t.Run("with a folder of its own", r.night)
}

// Where nothing can be written, each verb says in one line which folder it needs, and by
// which flag; what needs none works.
func (r emptyRoot) unwritable(t *testing.T) {
	for _, row := range []struct {
		sentence string
		args     []string
		code     int
		says     string
	}{
		{"the first command of the README", first, codeUsage, "--out"},
		{"the same on the virtual clock", []string{"simulate", "stress", "--quiet"}, codeUsage, "--out"},
		{"a first baseline", []string{"gate", "upsert", "--quiet", "--accept", "x"}, codeUsage, "--baselines"},
		{"a gate over what is not there", []string{"gate", "--all"}, codeUsage, "results/baselines"},
		{"the certificates of a service are not there, and nothing is sent", []string{"stress", "--target", "https://127.0.0.1:1", "--account", "a", "--key-file", "none"}, codeUsage, "none"},
		{"runs that are not there", []string{"report", "latest"}, codeUsage, "results/runs"},
	} {
		code, stdout, stderr := r.run(row.args...)
		if lines := strings.Count(stderr, "\n"); code != row.code || lines != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: %v = %d, %q; want %d and one line with %q", row.sentence, row.args, code, stdout+stderr, row.code, row.says)
		}
	}
	if code, stdout, stderr := r.run("gate", "upsert", "--quiet"); code != codeInconclusive || !strings.Contains(stdout, "NO BASELINE") {
		t.Errorf("a gate without a baseline = %d, %s%s; want %d and that there is none", code, stdout, stderr, codeInconclusive)
	}
	if code, stdout, _ := r.run("version"); code != codeOk || !regexp.MustCompile(`^loadgen \S+, commit \S+, go1\.\S+ linux/\w+, model \d+\n$`).MatchString(stdout) {
		t.Errorf("version = %d %q", code, stdout)
	}
}

// doctor tells of the folder by the flag, and of what cannot be told without /proc.
func (r emptyRoot) doctor() {
	code, stdout, stderr := r.in("/locked", "doctor", "--quiet")
	for _, want := range []string{"✗ folder: ", "choose another --out folder", "? memory: free memory is unknown", "✓ clock: "} {
		assert.Containsf(r.t, stdout, want, "doctor = %d,%s", code, stderr)
	}
	assert.Equal(r.t, codeExpectation, code, "doctor")
}

// With a folder that can be written to, as the image and the CronJob have it, all of a night
// works: the first command, a baseline and the gate that holds a second run to it, two live
// runs and what the history says of one night.
func (r emptyRoot) night(t *testing.T) {
	for _, row := range []struct {
		sentence string
		args     []string
		code     int
		says     string
	}{
		{"the first command of the README", first, codeOk, "run valid"},
		{"a first baseline", []string{"gate", "stress-one-partition", "--quiet", "--accept", "the first"}, codeOk, "accepted"},
		{"the gate over a second run", []string{"gate", "stress-one-partition", "--quiet"}, codeOk, "all values are equal"},
		{"a second run of the night", first, codeOk, "run valid"},
		{"the history of one night", []string{"runs", "history", "stress", "--file", "history.png"}, codeInconclusive, "stress"},
		{"the newest report", []string{"report", "latest"}, codeOk, "run valid"},
	} {
		code, stdout, stderr := r.run(row.args...)
		assert.Truef(t, code == row.code && strings.Contains(stdout, row.says),
			"%s: %v = %d, %s%s; want %d and %q", row.sentence, row.args, code, stdout, stderr, row.code, row.says)
	}
	runs, err := filepath.Glob(filepath.Join(r.folder, "work", "results", "runs", "*", "run.json"))
	assert.Truef(t, err == nil && len(runs) == 2, "%d runs are kept, %v; want 2", len(runs), err)
}
