package drive_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/results"
	"loadgen/scenarios/drive"
)

// A tail is of the stretch under way and the one before it, whatever was counted earlier.
func TestTailIsOfTheLastTwoStretches(t *testing.T) {
	const stretch, races = 30 * time.Second, 15
	for _, row := range []struct {
		name string
		// at are the seconds in which a key is throttled once and served once.
		at   []int
		want int64
	}{
		{"one stretch", []int{0, 10, 29}, 3},
		{"two that follow one another", []int{29, 30}, 2},
		{"the first of three is over", []int{1, 2, 31, 61}, 2},
		{"a stretch in which nothing came", []int{1, 65}, 1},
		{"the same key in each of many", []int{5, 35, 65, 95, 125}, 2},
	} {
		tail := drive.NewTail(stretch)
		var want []results.KeyTail
		for n := range races {
			want = append(want, results.KeyTail{Key: fmt.Sprintf("race %03d", n), Attempts: 2 * row.want, Throttled: row.want})
		}
		for _, second := range row.at {
			for n := range races {
				for _, class := range []results.Class{results.Ok, results.Throttled} {
					tail.Attempt(&results.Attempt{PartitionKey: fmt.Sprintf("race %03d", n), HasPartition: true, Class: class,
						Done: time.Duration(second) * time.Second})
				}
			}
		}
		tail.Attempt(&results.Attempt{Class: results.Throttled, Done: time.Duration(row.at[len(row.at)-1]) * time.Second})
		if diff := cmp.Diff(want, tail.Keys()); diff != "" {
			t.Errorf("%s: the keys differ (-want +got):\n%s", row.name, diff)
		}
	}
}
