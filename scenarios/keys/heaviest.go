package keys

// HeaviestKeys keeps the heaviest of any number of things in bounded memory by the
// space-saving algorithm (Metwally, Agrawal, El Abbadi: Efficient Computation of
// Frequent and Top-k Elements in Data Streams, 2005): if all places are taken,
// a new key replaces the lightest and inherits its weight. So
// every key that weighs more than the total divided by the number of places is kept,
// and a key that was never dropped has its exact weight.
type HeaviestKeys[K comparable, V any] struct {
	most int
	// own copies a key that is to be kept; renew empties a value whose place goes
	// to another key.
	own   func(K) K
	renew func(*V)

	slots map[K]*SketchPlace[K, V]
	// heap has the lightest first: neither child is lighter than its parent.
	heap    []*SketchPlace[K, V]
	dropped int64
}

// SketchPlace is what is kept of one key.
type SketchPlace[K comparable, V any] struct {
	Key K
	// Weight includes Inherited, which is what the key may have weighed before.
	Weight, Inherited int64
	// Value is the caller's, and empty again when the place goes to another key.
	Value V
	at    int
}

// NewHeaviestKeys returns a sketch with a number of places, at least one. Own copies a key
// to keep it, and renew empties a value.
func NewHeaviestKeys[K comparable, V any](places int, own func(K) K, renew func(*V)) *HeaviestKeys[K, V] {
	return &HeaviestKeys[K, V]{most: places, own: own, renew: renew, slots: make(map[K]*SketchPlace[K, V])}
}

// Add adds to the weight of a key and returns its place, which is the key's until another
// key replaces it. A negative weight counts as 0.
func (s *HeaviestKeys[K, V]) Add(key K, weight int64) *SketchPlace[K, V] {
	place, known := s.slots[key]
	switch {
	case known:
	case len(s.heap) < s.most:
		place = &SketchPlace[K, V]{Key: s.own(key), at: len(s.heap)}
		s.renew(&place.Value)
		s.heap = append(s.heap, place)
		s.slots[place.Key] = place
		for i := place.at; i > 0 && s.heap[i].Weight < s.heap[(i-1)/2].Weight; i = (i - 1) / 2 {
			s.swap(i, (i-1)/2)
		}
	default:
		place = s.heap[0]
		delete(s.slots, place.Key)
		s.dropped++
		place.Key, place.Inherited = s.own(key), place.Weight
		s.renew(&place.Value)
		s.slots[place.Key] = place
	}
	s.addWeight(place, weight)
	return place
}

// addWeight adds to the weight of the key of a place.
func (s *HeaviestKeys[K, V]) addWeight(place *SketchPlace[K, V], weight int64) {
	place.Weight += max(0, weight)
	for i := place.at; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.heap); child++ {
			if s.heap[child].Weight < s.heap[least].Weight {
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

// Places returns all places, in no order. They are the sketch's own.
func (s *HeaviestKeys[K, V]) Places() []*SketchPlace[K, V] { return s.heap }

// Dropped returns how often a key lost its place.
func (s *HeaviestKeys[K, V]) Dropped() int64 { return s.dropped }

// Missing returns the greatest weight that a key without a place can have.
func (s *HeaviestKeys[K, V]) Missing() int64 {
	if len(s.heap) < s.most {
		return 0
	}
	return s.heap[0].Weight
}

func (s *HeaviestKeys[K, V]) swap(i, j int) {
	s.heap[i], s.heap[j] = s.heap[j], s.heap[i]
	s.heap[i].at, s.heap[j].at = i, j
}
