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
	said := map[string][]byte{"stdout": []byte(stdout), "stderr": []byte(stderr), "the panic's trace": trace}
	for _, name := range leftIn(t, ".") {
		if text, err := os.ReadFile(name); err == nil {
			said[name] = text
		}
	}
	assert.Truef(t, len(said) >= 10, "searched %d texts; want the whole record", len(said))
	// Any eight characters of the key in a row would be a part of it, as would
	// the bytes that it stands for.
	parts := []string{"plantedsecret"}
	for i := 0; i+12 <= len(planted); i += 4 {
		parts = append(parts, planted[i:i+12])
	}
	for name, text := range said {
		for _, part := range parts {
			assert.Falsef(t, bytes.Contains(text, []byte(part)), "%s holds %q, a part of the key", name, part)
		}
	}
}
