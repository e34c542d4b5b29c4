package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
)

// atHandler is where allocations are counted: the handler of `serve` in this process, without a
// socket or who is at its other end.
const atHandler = "handler alone"

// handlerCells are the operations of a server, by its handler in this process: what it allocates
// no other process can see. The requests are those that the client sends.
func (b *bench) handlerCells(ctx context.Context, list []*server) ([]cell, error) {
	h, err := tables()
	if err != nil {
		return nil, err
	}
	var cells []cell
	for _, s := range list {
		if s.name != ofBare { // whose account the handler has, too
			continue
		}
		for _, what := range []string{whatInsert, whatGet, whatBatch, whatPage, whatScan} {
			raw, err := b.sentFor(ctx, s, what)
			if err != nil {
				return nil, err
			}
			do := repeated(h, raw)
			cells = append(cells, cell{Cell: Cell{GroupServer, what, atHandler, ofServe}, run: func(ctx context.Context) (reading, error) {
				return measureHere(ctx, b.Clock, 1, slice, do)
			}})
		}
	}
	return cells, b.furnish(ctx, h)
}

// furnish makes the tables of a handler, by way of a socket that is closed again.
func (b *bench) furnish(ctx context.Context, h http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	served := &http.Server{Handler: h}
	ended := make(chan error, 1)
	go func() { ended <- served.Serve(listener) }()
	defer func() {
		_ = served.Close()
		<-ended
	}()
	to, err := b.client(listener.Addr().String())
	if err != nil {
		return err
	}
	defer to.Close()
	asks, err := newRequests(to)
	if err != nil {
		return err
	}
	return asks.furnish(ctx)
}

// repeated has a handler answer one request again and again. An insert has a row of its own each
// time: its number takes the place of that in the body.
func repeated(h http.Handler, raw *rawRequest) doing {
	body := &again{*bytes.NewReader(raw.body)}
	raw.Request.Body, raw.ContentLength = body, int64(len(raw.body))
	w := &ignored{header: make(http.Header)}
	first := bytes.Index(raw.body, []byte(`"RowKey":"`)) + len(`"RowKey":"`)
	inserts := raw.Method == http.MethodPost && first > len(`"RowKey":"`)
	row := uint64(0)
	return func(int, uint64) error {
		if row++; inserts && !bytes.HasPrefix(raw.body, []byte("--")) {
			for digit, n := 7, row; digit >= 0; digit, n = digit-1, n/10 {
				raw.body[first+digit] = byte('0' + n%10)
			}
		}
		_, _ = body.Seek(0, io.SeekStart)
		clear(w.header)
		w.status = 0
		h.ServeHTTP(w, raw.Request)
		if w.status/100 != 2 {
			return fmt.Errorf("%s %s: %d", raw.Method, raw.URL.Path, w.status)
		}
		return nil
	}
}

// again is a body that is read over and over.
type again struct{ bytes.Reader }

func (*again) Close() error { return nil }

// ignored is a reply that is not read.
type ignored struct {
	header http.Header
	status int
}

func (w *ignored) Header() http.Header { return w.header }

func (w *ignored) WriteHeader(status int) { w.status = status }

func (w *ignored) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return len(p), nil
}
