package azure_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"loadgen/target/azure"
)

// network is a service in memory: each connection is a pipe, and answer says
// what comes back on it. It is fit for a bubble of synctest, in which a socket
// would let time stand.
type network struct {
	dials    atomic.Int64
	requests atomic.Int64
	handlers sync.WaitGroup
	// answer may block; it is given the number of the request on its
	// connection, and returns false to hang up.
	answer func(number int, r *http.Request) (reply string, stay bool)
}

// join has a target use the network.
func (n *network) join(t testing.TB, subject *azure.Target) {
	t.Helper()
	subject.DialWith(func(context.Context, string, string) (net.Conn, error) {
		n.dials.Add(1)
		near, far := net.Pipe()
		n.handlers.Go(func() { n.handle(far) })
		return near, nil
	})
}

func (n *network) handle(conn net.Conn) {
	defer conn.Close()
	reader := bufio.NewReader(conn)
	for number := 0; ; number++ {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return
		}
		n.requests.Add(1)
		reply, stay := n.answer(number, request)
		if _, err := io.WriteString(conn, reply); err != nil || !stay {
			return
		}
	}
}
