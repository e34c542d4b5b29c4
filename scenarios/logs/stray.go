package logs

import (
	"slices"

	"loadgen/engine/entity"
)

const (
	// A line is stray whose time lies farStray or more from those of all others.
	farStray = 24 * 3600 * 10_000_000
	// maxStrays is how many stray lines wait until another is not: a log with more is one of few
	// requests a day, none of which is stray. namedStrays are named.
	maxStrays   = 100
	namedStrays = 3
)

// strays leaves out the lines whose time lies more than a day from those of all others, as of a clock
// or a year that is wrong. It takes lines in the order of time, and holds each back until the next.
type strays struct {
	pass func(*line) error
	left func(at entity.Ticks)
	// held is the line before, of which apart says that it lies far from the one before it; none before the first.
	held        line
	latest      entity.Ticks
	holds       bool
	apart       bool
	waiting     []line
	keepsAll    bool
	keptAnother bool
}

// take takes the next line.
func (s *strays) take(next *line) error {
	apart := !s.holds
	if s.holds {
		apart = next.at-s.latest >= farStray
		if err := s.settle(apart); err != nil {
			return err
		}
	}
	s.held, s.holds, s.apart, s.latest = *next, true, apart, max(s.latest, next.at)
	return nil
}

// settle passes the line that is held on, or leaves it out: next says that the one after it is far.
func (s *strays) settle(next bool) error {
	switch {
	case !s.apart || !next || s.keepsAll:
		return s.keep()
	case s.keptAnother:
		s.left(s.held.at)
		return nil
	}
	s.waiting = append(s.waiting, s.held)
	if len(s.waiting) < maxStrays {
		return nil
	}
	s.keepsAll = true
	return s.flush()
}

// keep passes the line on that is held, and leaves out those that wait: it is not alone.
func (s *strays) keep() error {
	for i := range s.waiting {
		s.left(s.waiting[i].at)
	}
	s.waiting, s.keptAnother = nil, true
	return s.pass(&s.held)
}

// flush passes all on that wait.
func (s *strays) flush() error {
	waiting := slices.Clone(s.waiting)
	s.waiting = nil
	for i := range waiting {
		if err := s.pass(&waiting[i]); err != nil {
			return err
		}
	}
	return nil
}

// end takes the end of the log: where all lines are far from each other, none is stray.
func (s *strays) end() error {
	if !s.holds {
		return nil
	}
	if err := s.settle(true); err != nil {
		return err
	}
	return s.flush()
}
