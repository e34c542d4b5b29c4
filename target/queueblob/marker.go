package queueblob

import "sync"

// mostMarkers is how many markers are kept; then all are forgotten.
const mostMarkers = 1024

// markers are those by which a list of blobs is gone on with: a service goes on at
// a marker of its own, not at a name. Without one a list begins again, and what was
// named is passed over. It is safe for concurrent use.
type markers struct {
	mu    sync.Mutex
	known map[place]string
}

// place is where a list is gone on with.
type place struct{ store, prefix, after string }

// take returns the marker of a place, empty where none is known.
func (m *markers) take(at place) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[at]
}

// keep keeps that of a place.
func (m *markers) keep(at place, marker string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= mostMarkers {
		m.known = make(map[place]string)
	}
	m.known[at] = marker
}
