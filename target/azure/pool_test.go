package azure

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
)

// What expires is taken off the front of the pool at once: each connection is looked at
// once, none of the others is moved, however many they are.
func TestExpiringMovesNoConnection(t *testing.T) {
	for _, row := range []struct {
		name               string
		expired, remaining int
	}{
		{"one of a few", 1, 3},
		{"one of many", 1, 1000},
		{"many, and one is left", 1000, 1},
		{"all", 5, 0},
		{"none at all", 0, 0},
	} {
		p := pool{most: row.expired + row.remaining}
		now := clock.Instant(0).Add(idleFor)
		for i := range p.most {
			near, far := net.Pipe()
			defer far.Close()
			p.put(newConnection(near), clock.Instant(min(1, i/max(1, row.expired))))
		}
		before := p.idle
		first := append([]*connection(nil), before[:row.expired]...)
		p.expire(now)
		if len(p.idle) != row.remaining {
			t.Errorf("%s: %d connections are left; want %d", row.name, len(p.idle), row.remaining)
			continue
		}
		moved := 0
		for i := range p.idle {
			if &p.idle[i] != &before[row.expired+i] {
				moved++
			}
		}
		if moved > 0 {
			t.Errorf("%s: %d connections were moved; want none", row.name, moved)
		}
		for i, c := range first {
			if _, err := c.Conn.Write([]byte{0}); err == nil || before[i] != nil {
				t.Errorf("%s: connection %d of those that expired is open or still held", row.name, i)
			}
		}
		for _, c := range p.idle {
			c.Close()
		}
	}
}

// Of a hundred attempts that find no connection at once, no more than some open one at the
// same time; the others go on with what comes back, or open one when it is their turn.
func TestConnectionsAreOpenedAFewAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pool{most: 200, opening: make(chan struct{}, mostOpening), wanted: make(chan *connection)}
		var at, most, opened atomic.Int64
		dial := func() (net.Conn, error) {
			now := at.Add(1)
			for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
			}
			<-time.After(time.Second)
			at.Add(-1)
			opened.Add(1)
			conn, _ := net.Pipe()
			return conn, nil
		}
		var got sync.Map
		var under sync.WaitGroup
		for i := range 100 {
			under.Go(func() {
				c, err := p.open(t.Context(), dial)
				if _, twice := got.LoadOrStore(c, i); twice || err != nil {
					t.Errorf("attempt %d: open = %v, %v; want a connection of its own", i, c, err)
				}
			})
		}
		synctest.Wait()
		conn, _ := net.Pipe()
		back := newConnection(conn)
		p.put(back, 0)
		under.Wait()
		if _, used := got.Load(back); !used || opened.Load() != 99 || most.Load() != mostOpening {
			t.Errorf("one that came back was used: %v; %d opened, %d at a time; want it used, 99, %d", used, opened.Load(), most.Load(), mostOpening)
		}
		over, end := context.WithCancel(t.Context())
		end()
		for range mostOpening {
			p.opening <- struct{}{}
		}
		if _, err := p.open(over, dial); !errors.Is(err, context.Canceled) {
			t.Errorf("open of an attempt that has ended = %v; want that it has", err)
		}
	})
}
