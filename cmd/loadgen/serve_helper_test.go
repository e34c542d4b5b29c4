package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
)

// shop is a running `loadgen serve` and a client of it.
type shop struct {
	*resttest.Client
	t *testing.T
	// ready is its first line, admin the URL of its second address.
	ready, admin string
	stderr       resttest.Buffer
	cancel       context.CancelCauseFunc
	done         chan int
	// stdout is what comes after the first line, to be read after stop.
	stdout  strings.Builder
	reading sync.WaitGroup
	stopped bool
}

// openShop runs the command in the present folder, on a free port.
func openShop(t *testing.T, stdin string, args ...string) *shop {
	t.Helper()
	args = append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)
	return openShopBy(t, func(ctx context.Context, stdout, stderr io.Writer) int {
		return execute(ctx, args, strings.NewReader(stdin), stdout, stderr)
	})
}

func openShopBy(t *testing.T, start func(ctx context.Context, stdout, stderr io.Writer) int) *shop {
	t.Helper()
	s := &shop{t: t, done: make(chan int, 1)}
	var ctx context.Context
	ctx, s.cancel = context.WithCancelCause(context.Background())
	from, to := io.Pipe()
	go func() {
		code := start(ctx, to, &s.stderr)
		to.Close()
		s.done <- code
	}()
	said := bufio.NewReader(from)
	line, err := said.ReadString('\n')
	s.reading.Go(func() { _, _ = io.Copy(&s.stdout, said) })
	if err != nil {
		t.Fatalf("serve ended with %d before it was ready: %s", <-s.done, &s.stderr)
	}
	t.Cleanup(func() {
		if !s.stopped {
			s.stop()
		}
	})
	s.ready = strings.TrimSuffix(line, "\n")
	resttest.Until(t, "the state's address", func() bool {
		_, rest, found := strings.Cut(s.stderr.String(), "state of the service: ")
		s.admin, _, _ = strings.Cut(rest, serve.StatePath)
		return found && strings.Contains(rest, "\n")
	})
	return s
}

// enter makes a client out of a connection string.
func (s *shop) enter(connection string) {
	s.t.Helper()
	s.Client = resttest.Dial(s.t, connection)
}

// stop ends the command as a process manager does, and returns its exit code.
func (s *shop) stop() int {
	s.stopped = true
	s.cancel(interruption{syscall.SIGTERM})
	code := <-s.done
	s.reading.Wait()
	return code
}

// state returns what the service says of itself.
func (s *shop) state() serve.State { return resttest.ReadState(s.t, s.admin) }

// put writes files into the present folder.
func put(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}
