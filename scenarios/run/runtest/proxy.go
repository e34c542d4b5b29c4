package runtest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy is a forward proxy on loopback that connects all CONNECT requests to one address.
type Proxy struct {
	// Address receives the connections, whatever host was requested. If none can be opened, the
	// proxy answers Status.
	Address string
	Status  int
	// Expected reports whether a request is one that the test expects; nil expects all.
	Expected func(r *http.Request, user, password string) bool
	// Tunnels counts the connections, Unexpected the requests that were not expected.
	Tunnels, Unexpected atomic.Int64
	open                sync.WaitGroup
}

// Start serves the proxy until the test ends and returns its URL.
func (p *Proxy) Start(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(func() {
		server.Close()
		p.open.Wait()
	})
	return server.URL
}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
	if p.Expected != nil && !p.Expected(r, user, password) {
		p.Unexpected.Add(1)
	}
	service, err := net.Dial("tcp", p.Address)
	if err != nil {
		w.WriteHeader(p.Status)
		return
	}
	p.Tunnels.Add(1)
	// The count rises while the server still waits for the connection. The connection is taken over
	// before the answer is written, so that nobody else reads what the client sends after it.
	p.open.Add(2)
	client, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		service.Close()
		p.open.Add(-2)
		return
	}
	_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
	pass := func(to, from net.Conn) {
		defer p.open.Done()
		_, _ = io.Copy(to, from)
		to.Close()
	}
	go pass(service, client)
	go pass(client, service)
}
