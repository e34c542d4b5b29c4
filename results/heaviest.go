package results

// HeaviestKeys keeps the heaviest of any number of keys in bounded memory by the space-saving algorithm, with weights
// (Metwally, Agrawal, El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data Streams, 2005): if all
// places are taken, a new key replaces the lightest and inherits its weight. So every key that weighs more than the
// total divided by the number of places is kept, and a key that was never dropped has its exact weight.
//
// Why a kept key has at most Inherited less than it weighs in all: let minimum be the least weight if all places are
// taken, 0 before. First, minimum never falls: weights only grow, and a replacing key starts with the minimum. Second, the
// weight so far of a key without a place is at most minimum, by induction: it is 0 at first, and what the key had when it
// was replaced was the minimum. Third, a key that gets a place had at most the minimum of that moment, which it inherits.
type HeaviestKeys[K comparable, V any] struct {
	maxPlaces int
	// own copies a key that is to be kept; renew empties the value of a place that another key gets, and prepares that
	// of a new one, whose key is the zero value.
	own   func(K) K
	renew func(*KeyPlace[K, V])

	places map[K]*KeyPlace[K, V]
	// order is a heap by lower bounds of weights. A bound is corrected when it gets to the top, so that a weight can
	// be added to a kept key without the heap.
	order   []boundedPlace[K, V]
	dropped int64
}

// KeyPlace is what is kept of one key.
type KeyPlace[K comparable, V any] struct {
	Key K
	// Weight includes Inherited, which is what the key may have weighed before. A caller may add to it.
	Weight, Inherited int64
	// Value is the caller's, and renewed if the place goes to another key.
	Value V
}

type boundedPlace[K comparable, V any] struct {
	bound int64
	place *KeyPlace[K, V]
}

// NewHeaviestKeys returns empty places, at least one.
func NewHeaviestKeys[K comparable, V any](maxPlaces int, own func(K) K, renew func(*KeyPlace[K, V])) *HeaviestKeys[K, V] {
	return &HeaviestKeys[K, V]{maxPlaces: maxPlaces, own: own, renew: renew, places: make(map[K]*KeyPlace[K, V])}
}

// Add adds to the weight of a key and returns its place, which is the key's until another key replaces it. A negative
// weight counts as 0.
func (s *HeaviestKeys[K, V]) Add(key K, weight int64) *KeyPlace[K, V] {
	place := s.places[key]
	if place == nil {
		if s.IsFull() {
			place = s.lightest()
			delete(s.places, place.Key)
			s.dropped++
		} else {
			place = new(KeyPlace[K, V])
			s.order = append(s.order, boundedPlace[K, V]{0, place})
		}
		s.renew(place)
		place.Key, place.Inherited = s.own(key), place.Weight
		s.places[place.Key] = place
	}
	place.Weight += max(0, weight)
	return place
}

// lightest returns the place with the least weight: the top of the heap, whose bound is corrected.
func (s *HeaviestKeys[K, V]) lightest() *KeyPlace[K, V] {
	for {
		one, i := s.order[0], 0
		if one.bound == one.place.Weight {
			return one.place
		}
		one.bound = one.place.Weight
		for child := 1; child < len(s.order); child = 2*i + 1 {
			if right := child + 1; right < len(s.order) && s.order[right].bound < s.order[child].bound {
				child = right
			}
			if s.order[child].bound >= one.bound {
				break
			}
			s.order[i] = s.order[child]
			i = child
		}
		s.order[i] = one
	}
}

// IsFull reports whether all places are taken.
func (s *HeaviestKeys[K, V]) IsFull() bool { return len(s.order) == s.maxPlaces }

// Len returns the number of places that are taken.
func (s *HeaviestKeys[K, V]) Len() int { return len(s.order) }

// Places yields all places, in no order.
func (s *HeaviestKeys[K, V]) Places(yield func(*KeyPlace[K, V]) bool) {
	for i := range s.order {
		if !yield(s.order[i].place) {
			return
		}
	}
}

// Dropped returns how often a key lost its place.
func (s *HeaviestKeys[K, V]) Dropped() int64 { return s.dropped }

// Missing returns the greatest weight that a key without a place can have.
func (s *HeaviestKeys[K, V]) Missing() int64 {
	if !s.IsFull() {
		return 0
	}
	return s.lightest().Weight
}
