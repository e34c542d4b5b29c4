package store

import "runtime"

// Partitions returns how many partitions a table's directory holds.
func (s *Store) Partitions(name string) int { return s.find(name).snapshot().Len() }

// Dead returns whether the partition that was there when Dead was called has
// since been taken out of its table.
func (s *Store) Dead(name, pk string) func() bool {
	p := s.find(name).lookup(pk)
	return func() bool {
		p.mu.RLock()
		defer p.mu.RUnlock()
		return p.dead
	}
}

// Indexed returns how many rows a partition has, and its index: 0 for none.
func (s *Store) Indexed(name, pk string) (rows, indexed int) {
	p := s.find(name).lookup(pk)
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.rows.Len(), len(p.index)
}

// EmptyBeneath calls write, which is to write to a partition, and empties and
// removes that partition after write has looked it up and before write can lock
// it.
func (s *Store) EmptyBeneath(name, pk string, write func()) {
	t := s.find(name)
	p := t.lookup(pk)
	p.mu.Lock()
	p.rows.Clear()
	clear(p.index)
	p.dead = true
	p.mu.Unlock()

	p.mu.RLock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		write()
	}()
	// No further reader gets in once a writer waits.
	for p.mu.TryRLock() {
		p.mu.RUnlock()
		runtime.Gosched()
	}
	t.mu.Lock()
	t.partitions.Delete(pk)
	delete(t.index, pk)
	t.mu.Unlock()
	p.mu.RUnlock()
	<-done
}
