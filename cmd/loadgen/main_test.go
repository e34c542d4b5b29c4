package main

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asProgram, set in the environment, has this test binary be the program with the arguments in
// it, one a line.
const asProgram = "LOADGEN_AS_PROGRAM"

// tellsMemory, set as well, has the program write what the system says of its memory to stderr.
const tellsMemory = "LOADGEN_TELLS_MEMORY"

func TestMain(m *testing.M) {
	if typed, set := os.LookupEnv(asProgram); set {
		os.Args = append([]string{"loadgen"}, strings.Split(typed, "\n")...)
		if os.Getenv(tellsMemory) == "" {
			main()
		}
		code := execute(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
		status, _ := os.ReadFile("/proc/self/status")
		os.Stderr.Write(status)
		os.Exit(code)
	}
	debug.SetGCPercent(400) // tests allocate much and keep little
	// Most parallel tests wait for real time, so that more run at once than there are processors.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// program returns the program in a process of its own, with an environment in which
// nothing forbids escape sequences but what is added.
func program(t *testing.T, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	itself, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), itself)
	for _, one := range os.Environ() {
		name, _, _ := strings.Cut(one, "=")
		if name != "NO_COLOR" && name != "CI" && name != "TERM" {
			c.Env = append(c.Env, one)
		}
	}
	c.Env = append(append(c.Env, "TERM=xterm-256color", asProgram+"="+strings.Join(args, "\n")), environment...)
	c.Dir = t.TempDir()
	return c
}
