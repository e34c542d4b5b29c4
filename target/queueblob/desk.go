package queueblob

import (
	"container/heap"
	"time"

	"loadgen/engine/clock"
)

// desk is a service of an application's own: so many requests are worked on at once, and
// the others wait in the order in which they came. It belongs to one goroutine at a time.
type desk struct{ places places }

// answer returns when a request is answered that comes at an instant, no earlier than the
// one before it, and takes so long; atOnce is how many are worked on at once, 0 any number.
func (d *desk) answer(now clock.Instant, takes time.Duration, atOnce int) clock.Instant {
	if atOnce == 0 {
		return now.Add(takes)
	}
	if len(d.places) < atOnce {
		done := now.Add(takes)
		heap.Push(&d.places, done)
		return done
	}
	done := max(now, d.places[0]).Add(takes)
	d.places[0] = done
	heap.Fix(&d.places, 0)
	return done
}

// places are when each of those who work at a desk is free again, the first of them first.
type places []clock.Instant

var _ heap.Interface = (*places)(nil)

// Len implements [heap.Interface].
func (p places) Len() int { return len(p) }

// Less implements [heap.Interface].
func (p places) Less(i, j int) bool { return p[i] < p[j] }

// Swap implements [heap.Interface].
func (p places) Swap(i, j int) { p[i], p[j] = p[j], p[i] }

// Push implements [heap.Interface].
func (p *places) Push(x any) { *p = append(*p, x.(clock.Instant)) }

// Pop implements [heap.Interface].
func (p *places) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}
