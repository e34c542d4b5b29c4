package campaign

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWindowsOfPartitions(t *testing.T) {
	// Three partitions of 5, 7 and 11 entities, and one behind the marker.
	all := &census{keys: []string{"a", "b", "c", "~z"}, upTo: []int64{5, 12, 23, 24}}
	for _, row := range []struct {
		name, key   string
		partitions  int
		first, last string
		entities    int64
	}{
		{"the first two", "a", 2, "a", "b", 12},
		{"two from the middle", "b", 2, "b", "c", 18},
		{"one alone", "c", 1, "c", "c", 11},
		{"the marker lies between", "c", 2, "c", "~z", 13},
		{"too few follow the last", "~z", 2, "c", "~z", 13},
		{"all", "b", 4, "a", "~z", 25},
		{"more than there are", "b", 100, "a", "~z", 25},
		{"from a partition that was not loaded on", "bb", 2, "c", "~z", 13},
		{"from behind the last", "~~", 3, "b", "~z", 20},
	} {
		first, last, entities := all.window(row.key, row.partitions)
		if first != row.first || last != row.last || entities != row.entities {
			t.Errorf("%s: window(%q, %d) = %q to %q with %d; want %q to %q with %d",
				row.name, row.key, row.partitions, first, last, entities, row.first, row.last, row.entities)
		}
	}
	for key, want := range map[string]int64{"a": 5, "b": 7, "c": 11, "~z": 1, "": 0, "bb": 0, "~~": 0} {
		assert.Equalf(t, want, all.of(key), "of(%q)", key)
	}
	if got := all.mean(); got != 6 {
		t.Errorf("mean() = %d; want a quarter of 24", got)
	}
	if none := new(census); none.mean() != 0 || none.of("a") != 0 {
		t.Errorf("of nothing: mean() = %d, of(a) = %d; want 0", none.mean(), none.of("a"))
	}
}
