//go:build ci

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
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

// panicking has the test above end in a panic instead, in a process of its own.
const panicking = "LOADGEN_TEST_PANIC"

// panicUnderWay panics while a run is under way, with the whole of its options
// in the message, in every form that a careless line of code could give it.
func panicUnderWay(t *testing.T) {
	s := newService(t, model.Documented, 0)
	t.Chdir(t.TempDir())
	var f stressFlags
	c := f.verb(nil, nil)
	require.NoError(t, c.ParseFlags(s.args("--yes")[1:]))
	draw, planOf, err := f.open(c, io.Discard)
	require.NoError(t, err)
	drawn, err := draw(nil)
	require.NoError(t, err)
	plan, err := planOf(drawn, commandOf(c))
	require.NoError(t, err)
	go execute(context.Background(), s.args("--yes", "--quiet", "--duration", "1h"), nil, &bytes.Buffer{}, &bytes.Buffer{})
	clk := clock.NewReal()
	for s.handler.Counts().Requests < 40 {
		require.NoError(t, clk.Sleep(t.Context(), clk.Now().Add(time.Millisecond)))
	}
	panic(fmt.Sprintf("%v %+v %#v %v %+v", f, plan, plan, &f, plan.Accounts[0]))
}
