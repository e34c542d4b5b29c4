package drive

import "loadgen/engine/invariants"

// pool keeps what was used once for its next use. Whoever takes a thing resets it. It is
// not safe for concurrent use.
type pool[T any] []*T

func (p *pool[T]) take() *T {
	last := len(*p) - 1
	if last < 0 {
		return new(T)
	}
	one := (*p)[last]
	*p = (*p)[:last]
	return one
}

func (p *pool[T]) release(one *T) {
	invariants.Poison(one)
	*p = append(*p, one)
}
