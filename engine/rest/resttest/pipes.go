package resttest

import (
	"net"
	"sync"
)

// Pipes is an in-memory listener: Dial returns the client's end of a connection. It is safe
// for concurrent use.
type Pipes struct {
	// Connections holds connections that are not accepted yet.
	Connections chan net.Conn
	// Closed is closed by Close.
	Closed chan struct{}
	once   sync.Once
}

var _ net.Listener = (*Pipes)(nil)

// NewPipes returns a listener.
func NewPipes() *Pipes {
	return &Pipes{Connections: make(chan net.Conn), Closed: make(chan struct{})}
}

// Accept implements [net.Listener].
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case connection := <-p.Connections:
		return connection, nil
	case <-p.Closed:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (p *Pipes) Close() error {
	p.once.Do(func() { close(p.Closed) })
	return nil
}

// Addr implements [net.Listener].
func (p *Pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "pipe"} }

// Dial blocks until the connection is accepted and returns the client's end.
func (p *Pipes) Dial() net.Conn {
	here, there := net.Pipe()
	p.Connections <- there
	return here
}
