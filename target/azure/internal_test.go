package azure

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/wire"
)

func TestWhoAnswers(t *testing.T) {
	const (
		real    = "races.table.core.windows.net"
		own     = "tables.example.com"
		service = "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0"
		ours    = "loadgen/1 (partition_target=500; account_target=none)"
	)
	for _, row := range []struct {
		sentence, host, header string
		genuine, emulator      bool
		known                  bool
		limits                 wire.Limits
	}{
		{"the service", real, service, true, false, false, wire.Limits{}},
		{"with a port and a dot", "RACES.table.core.windows.net.:443", service, true, false, false, wire.Limits{}},
		{"its other name", real, "Microsoft-HTTPAPI/2.0", true, false, false, wire.Limits{}},
		{"China", "races.table.core.chinacloudapi.cn", service, true, false, false, wire.Limits{}},
		{"the US government", "races.table.core.usgovcloudapi.net", service, true, false, false, wire.Limits{}},
		{"Germany", "races.table.core.cloudapi.de", service, true, false, false, wire.Limits{}},
		{"Cosmos DB", "races.table.cosmos.azure.com:443", "Microsoft-HTTPAPI/2.0", true, false, false, wire.Limits{}},
		{"its host, and another name", real, "nginx", false, false, false, wire.Limits{}},
		{"its name at a domain of one's own", own, service, false, false, false, wire.Limits{}},
		{"a host that only looks like it", "table.core.windows.net.example.com", service, false, false, false, wire.Limits{}},
		{"the domain without an account", "table.core.windows.net", service, false, false, false, wire.Limits{}},
		{"its name on this machine", "127.0.0.1:10002", service, false, false, false, wire.Limits{}},
		{"loadgen serve", "127.0.0.1:10002", ours, false, true, true, wire.Limits{Partition: 500}},
		{"loadgen serve without limits", own, "loadgen/1 (partition_target=none; account_target=none)", false, true, true, wire.Limits{}},
		{"loadgen serve at the service's host", real, ours, false, true, true, wire.Limits{Partition: 500}},
		{"loadgen serve whose partitions may exceed their limit", own, "loadgen/1 (partition_target=2000; account_target=20000; headroom=2000)", false, true, false, wire.Limits{}},
		{"an older one, which tells none", own, "loadgen/(unknown)", false, true, false, wire.Limits{}},
		{"one that tells what cannot be", own, "loadgen/1 (partition_target=-1; account_target=9e9)", false, true, false, wire.Limits{}},
		{"Azurite", "127.0.0.1:10002", "Azurite-Table/3.35.0", false, true, true, wire.Limits{}},
		{"nothing", own, "", false, false, false, wire.Limits{}},
		{"a terminal's controls", real, "Windows-Azure-Table/1.0\x1b[2J", false, false, false, wire.Limits{}},
		{"text that is no ASCII", own, "loadgen/1 (partition_target=5; account_target=6) \u202e", false, false, false, wire.Limits{}},
	} {
		got := identify(row.host, row.header)
		if got.Genuine != row.genuine || got.Emulator != row.emulator || got.LimitsKnown != row.known || got.Limits != row.limits {
			t.Errorf("%s: identify(%q, %q) = %+v; want genuine %t, emulator %t, limits %+v %t",
				row.sentence, row.host, row.header, got, row.genuine, row.emulator, row.limits, row.known)
		}
		assert.Falsef(t, strings.ContainsFunc(got.Server, func(c rune) bool { return c < ' ' || c == '\u202e' }),
			"%s: it is called %q; want nothing that a terminal takes for more than text", row.sentence, got.Server)
	}
	long := identify(own, strings.Repeat("x", 5000)).Server
	assert.LessOrEqual(t, len(long), maxServerBytes+len("…"), "bytes kept of a name of 5,000")
}

// What expires is taken off the front of the pool at once: none of the others is moved.
func TestExpiringMovesNoConnection(t *testing.T) {
	for _, row := range [][2]int{{1, 3}, {1, 1000}, {1000, 1}, {5, 0}, {0, 0}} {
		expired, remaining := row[0], row[1]
		p := pool{most: expired + remaining}
		for i := range p.most {
			near, far := net.Pipe()
			defer far.Close()
			p.put(newConnection(near), clock.Instant(min(1, i/max(1, expired))))
		}
		before, first := p.idle, slices.Clone(p.idle[:expired])
		due := clock.Instant(0).Add(idleFor)
		p.expire(due)
		assert.Truef(t, len(p.idle) == remaining && (remaining <= 0 || &p.idle[0] == &before[expired]),
			"%v: %d connections are left, or were moved; want %d in their places", row, len(p.idle), remaining)
		for i, c := range first {
			if _, err := c.Conn.Write([]byte{0}); err == nil || before[i] != nil {
				t.Errorf("%v: connection %d of those that expired is open or still held", row, i)
			}
		}
		assert.Equalf(t, remaining > 0, p.get(due) != nil, "%v: a connection that may still be used was taken", row)
		assert.Nilf(t, p.get(due+1), "%v: a connection that is idle for too long was taken", row)
		p.close()
	}
}

// Of a hundred attempts that find no connection at once, no more than some open one at the
// same time; the others go on with what comes back, or open one when it is their turn.
func TestConnectionsAreOpenedAFewAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pool{most: 200, opening: make(chan struct{}, maxOpening), wanted: make(chan *connection)}
		var at, opened atomic.Int64
		dial := func() (net.Conn, error) {
			assert.LessOrEqual(t, at.Add(1), int64(maxOpening), "connections opened at once")
			time.Sleep(time.Second)
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
		assert.EqualValues(t, maxOpening, at.Load(), "connections opened at once")
		conn, _ := net.Pipe()
		back := newConnection(conn)
		p.put(back, 0)
		under.Wait()
		_, used := got.Load(back)
		assert.Truef(t, used && opened.Load() == 99, "one that came back was used: %v; %d opened; want it used, 99", used, opened.Load())
		over, end := context.WithCancel(t.Context())
		end()
		for range maxOpening {
			p.opening <- struct{}{}
		}
		_, err := p.open(over, dial)
		assert.ErrorIs(t, err, context.Canceled, "open of an attempt that has ended")
	})
}
