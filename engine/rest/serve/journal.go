package serve

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"loadgen/engine"
)

func (s *Service) say(format string, details ...any) {
	s.saying.Lock()
	defer s.saying.Unlock()
	fmt.Fprintf(s.options.Journal, format+"\n", details...)
}

// tellEvery is the time between two lines of what was served.
const tellEvery = 10 * time.Second

// watch lets requests in, and tells each second what time it is, and from time to
// time what was served, if that is any more.
func (s *Service) watch() {
	var ctx context.Context
	ctx, s.end = context.WithCancel(context.Background())
	close(s.ready)
	s.watching.Go(func() {
		var told engine.Counts
		var quiet lull
		tell := s.options.Clock.Now().Add(tellEvery)
		for next := s.options.Clock.Now().Add(time.Second); s.options.Clock.Sleep(ctx, next) == nil; next = next.Add(time.Second) {
			s.tick()
			if quiet.look(s.held()) {
				s.watching.Go(giveBack)
			}
			if next < tell {
				continue
			}
			tell = tell.Add(tellEvery)
			if counts := s.Counts(); counts != told && !s.options.Quiet {
				told = counts
				s.say("%s", s.words())
			}
		}
	})
}

// tick tells whoever wants to know what time it is.
func (s *Service) tick() {
	if s.options.Tick == nil {
		return
	}
	if err := s.options.Tick(s.options.Clock.Now()); err != nil {
		s.say("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
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
