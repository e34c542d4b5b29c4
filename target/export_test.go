package target

// Take takes so many bytes, see take.
func (s *ReplyShare) Take(bytes int64) bool { return s.acquire(bytes) }

// Heir reports whether a share may take more than there is.
func (s *ReplyShare) Heir() bool {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	return s.budget.heir == s
}

// Spare returns how many bytes are kept for the next.
func (b *ReplyBudget) Spare() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spare.bytes
}

// MostSpare bounds them.
const MostSpare = maxSpare
