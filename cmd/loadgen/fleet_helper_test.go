//go:build ci || long

package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// together is a second of load that several processes offer; the length is the caller's.
//
//go:embed testdata/together.yaml
var together string

// binary builds the program once for a test that begins processes of it.
func binary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "loadgen")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// fleetRun has so many processes of this machine offer a load, and returns the record.
func fleetRun(t *testing.T, binary string, processes, rate int, length string, limit time.Duration) *results.Record {
	t.Helper()
	folder := t.TempDir()
	file, out := filepath.Join(folder, "together.yaml"), filepath.Join(folder, "run")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, together, rate, length), 0o644))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	command := exec.CommandContext(ctx, binary, "run", file, "--processes", fmt.Sprint(processes), "--out", out, "--no-charts", "--no-probe", "--quiet")
	var said strings.Builder
	command.Stdout, command.Stderr = io.Discard, &said
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	record, err := results.Read(results.Dir(out))
	require.NoError(t, err)
	return record
}
