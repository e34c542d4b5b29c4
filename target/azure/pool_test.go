package azure

import (
	"net"
	"testing"

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
		p.close()
	}
}
