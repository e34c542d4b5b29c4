package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
	"loadgen/target"
	"loadgen/target/azure"
)

// emulatorKey is the key that every emulator has, of the account devstoreaccount1.
const emulatorKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

// guarded is a buffer that may be read while others write.
type guarded struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (g *guarded) Write(text []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.Write(text)
}

func (g *guarded) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.String()
}

// shop is a running `loadgen serve` and a client of it.
type shop struct {
	t *testing.T
	// ready is its first line, admin the URL of its second address.
	ready, admin string
	client       *azure.Target
	clock        clock.Real
	number       uint64
	stderr       guarded
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
	s := &shop{t: t, clock: clock.NewReal(), done: make(chan int, 1)}
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
	s.until("the state's address", func() bool {
		_, rest, found := strings.Cut(s.stderr.String(), "state of the service: ")
		s.admin, _, _ = strings.Cut(rest, serve.StatePath)
		return found && strings.Contains(rest, "\n")
	})
	return s
}

// enter makes a client out of a connection string.
func (s *shop) enter(connection string) {
	s.t.Helper()
	endpoint, err := azure.ParseConnectionString(connection)
	if err != nil {
		s.t.Fatalf("ParseConnectionString(%q) = %v; want no error", connection, err)
	}
	s.client, err = azure.New(azure.Options{Endpoint: endpoint, Connections: 4, AskCounted: true,
		Clock: s.clock, Calendar: s.clock, RunID: "shop"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(s.client.Close)
}

// until waits for something that is under way.
func (s *shop) until(what string, there func() bool) {
	s.t.Helper()
	for last := s.clock.Now().Add(10 * time.Second); !there(); {
		if s.clock.Now() > last || s.clock.Sleep(s.t.Context(), s.clock.Now().Add(time.Millisecond)) != nil {
			s.t.Fatalf("waited in vain for %s: %s", what, &s.stderr)
		}
	}
}

// stop ends the command as a process manager does, and returns its exit code.
func (s *shop) stop() int {
	s.stopped = true
	s.cancel(interruption{syscall.SIGTERM})
	code := <-s.done
	s.reading.Wait()
	return code
}

// do sends one operation.
func (s *shop) do(op *target.Operation) target.Outcome {
	s.number++
	op.Number = s.number
	return s.client.Do(s.t.Context(), op)
}

// want fails the test unless the operation succeeds.
func (s *shop) want(op *target.Operation) target.Outcome {
	s.t.Helper()
	got := s.do(op)
	if got.Code != entity.OK || got.Status == 0 {
		s.t.Fatalf("%v of %s %q = %d %s %s; want success", op.Verb, op.Table, op.Change.Key, got.Status, got.Code, got.Detail)
	}
	return got
}

// write is a change of one entity.
func write(verb entity.Verb, table, partition, row string, properties ...entity.Property) *target.Operation {
	op := &target.Operation{Verb: verb, Table: table,
		Change: entity.Change{Verb: verb, Key: entity.Key{Partition: partition, Row: row}, Properties: properties}}
	if verb == entity.Delete {
		op.Change.Match = entity.MatchAny
	}
	return op
}

// get asks the second address, or another one.
func get(t *testing.T, method, url string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(text)
}

// state returns what the service says of itself.
func (s *shop) state() (now serve.State) {
	s.t.Helper()
	status, text := get(s.t, "GET", s.admin+serve.StatePath)
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&now); err != nil || status != http.StatusOK {
		s.t.Fatalf("GET %s = %d %q, %v; want the state", serve.StatePath, status, text, err)
	}
	return now
}

// put writes files into the present folder.
func put(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
