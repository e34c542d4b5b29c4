package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
	"loadgen/results"
)

func TestServeSaysWhereItIs(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openShop(t, "")
	port, _, _ := strings.Cut(s.ready[strings.LastIndex(s.ready, ":")+1:], "/")
	want := "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=" + resttest.Emulator.Secret +
		";TableEndpoint=http://127.0.0.1:" + port + "/devstoreaccount1;"
	assert.Equal(t, want, s.ready, "the first line")
	s.enter(s.ready)
	s.Must(entity.CreateTable, "Races", "", "")
	if now := s.state(); now.Seed != 1 || now.Profile != "documented" || now.Requests.Ok != 1 {
		t.Errorf("the state = %+v; want one request, and the defaults of the flags", now)
	}
	if status, text := resttest.Get(t, "GET", s.admin+serve.HealthPath); status != 200 || text != "ok\n" {
		t.Errorf("health = %d %q; want ok", status, text)
	}
	if code := s.stop(); code != codeOk || s.stdout.Len() > 0 {
		t.Errorf("serve, drained = %d, and said %q; want 0 and no more than the first line: %s", code, &s.stdout, &s.stderr)
	}
	wantSaid := "serving the account devstoreaccount1 on http://127.0.0.1:" + port + "/devstoreaccount1, profile documented\n" +
		"state of the service: " + s.admin + "/-/state\n" +
		"draining; requests under way: 0\ndrained; requests: 1 (1 ok, 0 throttled, 0 failed); entities counted: 0\n"
	assert.Equal(t, wantSaid, s.stderr.String(), "stderr")
	if left := leftIn(t, "."); len(left) > 0 {
		t.Errorf("serve left %v behind; want nothing", left)
	}
}

func TestDrainCutsOffWhatTakesTooLong(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openShopBy(t, func(ctx context.Context, stdout, stderr io.Writer) int {
		c := (&serveFlags{Options: serve.Options{Grace: 20 * time.Millisecond}}).verb(stdout, stderr)
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs([]string{"--listen", "127.0.0.1:0", "--set", "model.write_time=10s", "--set", "model.time_spread=0",
			"--export", "all.jsonl", "--examine", "--out", "run"})
		err := c.ExecuteContext(ctx)
		code, _ := explain(ctx, err)
		return code
	})
	s.enter(s.ready)
	gone := make(chan int, 1)
	go func() { gone <- s.Do(context.Background(), resttest.Write(entity.CreateTable, "Races", "", "")).Status }()
	resttest.Until(t, "a request under way", func() bool { return s.state().UnderWay == 1 })
	if code := s.stop(); code != codeTerminated || !strings.Contains(s.stderr.String(), "cut off after 20ms; requests under way: 1; ") {
		t.Errorf("serve that cut a request off = %d; want %d, and why: %s", code, codeTerminated, &s.stderr)
	}
	assert.Equal(t, 0, <-gone, "the request that was cut off")
	record := read(t, "run")
	if sum := record.Total(results.Everything); record.Validity != results.Partial || sum.Attempts != 1 || sum.Failed != 1 || record.Target.Failed != 1 {
		t.Errorf("the run is %s, with %d attempts, %d failed; want it partial, and the one failed", record.Validity, sum.Attempts, sum.Failed)
	}
	if text, err := os.ReadFile("all.jsonl"); err != nil || !strings.Contains(string(text), "Races") {
		t.Errorf("the export = %q, %v; want it all the same", text, err)
	}
}

// A port and a folder of tables belong to one service at a time.
func TestServeOnWhatIsInUse(t *testing.T) {
	t.Chdir(t.TempDir())
	data := t.TempDir()
	s := openShop(t, "", "--data-dir", data)
	_, address, _ := strings.Cut(s.ready, "http://")
	address, _, _ = strings.Cut(address, "/")
	admin := strings.TrimPrefix(s.admin, "http://")
	for _, args := range [][]string{
		{"--listen", address}, {"--listen", "127.0.0.1:0", "--admin", address}, {"--listen", "127.0.0.1:0", "--admin", admin},
		{"--listen", "127.0.0.1:0", "--data-dir", data},
	} {
		code, stdout, stderr := say(t, append([]string{"serve", "--examine", "--export", "all.csv"}, args...)...)
		assert.Truef(t, code == codeUsage && stdout == "" && strings.Count(stderr, "\n") == 1 && strings.Contains(stderr, "in use"),
			"serve %v = %d %q %q; want %d and one line", args, code, stdout, stderr, codeUsage)
		if left := leftIn(t, "."); len(left) > 0 {
			t.Errorf("serve %v left %v behind; want nothing", args, left)
		}
	}
}

// Where the run's folder cannot be written to, the service is closed again.
func TestServeClosesWhatItCannotExamine(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, map[string]string{"taken": ""})
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	free.Close()
	if code, stdout, stderr := say(t, "serve", "--examine", "--out", "taken", "--listen", address); code != codeUsage || stdout != "" {
		t.Errorf("serve --examine --out of a file = %d %q %q; want %d", code, stdout, stderr, codeUsage)
	}
	again, err := net.Listen("tcp", address)
	require.NoError(t, err, "the port is not free again")
	again.Close()
}

func TestInterruptedWhileImporting(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancelCause(context.Background())
	from, to := io.Pipe()
	go func() {
		fmt.Fprintln(to, `{"Table":"Races","PartitionKey":"p","RowKey":"1"}`)
		cancel(interruption{syscall.SIGTERM})
		fmt.Fprintln(to, `{"Table":"Races","PartitionKey":"p","RowKey":"2"}`)
	}()
	var stdout, stderr bytes.Buffer
	code := execute(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--import", "-", "--export", "all.csv"}, from, &stdout, &stderr)
	from.Close()
	if code != codeTerminated || stdout.Len() > 0 || len(leftIn(t, ".")) > 0 {
		t.Errorf("serve, interrupted while importing = %d, %q, left %v; want %d and nothing", code, &stdout, leftIn(t, "."), codeTerminated)
	}
}
