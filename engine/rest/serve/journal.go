package serve

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
)

func (s *Service) logf(format string, details ...any) {
	s.saying.Lock()
	defer s.saying.Unlock()
	fmt.Fprintf(s.options.Journal, format+"\n", details...)
}

// tellEvery is the time between two lines of what was served.
const tellEvery = 10 * time.Second

// tick is the interval of periodic work.
const tick = time.Second

// watch admits requests, and runs the periodic work: load balancing, the log, ticks, exports, and a progress line if
// anything was served.
func (s *Service) watch() {
	var ctx context.Context
	ctx, s.end = context.WithCancel(context.Background())
	close(s.ready)
	s.watching.Go(func() {
		var told engine.Counts
		var quiet lull
		tell := s.options.Clock.Now().Add(tellEvery)
		export := s.options.Clock.Now().Add(s.options.ExportEvery)
		for next := s.options.Clock.Now().Add(tick); s.options.Clock.Sleep(ctx, next) == nil; next = next.Add(tick) {
			s.balance()
			if s.log.Log != nil {
				if err := s.log.Flush(); err != nil {
					s.logf("the log is not written: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
				}
			}
			if s.options.Tick != nil {
				if err := s.options.Tick(s.options.Clock.Now()); err != nil {
					s.logf("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
				}
			}
			if s.options.ExportEvery > 0 && next >= export {
				export = export.Add(s.options.ExportEvery)
				s.saveMeanwhile()
			}
			held, peak := s.handler.BodyBytes()
			if s.server != nil {
				connections := int64(s.server.Connections().Open) * connectionBytes
				held, peak = held+connections, peak+connections
			}
			if quiet.look(held, peak) {
				s.watching.Go(func() {
					// Pools let go of what is in them at the second collection.
					runtime.GC()
					debug.FreeOSMemory()
				})
			}
			if next < tell {
				continue
			}
			tell = tell.Add(tellEvery)
			if counts := s.Counts(); counts != told && !s.options.Quiet {
				told = counts
				s.logf("%s", s.words())
			}
		}
	})
}

// balance advances load balancing, and reports its events.
func (s *Service) balance() {
	if s.options.Start != model.Cold || s.engine == nil {
		return
	}
	s.engine.Advance(s.options.Clock.Now())
	events := s.engine.DrainEvents()
	for _, e := range events {
		e.At, e.Until = rounded(e.At), rounded(e.Until)
		s.logf("table %s: %s", e.TableName, e.Event)
	}
	if s.options.Balanced != nil && len(events) > 0 {
		s.options.Balanced(events)
	}
}

// rounded returns an instant to the hundredth of a second, as people read it.
func rounded(at clock.Instant) clock.Instant {
	return clock.Instant(at.Offset().Round(10 * time.Millisecond))
}

// unwatch ends what watch began.
func (s *Service) unwatch() {
	if s.end != nil {
		s.end()
	}
	s.watching.Wait()
}

// words says what was served.
func (s *Service) words() string {
	c := s.Counts()
	var away int64
	if s.server != nil {
		away = s.server.Connections().TurnedAway
	}
	return fmt.Sprintf("requests: %s (%s ok, %s throttled, %s failed); entities counted: %s%s",
		grouped(c.Requests), grouped(c.Ok), grouped(c.Throttled), grouped(c.Failed), grouped(c.Entities), turnedAway(s.handler.Crowded(), away))
}

// grouped writes a number that is not negative with commas between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// lull detects a large drop of memory use, after which memory is returned to the system. Go itself does so late:
// without allocations it collects nothing for two minutes.
type lull struct {
	peak  int64
	looks int
}

// A lull is a peak of at least worthGiving bytes, and then looksOfLull checks, one per second, with less than half of
// it.
const (
	worthGiving = 32 << 20
	looksOfLull = 3
)

// look updates the lull with the current memory and the maximum since the last call, in bytes. It reports whether to
// return memory: once after each peak.
func (l *lull) look(now, peak int64) (give bool) {
	l.peak = max(l.peak, peak)
	if l.peak < worthGiving || now > l.peak/2 {
		l.looks = 0
		return false
	}
	if l.looks++; l.looks < looksOfLull {
		return false
	}
	l.peak, l.looks = now, 0
	return true
}

// connectionBytes is about what a connection holds that waits for a request: stack
// and buffers.
const connectionBytes = 24 << 10

// turnedAway describes requests rejected for lack of memory, which count as failed, and rejected connections, which
// no other counter has; empty for none.
func turnedAway(crowded, connections int64) (text string) {
	if crowded > 0 {
		text = fmt.Sprintf("; rejected for lack of memory: %s", grouped(crowded))
	}
	if connections > 0 {
		text += fmt.Sprintf("; connections turned away: %s", grouped(connections))
	}
	return text
}
