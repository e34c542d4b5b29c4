package page

import (
	"errors"
	"sync"
)

// The bounds on viewers: how many look at once, and how many updates wait for each.
const (
	mostViewers = 16
	mostWaiting = 4
)

var errCrowd = errors.New("as many pages are open as there may be")

// feed is what viewers are told.
type feed struct {
	guard   sync.Mutex
	viewers map[*viewer]struct{}
	// last is what ends every page, nil until then.
	last []byte
	// dropped is how many did not read what they were told.
	dropped int64
}

// viewer is one page that is open.
type viewer struct {
	// next has what it is told; it is closed when nothing but last follows.
	next chan []byte
	// gone says that it was let go of.
	gone bool
}

// join adds a viewer, who gets a first update from the caller.
func (f *feed) join() (*viewer, error) {
	f.guard.Lock()
	defer f.guard.Unlock()
	v := &viewer{next: make(chan []byte, mostWaiting)}
	if f.last != nil {
		close(v.next)
		return v, nil
	}
	if len(f.viewers) >= mostViewers {
		return nil, errCrowd
	}
	f.viewers[v] = struct{}{}
	return v, nil
}

// leave lets go of a viewer who has left, or did not read.
func (f *feed) leave(v *viewer, unread bool) {
	f.guard.Lock()
	defer f.guard.Unlock()
	delete(f.viewers, v)
	if unread && !v.gone {
		f.dropped++
	}
	v.gone = true
}

// publish tells every viewer, and lets go of those for whom too much waits.
func (f *feed) publish(fresh []byte) {
	f.guard.Lock()
	defer f.guard.Unlock()
	for v := range f.viewers {
		select {
		case v.next <- fresh:
		default:
			delete(f.viewers, v)
			v.gone = true
			f.dropped++
			close(v.next)
		}
	}
}

// finish tells every viewer what is last; the first call counts.
func (f *feed) finish(last []byte) {
	f.guard.Lock()
	defer f.guard.Unlock()
	if f.last != nil {
		return
	}
	f.last = last
	for v := range f.viewers {
		delete(f.viewers, v)
		close(v.next)
	}
}

// parting returns what a viewer is told last, nil for one that was let go of.
func (f *feed) parting(v *viewer) []byte {
	f.guard.Lock()
	defer f.guard.Unlock()
	if v.gone {
		return nil
	}
	return f.last
}

// Viewers returns how many pages are open, and how many were let go of because they did not
// read what they were told.
func (f *feed) Viewers() (open int, dropped int64) {
	f.guard.Lock()
	defer f.guard.Unlock()
	return len(f.viewers), f.dropped
}
