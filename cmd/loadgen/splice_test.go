//go:build (ci && unix) || live

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
)

// splice passes on connections to an address until it is cut, and keeps every byte, both ways.
type splice struct {
	net.Listener
	to    string
	mu    sync.Mutex
	open  []net.Conn
	heard bytes.Buffer
	wires sync.WaitGroup
}

func newSplice(t *testing.T, to string) *splice {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &splice{Listener: l, to: to}
	s.wires.Go(s.accept)
	t.Cleanup(func() { s.cut(); s.wires.Wait() })
	return s
}

func (s *splice) accept() {
	for {
		near, err := s.Accept()
		if err != nil {
			return
		}
		far, err := s.dial()
		if err != nil {
			near.Close()
			continue
		}
		s.mu.Lock()
		s.open = append(s.open, near, far)
		s.mu.Unlock()
		for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
			s.wires.Go(func() {
				// What ends it is the end of either side.
				_, _ = io.Copy(io.MultiWriter(way[0], s), way[1])
				way[0].Close()
			})
		}
	}
}

// dial connects to who is behind, who may not listen yet.
func (s *splice) dial() (net.Conn, error) {
	clk := clock.NewReal()
	for {
		c, err := net.Dial("tcp", s.to)
		if err == nil || clk.Now().Offset() > time.Minute || !errors.Is(err, syscall.ECONNREFUSED) {
			return c, err
		}
		if err := clk.Sleep(context.Background(), clk.Now().Add(100*time.Millisecond)); err != nil {
			return nil, err
		}
	}
}

// cut ends all connections, and takes no more.
func (s *splice) cut() {
	s.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.open {
		c.Close()
	}
}

// Write implements [io.Writer] for what passes.
func (s *splice) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard.Write(p)
}

// has reports whether a text was heard. One that two reads have a part of each could be
// missed where another connection's bytes came in between: requests and replies this
// small are read whole.
func (s *splice) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Contains(s.heard.Bytes(), []byte(text))
}
