//go:build ci || long

package replay_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/logs"
	"loadgen/scenarios/logs/replay"
	"loadgen/scenarios/run/runtest"
)

// The scenario that was made of a log has, run once more, the log's hottest share, its
// evenness (what the heaviest one, two, four, … partitions have together), its mix, the
// sizes of its writes and its peak second, each within a twentieth. Of shares and sizes this
// is a run's own chance as well, so that a load has some tens of thousands of operations.
func TestALikenessIsLikeTheLog(t *testing.T) {
	for n := range loads {
		s := wide(t, n)
		log := logOf(t, s)
		found := gathered(t, log)
		like := runtest.Parse(t, string(replay.Likeness(found)))
		like.Seed, like.Model.Profile = uint64(n+11), "off"
		again := logOf(t, like)
		got, want := featuresOf(t, gathered(t, again), again, 0), featuresOf(t, found, log, 30)
		for name, value := range want {
			off := math.Abs(got[name]/value - 1)
			assert.Truef(t, off <= .05, "load %d: %s is %.3f; in the log it was %.3f", n, name, got[name], value)
		}
		t.Logf("load %d: %d operations, %v; of the likeness %v", n, len(found.List), want, got)
	}
}

// wide is a load that is drawn at random: some tens of thousands of operations over some
// tens of partitions, or thousands, of several kinds, with sizes of their own.
func wide(t *testing.T, n int) *scenarios.Scenario {
	t.Helper()
	chance := rand.New(rand.NewPCG(9, uint64(n)))
	users := fmt.Sprintf("{zipf: {of: %d, exponent: %.2f}}", 8+chance.IntN(60), .6+chance.Float64())
	if n%3 == 1 { // more than a likeness has a name for
		users = fmt.Sprintf("{zipf: {of: %d, exponent: %.2f}}", 3000+chance.IntN(9000), 1.1+chance.Float64()/2)
	}
	p50 := 100 + chance.IntN(2000)
	arrivals := []string{
		fmt.Sprintf("constant: %d", 4000+chance.IntN(3000)),
		fmt.Sprintf("ramp: {from: %d, to: %d}", 1000+chance.IntN(2000), 6000+chance.IntN(4000)),
		fmt.Sprintf("burst: {base: %d, peak: %d, every: 3s, length: 1s}", 1000+chance.IntN(2000), 7000+chance.IntN(3000)),
	}[n%3]
	return runtest.Parse(t, fmt.Sprintf(`name: wide
seed: %d
model: {profile: off}
attributes:
  user: %s
  id: {sequence: 1}
entity: {size: {min: %d, p50: %d, p90: %d, p99: %d}}
design: {partition_key: "u{user}", row_key: "{id:06d}"}
phases:
  - {name: load, load: {entities: 20000}}
  - name: rush
    traffic:
      arrivals: {%s}
      for: 6s
      operations:
        - {verb: insert, weight: %d}
        - {verb: insert-or-merge, weight: %d, properties: all}
        - {verb: replace, weight: %d}
        - {verb: get, weight: %d}
`, n+1, users, 90, 150+p50, 150+p50*3, 150+p50*10, arrivals, 1+chance.IntN(6), 1+chance.IntN(6), 1+chance.IntN(3), 1+chance.IntN(6)))
}

func gathered(t *testing.T, log []byte) *replay.Operations {
	t.Helper()
	found, err := replay.Gather(source(log), logs.Options{}, "")
	require.NoError(t, err)
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

// featuresOf counts what a likeness has to keep; least is how many operations the lightest
// of the partitions has whose share counts.
func featuresOf(t *testing.T, o *replay.Operations, log []byte, least int) map[string]float64 {
	t.Helper()
	partitions, seconds, verbs := map[string]int{}, map[time.Duration]int{}, map[entity.Verb]int{}
	for _, one := range o.List {
		partitions[one.Key.Partition]++
		seconds[one.At/time.Second]++
		verbs[one.Verb]++
	}
	all := float64(len(o.List))
	counts := slices.Sorted(maps.Values(partitions))
	slices.Reverse(counts)
	var sizes []int64
	_, err := accesslog.Read(bytes.NewReader(log), accesslog.Options{File: "log"}, func(e *accesslog.Entry) error {
		if e.Verb != entity.Get && e.PartitionKey != "~loadgen" {
			sizes = append(sizes, e.RequestBytes)
		}
		return nil
	})
	require.NoError(t, err)
	slices.Sort(sizes)
	features := map[string]float64{"the peak second": float64(slices.Max(slices.Collect(maps.Values(seconds)))), "all": all,
		"the median size": float64(sizes[len(sizes)/2]), "the p99 of sizes": float64(sizes[len(sizes)*99/100])}
	for verb, n := range verbs {
		features[verb.String()] = float64(n) / all
	}
	sum := 0
	for i, n := range counts {
		// Which of those with a few operations had most is chance.
		if sum += n; (i+1)&i == 0 && n >= least {
			features[fmt.Sprintf("the share of the heaviest %d", i+1)] = float64(sum) / all
		}
	}
	return features
}
