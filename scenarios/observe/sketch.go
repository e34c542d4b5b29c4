package observe

// sketch keeps the heaviest of any number of things in bounded memory by the
// space-saving algorithm (Metwally, Agrawal, El Abbadi: Efficient Computation of
// Frequent and Top-k Elements in Data Streams, 2005): where there is no room for
// another, it takes the place of the lightest and inherits its weight. So
// whatever weighs more than the total divided by the number of places is there,
// and what was never dropped has its exact weight.
type sketch[K comparable, V any] struct {
	most int
	// own copies a key that is to be kept; renew empties a value whose place goes
	// to another key.
	own   func(K) K
	renew func(*V)

	slots map[K]*slot[K, V]
	// heap has the lightest first: neither child is lighter than its parent.
	heap    []*slot[K, V]
	dropped int64
}

// slot is a place of a sketch.
type slot[K comparable, V any] struct {
	key K
	// weight includes inherited, which is what the key may have weighed before.
	weight, inherited int64
	at                int
	value             V
}

func newSketch[K comparable, V any](most int, own func(K) K, renew func(*V)) *sketch[K, V] {
	return &sketch[K, V]{most: most, own: own, renew: renew, slots: make(map[K]*slot[K, V])}
}

// of adds to the weight of a key and returns its place, which is good until the
// next call.
func (s *sketch[K, V]) of(key K, weight int64) *slot[K, V] {
	place, known := s.slots[key]
	switch {
	case known:
	case len(s.heap) < s.most:
		place = &slot[K, V]{key: s.own(key), at: len(s.heap)}
		s.renew(&place.value)
		s.heap = append(s.heap, place)
		s.slots[place.key] = place
		s.rise(place.at)
	default:
		place = s.heap[0]
		delete(s.slots, place.key)
		s.dropped++
		place.key, place.inherited = s.own(key), place.weight
		s.renew(&place.value)
		s.slots[place.key] = place
	}
	place.weight += max(0, weight)
	s.sink(place.at)
	return place
}

func (s *sketch[K, V]) rise(i int) {
	for i > 0 && s.heap[i].weight < s.heap[(i-1)/2].weight {
		s.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (s *sketch[K, V]) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.heap); child++ {
			if s.heap[child].weight < s.heap[least].weight {
				least = child
			}
		}
		if least == i {
			return
		}
		s.swap(i, least)
		i = least
	}
}

func (s *sketch[K, V]) swap(i, j int) {
	s.heap[i], s.heap[j] = s.heap[j], s.heap[i]
	s.heap[i].at, s.heap[j].at = i, j
}
