//go:build (ci || long) && unix

package rest_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/store/durable"
)

// serveForParent serves tables in memory, or in a folder, on a port that it prints, and
// prints the processor time that it has used for every line that it reads.
func serveForParent(t *testing.T, kind string) {
	o := resttest.Options{Rest: rest.Options{Clock: clock.NewReal()}}
	if kind != "memory" {
		s := must(durable.Open(durable.Options{Folder: t.TempDir(), Account: account, Sync: kind == "sync"}))(t)
		defer s.Close()
		o.Engine.Stores = map[string]engine.Store{account: s}
	}
	fmt.Println(open(t, rest.ListenOptions{Handler: newService(t, o)}).Address())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var used syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
		fmt.Println((used.Utime.Nano() + used.Stime.Nano()) / 1000)
	}
}

// child is a server in a process of its own.
type child struct {
	*resttest.Child
	address string
}

func start(t *testing.T, kind string) *child {
	t.Helper()
	c := &child{Child: resttest.StartChild(t, kind)}
	c.address = c.Line()
	return c
}

// used returns the processor time that the child has used, in microseconds.
func (c *child) used(t *testing.T) float64 {
	t.Helper()
	must(io.WriteString(c.Input, "\n"))(t)
	micros := must(strconv.ParseFloat(c.Line(), 64))(t)
	return micros
}

// numbered is what stands for the request's number in what is sent.
const numbered = "########"

// send sends n requests over some connections at once, numbered after the first ones.
func (c *child) send(t *testing.T, first, n int64, request []byte, status int) {
	t.Helper()
	const connections = 16
	var next atomic.Int64
	var group sync.WaitGroup
	at := bytes.Index(request, []byte(numbered))
	for range connections {
		group.Go(func() {
			connection, err := net.Dial("tcp", c.address)
			if err != nil {
				t.Error(err)
				return
			}
			defer connection.Close()
			mine, reader := bytes.Clone(request), bufio.NewReaderSize(connection, 64<<10)
			for i := first + next.Add(1); i <= first+n; i = first + next.Add(1) {
				if at >= 0 {
					copy(mine[at:], fmt.Sprintf("%08d", i))
				}
				if _, err := connection.Write(mine); err != nil {
					t.Error(err)
					return
				}
				reply, err := http.ReadResponse(reader, nil)
				if err == nil {
					_, err = io.Copy(io.Discard, reply.Body)
				}
				if err != nil || reply.StatusCode != status {
					t.Errorf("reply = %v, %v; want %d", reply, err, status)
					return
				}
			}
		})
	}
	group.Wait()
}
