//go:build ci && linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest/resttest"
	"loadgen/target"
	"loadgen/target/azure"
)

// fullDiskChild has the variable that makes this program a serve whose files may not grow
// beyond a size, as on a full disk.
const fullDiskChild = "LOADGEN_FULL_DISK_CHILD"

// A serve whose disk is full answers 500, ends by itself with exit code 1 and the cause, and
// has lost nothing of what it had acknowledged.
func TestAFullDiskEndsServe(t *testing.T) {
	if folder := os.Getenv(fullDiskChild); folder != "" {
		const most = 1 << 20
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			panic(err)
		}
		os.Exit(execute(context.Background(), []string{"serve", "--listen", "127.0.0.1:0", "--profile", "off", "--data-dir", folder}, strings.NewReader(""), os.Stdout, os.Stderr))
	}
	t.Chdir(t.TempDir())
	var said bytes.Buffer
	c := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	c.Env, c.Stderr = append(os.Environ(), fullDiskChild+"=data"), &said
	output, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	require.NoError(t, err)
	defer c.Process.Kill() // it has ended by then, if all is well
	line, err := bufio.NewReader(output).ReadString('\n')
	endpoint, fault := azure.ParseConnectionString(strings.TrimSpace(line))
	require.Truef(t, err == nil && fault == nil, "serve said %q: %v, %v", line, err, fault)
	clk := clock.NewReal()
	client, err := azure.New(azure.Options{Endpoint: endpoint, Connections: 1, Clock: clk, Calendar: clk, RunID: "full"})
	require.NoError(t, err)
	defer client.Close()
	do := func(op *target.Operation) target.Outcome { return client.Do(t.Context(), op) }
	if got := do(&target.Operation{Verb: entity.CreateTable, Table: "Races"}); got.Code != entity.OK {
		t.Fatalf("the table = %+v", got)
	}
	written := 0
	for ; written < 1000; written++ {
		op := resttest.Write(entity.Insert, "Races", "p", fmt.Sprintf("%04d", written), entity.Property{Name: "Text", Value: entity.String(strings.Repeat("x", 10_000))})
		op.Number = uint64(written)
		if got := do(op); got.Code != entity.OK || got.Status/100 != 2 {
			assert.Equalf(t, 500, got.Status, "the write that found no room = %s %s", got.Code, got.Detail)
			break
		}
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	alarm := clk.Alarm(clk.Now().Add(30 * time.Second))
	defer alarm.Stop()
	select {
	case <-ended:
	case <-alarm.C:
		t.Fatal("serve goes on")
	}
	if code := c.ProcessState.ExitCode(); code != 1 || !strings.Contains(said.String(), "writing failed") || !strings.Contains(said.String(), "file too large") {
		t.Errorf("serve = %d: %s; want 1 and the cause", code, &said)
	}
	s := openShop(t, "", "--data-dir", "data")
	if tables := s.state().Tables; len(tables) != 1 || tables[0].Entities < int64(written) || written < 50 {
		t.Errorf("after the full disk there is %+v; %d writes were acknowledged", tables, written)
	}
}
