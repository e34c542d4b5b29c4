package durable

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

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
