package durable

import "sync"

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

// acquire returns the guard of a partition, created if missing and create is set. It
// is to be given back, and is not held yet.
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
