package durable

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// commit puts a batch into the log and makes it visible, unless the store has failed;
// with Options.Sync a writer waits for the disk: see [Store.commitSafely]. One batch is
// put there at a time, which costs little, since the log is one: where that panics,
// no other goroutine is inside.
func (s *Store) commit(b *pebble.Batch) (err error) {
	s.committing.Lock()
	defer s.committing.Unlock()
	defer func() {
		if complaint := recover(); complaint != nil {
			err = complaintError(complaint)
			s.fail(err)
		}
	}()
	if err := s.Err(); err != nil {
		return err
	}
	if s.options.Sync {
		err = s.db.ApplyNoSyncWait(b, pebble.Sync)
	} else {
		err = s.db.Apply(b, pebble.NoSync)
	}
	if err != nil {
		s.fail(err)
	}
	return err
}

// flushed waits until a batch that was committed is on the disk, where that was asked
// for, and lets go of it.
func (s *Store) flushed(b *pebble.Batch) error {
	if s.options.Sync {
		if err := b.SyncWait(); err != nil {
			s.fail(err)
		}
	}
	// What failed while this one waited may have lost it: the log is written in order.
	if err := s.Err(); err != nil && !errors.Is(err, errClosed) {
		return err
	}
	return b.Close()
}

// commitSafely commits a batch and waits until it is safe, which is false where it may not be.
func (s *Store) commitSafely(b *pebble.Batch) bool { return s.commit(b) == nil && s.flushed(b) == nil }

// enter begins a request, which ends with alive being given up; it is false where the
// store has failed or was closed.
func (s *Store) enter() bool {
	s.alive.RLock()
	if s.Err() != nil {
		s.alive.RUnlock()
		return false
	}
	return true
}

// fail has the store refuse everything from now on. The first cause stays.
func (s *Store) fail(err error) {
	if s.cause.CompareAndSwap(nil, &failure{plain(err)}) {
		close(s.failed)
	}
}

// Failed is closed once the store has failed.
func (s *Store) Failed() <-chan struct{} { return s.failed }

// Err returns what the store has failed with, nil while it has not.
func (s *Store) Err() error {
	if f := s.cause.Load(); f != nil {
		return f.err
	}
	return nil
}

// logger hears what the log-structured store has to say: what it cannot go on after.
type logger struct{ *Store }

// Infof implements [pebble.Logger].
func (logger) Infof(string, ...any) {}

// Errorf implements [pebble.Logger]. What matters of it comes by other ways as well.
func (logger) Errorf(string, ...any) {}

// complaint is what the log-structured store cannot go on after.
type complaint struct{ error }

// Fatalf implements [pebble.Logger]; it does not return. Where the request is its
// caller's it panics, for the caller to recover. Otherwise it ends the goroutine, one of
// the log-structured store's own, and not the process: requests are to be answered.
func (l logger) Fatalf(format string, details ...any) {
	err := complaint{fmt.Errorf(format, details...)}
	l.fail(err.error)
	if l.opening.Load() || strings.Contains(format, "fatal commit error") {
		panic(err)
	}
	runtime.Goexit()
}

// complaintError returns what was recovered as an error, and goes on panicking where it
// is none of the disk's.
func complaintError(recovered any) error {
	switch what := recovered.(type) {
	case complaint:
		return what.error
	case runtime.Error:
		panic(what)
	case error:
		return what
	default:
		panic(what)
	}
}

// guards are the locks of the partitions that are being written to. There is one only
// while it is in use.
type guards struct {
	mu sync.Mutex
	of map[string]*guard
}

// guard is the lock of a partition. Its holder knows what the next write
// will find.
type guard struct {
	prefix string
	// users is guarded by the mutex of all guards.
	users int

	sync.Mutex
	// last is the latest write that was committed, nil once that is on the disk.
	last *pending
}

// pending is a write that is visible, and not yet known to be on the disk.
type pending struct {
	done chan struct{}
	// err is to be read when done is closed.
	err error
}

// wait returns once the write is on the disk, or an error where it may not be. Of none
// it returns at once.
func (p *pending) wait() error {
	if p == nil {
		return nil
	}
	<-p.done
	return p.err
}

// acquire returns the guard of a partition, which it creates if it is missing and create is set. Callers lock
// it themselves, and must give it back.
func (g *guards) acquire(prefix []byte, create bool) *guard {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.of[string(prefix)]
	if one == nil {
		if !create {
			return nil
		}
		one = &guard{prefix: string(prefix)}
		g.of[one.prefix] = one
	}
	one.users++
	return one
}

func (g *guards) giveBack(one *guard) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(g.of, one.prefix)
	}
}

// waitForFlush waits until all that could be read of a partition is on the disk, or of all
// partitions where the prefix is nil.
func (g *guards) waitForFlush(prefix []byte) (err error) {
	if prefix != nil {
		if one := g.acquire(prefix, false); one != nil {
			return g.wait(one)
		}
		return nil
	}
	g.mu.Lock()
	list := make([]*guard, 0, len(g.of))
	for _, one := range g.of {
		one.users++
		list = append(list, one)
	}
	g.mu.Unlock()
	for _, one := range list {
		if fault := g.wait(one); fault != nil {
			err = fault
		}
	}
	return err
}

// wait waits for the latest write of a partition and gives its guard back.
func (g *guards) wait(one *guard) error {
	defer g.giveBack(one)
	one.Lock()
	last := one.last
	one.Unlock()
	return last.wait()
}
