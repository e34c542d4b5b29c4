package azure

import (
	"sync/atomic"
	"time"
)

// Connections is what the connections of a target have done since it was built.
type Connections struct {
	// Opened is how many connections were made, Refused how many could not be.
	Opened, Refused int64
	// Reused is how many attempts were sent on a connection that had carried
	// one before.
	Reused int64
	// Lookups are look-ups of the host's name, Connects the making of
	// connections without that, Handshakes those of TLS, failures included.
	Lookups, Connects, Handshakes Timing
	// FirstBytes run from when an attempt has a connection to the first byte of
	// the reply.
	FirstBytes Timing
}

// Timing is how often something was done and how long that took.
type Timing struct {
	Count      int64
	Total, Max time.Duration
}

// counter is [Connections] while it is being counted.
type counter struct {
	opened, refused, reused                   atomic.Int64
	lookups, connects, handshakes, firstBytes stopwatch
}

func (t *counter) read() Connections {
	return Connections{
		Opened: t.opened.Load(), Refused: t.refused.Load(), Reused: t.reused.Load(),
		Lookups: t.lookups.read(), Connects: t.connects.read(),
		Handshakes: t.handshakes.read(), FirstBytes: t.firstBytes.read(),
	}
}

// stopwatch is a [Timing] while it is being counted.
type stopwatch struct{ count, total, longest atomic.Int64 }

func (s *stopwatch) add(d time.Duration) {
	s.count.Add(1)
	s.total.Add(int64(d))
	for {
		longest := s.longest.Load()
		if int64(d) <= longest || s.longest.CompareAndSwap(longest, int64(d)) {
			return
		}
	}
}

func (s *stopwatch) read() Timing {
	return Timing{Count: s.count.Load(), Total: time.Duration(s.total.Load()), Max: time.Duration(s.longest.Load())}
}
