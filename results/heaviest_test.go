package results_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
)

func newHeaviest(places int) *results.HeaviestKeys[string, int] {
	return results.NewHeaviestKeys(places, strings.Clone, func(one *results.KeyPlace[string, int]) { one.Value = 0 })
}

// TestHeaviestKeepsItsPromises holds a small sketch of many keys against a map.
func TestHeaviestKeepsItsPromises(t *testing.T) {
	for _, places := range []int{1, 2, 7, 50, 5000} {
		s, weights := newHeaviest(places), map[string]int64{}
		total := int64(0)
		rng := rand.New(rand.NewPCG(1, uint64(places)))
		for range 20_000 {
			key, weight := strconv.Itoa(int(math.Pow(2000, rng.Float64()))), rng.Int64N(5)
			s.Add(key, weight)
			weights[key] += weight
			total += weight
		}
		kept := map[string]bool{}
		for place := range s.Places {
			kept[place.Key] = true
			if n := weights[place.Key]; n > place.Weight || n < place.Weight-place.Inherited {
				t.Errorf("%d places: %q weighs from %d to %d; want bounds around %d", places, place.Key, place.Weight-place.Inherited, place.Weight, n)
			}
		}
		for key, n := range weights {
			assert.Falsef(t, !kept[key] && (n > s.Missing() || n*int64(places) > total),
				"%d places: %q has none and weighs %d; want at most %d and a %dth of %d", places, key, n, s.Missing(), places, total)
		}
		if exact := places > len(weights); exact != (s.Dropped() == 0) || exact != (s.Missing() == 0) {
			t.Errorf("%d places for %d keys: %d dropped, %d missing; want none where there is room", places, len(weights), s.Dropped(), s.Missing())
		}
	}
}

func TestHeaviestRenewsAPlaceThatGoesToAnother(t *testing.T) {
	s := newHeaviest(1)
	s.Add("a", 3).Value = 7
	if got := s.Add("a", -5); got.Value != 7 || got.Weight != 3 {
		t.Errorf(`Add("a", -5) = %+v; want the value 7 and the weight 3`, got)
	}
	if got := s.Add("b", 1); got.Value != 0 || got.Weight != 4 || got.Inherited != 3 {
		t.Errorf(`Add("b", 1) = %+v; want no value, and the weight 4 of which 3 are inherited`, got)
	}
}
