package series

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/scenarios/fields"
)

// gateChild names the variable that makes the test binary a build which a gate runs.
const gateChild = "LOADGEN_GATE_CHILD"

// TestGateChild is a build that a gate runs, where it is asked to be one.
func TestGateChild(t *testing.T) {
	switch os.Getenv(gateChild) {
	case "speaks":
		fmt.Fprintf(os.Stderr, "%s\nloadgen: the\x1b last\xff line\n\n", strings.Repeat("noise\n", 2000))
		os.Exit(3)
	case "hangs":
		// Nobody interrupts it: whoever started it has to end it.
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		<-interrupted
	}
}

// asBuild launches the test binary as a build of a kind.
func asBuild(ctx context.Context, t *testing.T, kind string) (ending, error) {
	t.Helper()
	t.Setenv(gateChild, kind)
	self, err := os.Executable()
	require.NoError(t, err)
	return launched(ctx, self, []string{"-test.run", "^TestGateChild$"})
}

func TestLaunchedBuilds(t *testing.T) {
	if end, err := asBuild(t.Context(), t, "speaks"); err != nil || end.code != 3 || end.said != "the  last? line" {
		t.Errorf("launched() = %+v, %v; want exit code 3 and the last line, fit to be shown", end, err)
	}
	if end, err := asBuild(t.Context(), t, "ends"); err != nil || end.code != 0 {
		t.Errorf("launched() = %+v, %v; want exit code 0", end, err)
	}
	bounded, end := clock.Within(t.Context(), clock.NewReal(), 50*time.Millisecond, errTooLong)
	defer end()
	if _, err := asBuild(bounded, t, "hangs"); !errors.Is(err, errTooLong) {
		t.Errorf("launched() of what hangs = %v; want it killed", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	cancel(interrupted)
	if _, err := asBuild(ctx, t, "hangs"); !errors.Is(err, interrupted) {
		t.Errorf("launched() after Ctrl-C = %v; want it not to run", err)
	}
	if _, err := launched(t.Context(), filepath.Join(t.TempDir(), "nothing"), nil); err == nil {
		t.Error("launched() of what is not there = no error")
	}
}

func TestTailKeepsTheLastLine(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"one line without an end", "broken", "broken"},
		{"this program's own word is left out", "a\nloadgen: b\n", "b"},
		{"a line that is too long", strings.Repeat("x", 10_000), strings.Repeat("x", 300)},
	} {
		kept := new(tail)
		for at := 0; at < len(row.text); at += 7 {
			if n, err := kept.Write([]byte(row.text[at:min(at+7, len(row.text))])); err != nil || n > 7 {
				t.Fatalf("%s: Write = %d, %v", row.name, n, err)
			}
		}
		if got := kept.line(); got != row.want || len(kept.kept) > mostTail {
			t.Errorf("%s: line() = %q of %d bytes; want %q", row.name, got, len(kept.kept), row.want)
		}
	}
}

func TestExecutables(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, mode := range map[string]os.FileMode{"older": 0o700, "text": 0o600} {
		require.NoError(t, os.WriteFile(name, []byte("neither a program nor a script"), mode))
	}
	for name, says := range map[string]string{
		"./oldest":      "no such file or directory; expected an older build of loadgen",
		"oldest-of-all": "no such program is on the path; expected an older build, such as ./oldest-of-all",
		"./.":           "is a directory; expected an older build",
		"./text":        "permission denied; expected an older build",
	} {
		_, err := executable(name)
		var fault fields.Fault
		assert.Truef(t, errors.As(err, &fault) && fault.Path == "against" && strings.Contains(fault.What, says),
			"executable(%s) = %v; want a fault of against with %q", name, err, says)
	}
	if path, err := executable("./older"); err != nil || !filepath.IsAbs(path) {
		t.Errorf("executable(./older) = %q, %v; want where it is", path, err)
	}
}
