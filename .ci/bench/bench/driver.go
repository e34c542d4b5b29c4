package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"loadgen/target/azure"
)

// Who sends, as figures name them.
const (
	ofDriver     = "loadgen"
	ofBareClient = "net/http client"
	ofVegeta     = "vegeta"
)

// driverLanes is over how many connections drivers send flat out.
const driverLanes = 32

// driver measures what sending costs this process, all to the bare handler.
func (b *bench) driver(ctx context.Context) (err error) {
	s, err := b.startBare(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	var cells []cell
	for _, what := range []string{whatInsert, whatGet} {
		raw, err := b.sentFor(ctx, s, what)
		if err != nil {
			return err
		}
		cells = append(cells, b.flatOut(s, what, raw)...)
	}
	return b.rounds(ctx, cells)
}

// rawRequest is what this tool's client sends, for clients that are given it ready.
type rawRequest struct {
	*http.Request
	body []byte
}

// sentFor returns the request of an operation, as a listener received it.
func (b *bench) sentFor(ctx context.Context, s *server, what string) (*rawRequest, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	to, err := b.client(listener.Addr().String())
	if err != nil {
		return nil, err
	}
	defer to.Close()
	asks, err := newRequests(to)
	if err != nil {
		return nil, err
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_ = asks.named(ctx, what, 1)(0, 1) // no answer is expected
	}()
	raw, err := hear(listener)
	<-sent
	if err != nil {
		return nil, err
	}
	raw.URL.Scheme, raw.URL.Host = "http", s.to.Socket()
	raw.Header.Del("Content-Length")
	return raw, nil
}

// client returns this tool's client of a handler that has the bare account.
func (b *bench) client(address string) (*azure.Target, error) {
	endpoint, err := azure.ParseConnectionString(bareString(address))
	if err != nil {
		return nil, err
	}
	return azure.New(azure.Options{Endpoint: endpoint, Clock: b.Clock, Calendar: b.Clock})
}

// hear returns the first request to come, whose connection is closed without a reply.
func hear(listener net.Listener) (*rawRequest, error) {
	connection, err := listener.Accept()
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	request, err := http.ReadRequest(bufio.NewReader(connection))
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(request.Body)
	return &rawRequest{request, body}, err
}

// flatOut are the drivers at full speed, over a number of connections.
func (b *bench) flatOut(s *server, what string, raw *rawRequest) []cell {
	url := raw.URL.String()
	bare := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: driverLanes, DisableCompression: true}}
	alone := &vegetaAlone{method: raw.Method, url: url, header: raw.Header, body: raw.body, workers: driverLanes}
	at := Cell{GroupDriver, what, connectionsName(driverLanes), ""}
	by := func(of string, run func(ctx context.Context) (reading, error)) cell {
		c := cell{Cell: at, run: run}
		c.Of = of
		return c
	}
	return []cell{
		by(ofDriver, func(ctx context.Context) (reading, error) {
			return measureHere(ctx, b.Clock, driverLanes, slice, s.named(ctx, what, driverLanes))
		}),
		by(ofBareClient, func(ctx context.Context) (reading, error) {
			defer bare.CloseIdleConnections()
			return measureHere(ctx, b.Clock, driverLanes, slice, func(int, uint64) error { return raw.send(ctx, bare, url) })
		}),
		by(ofVegeta, func(context.Context) (reading, error) {
			used := new(own)
			_ = used.begins()
			began := b.Clock.Now()
			hits, err := alone.flatOut(slice)
			_ = used.ends()
			return used.reading(hits, b.Clock.Now().Sub(began)), err
		}),
	}
}

// send sends the request by a client of net/http and reads the reply.
func (r *rawRequest) send(ctx context.Context, client *http.Client, url string) error {
	var content io.Reader
	if len(r.body) > 0 {
		content = bytes.NewReader(r.body)
	}
	sent, err := http.NewRequestWithContext(ctx, r.Method, url, content)
	if err != nil {
		return err
	}
	sent.Header = r.Header
	reply, err := client.Do(sent)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, reply.Body)
	reply.Body.Close()
	if err == nil && reply.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s", ofBareClient, reply.Status)
	}
	return err
}
