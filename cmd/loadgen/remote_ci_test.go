//go:build ci

package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
)

// Neither the artefacts of a run, nor what it says, nor the trace of a panic
// while it is under way holds a part of the secret.
func TestSecretsAreNowhere(t *testing.T) {
	leftOutWhenShort(t)
	if os.Getenv(panicking) != "" {
		panicUnderWay(t)
	}
	s := newService(t, model.Documented, 0)
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, s.args("--yes", "--record", "attempts.bin", "--no-charts=false", "--out", "run")...)
	require.Equalf(t, codeOk, code, "exit code %d: %s", code, stderr)
	child := exec.Command(os.Args[0], "-test.run=^TestSecretsAreNowhere$")
	child.Env = append(os.Environ(), panicking+"=1", "GOTRACEBACK=all")
	trace, err := child.CombinedOutput()
	require.Truef(t, err != nil && bytes.Contains(trace, []byte("panic: ")) && bytes.Contains(trace, []byte("goroutine ")),
		"the child = %v; want a panic's trace:\n%s", err, trace)
	said := map[string]string{"stdout": stdout, "stderr": stderr, "the panic's trace": string(trace)}
	addFiles(t, said, ".")
	assert.Truef(t, len(said) >= 10, "searched %d texts; want the whole record", len(said))
	withoutKey(t, said)
}
