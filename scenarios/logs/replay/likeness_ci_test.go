//go:build ci || long

package replay_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/logs"
	"loadgen/scenarios/logs/replay"
)

// The scenario that was made of a log has, run once more, the log's hottest share, its
// evenness (what the heaviest one, two, four, … partitions have together), its mix and its
// peak second, each within a twentieth. Of shares this is a run's own chance as well, so
// that a load has some thousands of operations.
func TestALikenessIsLikeTheLog(t *testing.T) {
	for n := range loads {
		s := wide(t, n)
		log := logOf(t, s)
		found := gathered(t, log)
		like, err := scenarios.Parse("like.yaml", replay.Likeness(found))
		if err != nil {
			t.Fatal(err)
		}
		like.Seed, like.Model.Profile = uint64(n+11), "off"
		got, want := featuresOf(gathered(t, logOf(t, like))), featuresOf(found)
		for name, value := range want {
			if off := math.Abs(got[name]/value - 1); off > .05 {
				t.Errorf("load %d: %s is %.3f; in the log it was %.3f", n, name, got[name], value)
			}
		}
		t.Logf("load %d: %d operations, %v; of the likeness %v", n, len(found.List), want, got)
	}
}

// wide is a load of some thousands of operations over some tens of partitions.
func wide(t *testing.T, n int) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("wide.yaml", fmt.Appendf(nil, `name: wide
seed: %d
model: {profile: off}
attributes:
  user: {zipf: {of: %d, exponent: %d.%d}}
  id: {sequence: 1}
design: {partition_key: "u{user}", row_key: "{id:06d}"}
phases:
  - name: rush
    traffic: {arrivals: {%s}, for: 5s, operations: [{verb: insert, weight: 6}, {verb: insert-or-merge, weight: 4, properties: [{name: V, type: Int32, value: "1"}]}]}
`, n+1, 20+7*(n%9), n%2, 5+n%4, []string{"constant: 3000", "ramp: {from: 1000, to: 6000}", "burst: {base: 1500, peak: 6000, every: 3s, length: 1s}"}[n%3]))
	if err == nil {
		err = s.ReadFiles(func(string) (io.ReadCloser, error) { return nil, io.EOF })
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func gathered(t *testing.T, log []byte) *replay.Operations {
	t.Helper()
	source := logs.Source{Name: "the log", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(log)), nil }}
	found, err := replay.Gather([]logs.Source{source}, logs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The table's mark is none of the load.
	for len(found.List) > 0 && found.List[0].Key.Partition == "~loadgen" {
		found.List = found.List[1:]
	}
	first := found.List[0].At
	for i := range found.List {
		found.List[i].At -= first
	}
	return found
}

// featuresOf counts what a likeness has to keep.
func featuresOf(o *replay.Operations) map[string]float64 {
	partitions, seconds, verbs := map[string]int{}, map[time.Duration]int{}, map[entity.Verb]int{}
	for _, one := range o.List {
		partitions[one.Key.Partition]++
		seconds[one.At/time.Second]++
		verbs[one.Verb]++
	}
	all := float64(len(o.List))
	counts := slices.Sorted(maps.Values(partitions))
	slices.Reverse(counts)
	features := map[string]float64{"the peak second": float64(slices.Max(slices.Collect(maps.Values(seconds)))), "all": all, "inserts": float64(verbs[entity.Insert]) / all}
	sum := 0
	for i, n := range counts {
		if sum += n; (i+1)&i == 0 {
			features[fmt.Sprintf("the share of the heaviest %d", i+1)] = float64(sum) / all
		}
	}
	return features
}
