package page

import (
	"errors"
	"sync"
)

// The limits of viewers, and of updates that wait for each.
const (
	maxViewers = 16
	maxWaiting = 4
)

var errCrowd = errors.New("too many open pages")

// feed sends updates to viewers.
type feed struct {
	guard   sync.Mutex
	viewers map[*viewer]struct{}
	// last is the last update of every page, nil until then.
	last []byte
	// dropped is the number of viewers that did not read their updates.
	dropped int64
}

// viewer is an open page.
type viewer struct {
	// next has its updates; it is closed when only last follows.
	next chan []byte
	// gone means disconnected.
	gone bool
}

// join adds a viewer. Its first update comes from the caller.
func (f *feed) join() (*viewer, error) {
	f.guard.Lock()
	defer f.guard.Unlock()
	v := &viewer{next: make(chan []byte, maxWaiting)}
	if f.last != nil {
		close(v.next)
		return v, nil
	}
	if len(f.viewers) >= maxViewers {
		return nil, errCrowd
	}
	f.viewers[v] = struct{}{}
	return v, nil
}

// leave removes a viewer that has left, or did not read.
func (f *feed) leave(v *viewer, unread bool) {
	f.guard.Lock()
	defer f.guard.Unlock()
	delete(f.viewers, v)
	if unread && !v.gone {
		f.dropped++
	}
	v.gone = true
}

// publish sends an update to every viewer, and disconnects those with too many waiting.
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

// finish sends the last update to every viewer; only the first call counts.
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

// lastFor returns the last update for a viewer, nil for one that was disconnected.
func (f *feed) lastFor(v *viewer) []byte {
	f.guard.Lock()
	defer f.guard.Unlock()
	if v.gone {
		return nil
	}
	return f.last
}

// counts returns the number of open pages, and of viewers that were disconnected because they did not read their
// updates.
func (f *feed) counts() (open int, dropped int64) {
	f.guard.Lock()
	defer f.guard.Unlock()
	return len(f.viewers), f.dropped
}
