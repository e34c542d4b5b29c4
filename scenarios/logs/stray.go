package logs

import (
	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
)

const (
	// A stray line is a day or more from all others, in ticks.
	strayDistance = 24 * 3600 * 10_000_000
	// maxWaiting is the number of stray lines that wait for a line that is not: a log that begins with more
	// has few requests a day, none of them stray.
	maxWaiting = 100
	// maxNamed is the number of stray lines that are named.
	maxNamed = 3
)

// strayFilter drops lines whose time is a day or more from those of all others, as with a wrong clock or year.
// Lines must come in the order of time. It keeps all if every line is that far from the next.
type strayFilter struct {
	pass func(*accesslog.Observed) error
	drop func(at entity.Ticks)
	// last is the line before, which is passed or dropped with the next one; latest is the greatest time so far.
	last    accesslog.Observed
	hasLast bool
	latest  entity.Ticks
	// isFar says that last is far from the line before it.
	isFar bool
	// waiting are lines that are stray if another line is not.
	waiting []accesslog.Observed
	// passed says that a line was passed, disabled that all lines are.
	passed, disabled bool
}

// add adds the next line.
func (f *strayFilter) add(next *accesslog.Observed) error {
	isFar := !f.hasLast || next.At-f.latest >= strayDistance
	if f.hasLast {
		if err := f.passOrDrop(isFar); err != nil {
			return err
		}
	}
	f.last, f.hasLast, f.isFar, f.latest = *next, true, isFar, max(f.latest, next.At)
	return nil
}

// passOrDrop decides about the last line. nextIsFar says that the next one is far from it.
func (f *strayFilter) passOrDrop(nextIsFar bool) error {
	switch {
	case !f.isFar || !nextIsFar || f.disabled:
		for i := range f.waiting {
			f.drop(f.waiting[i].At)
		}
		f.waiting, f.passed = nil, true
		return f.pass(&f.last)
	case f.passed:
		f.drop(f.last.At)
		return nil
	}
	if f.waiting = append(f.waiting, f.last); len(f.waiting) < maxWaiting {
		return nil
	}
	f.disabled = true
	return f.flush()
}

// flush passes all lines that wait.
func (f *strayFilter) flush() error {
	waiting := f.waiting
	f.waiting = nil
	for i := range waiting {
		if err := f.pass(&waiting[i]); err != nil {
			return err
		}
	}
	return nil
}

// close handles the last line of the log.
func (f *strayFilter) close() error {
	if !f.hasLast {
		return nil
	}
	if err := f.passOrDrop(true); err != nil {
		return err
	}
	return f.flush()
}
