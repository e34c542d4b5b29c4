package partition_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
	"loadgen/results/resultstest"
)

// The experiments that take an hour have rates and limits, but not times,
// divided by 20.

// series is how much was admitted in each bin of five seconds.
type series []int

const bin = 5 * second

// perSecond returns the rate admitted in [from, to), which lie between bins.
func (s series) perSecond(from, to int) float64 {
	sum := 0
	for _, count := range s[from/5 : to/5] {
		sum += count
	}
	return float64(sum) / float64(to-from)
}

// crossing returns the second at which the first two bins begin that reach a
// rate: in one alone it may be what was held while a range was offline.
func (s series) crossing(rate float64) int {
	for i := range s[1:] {
		if float64(min(s[i], s[i+1]))/5 >= rate {
			return 5 * i
		}
	}
	return math.MaxInt
}

// record offers what the sources do in [0, to) and returns what is admitted, by
// the instant at which the service gets to it.
func record(l *load, to clock.Instant, sources ...source) series {
	admitted := make(series, to/bin)
	l.run(0, to, sources, func(at clock.Instant, _ int, _ partition.Place, v partition.Verdict) {
		if begun := at.Add(v.Wait); v.Kind == partition.Admitted && begun < to {
			admitted[begun/bin]++
		}
	})
	return admitted
}

// V4 and V5: each request has a PartitionKey of its own, beyond all before it. A
// client sends 5/s, a twentieth of 100/s, one request after another: 64 of them
// offer more than three times what a range takes, 24 a fifth more. Never in any minute is it more
// than the range's 100/s, and the last ten minutes of the hour (of 25 minutes without -tags ci) yield
// what the first five did.
func TestV04AppendOnlyNeverGains(t *testing.T) {
	t.Parallel()
	oneEnd(t, resultstest.Cases(24, 64), func(n int) string { return fmt.Sprintf("%09d", n) })
}

// TestV05PrependOnlyNeverGains is V4 with keys that descend.
func TestV05PrependOnlyNeverGains(t *testing.T) {
	t.Parallel()
	oneEnd(t, resultstest.Cases(24, 64), func(n int) string { return fmt.Sprintf("%09d", 999_999_999-n) })
}

func oneEnd(t *testing.T, most int, key func(int) string) {
	for _, clients := range []int{1, most, 8}[:resultstest.Cases(2, 3)] {
		t.Run(fmt.Sprint(clients), func(t *testing.T) {
			if clients > 1 {
				long(t)
			}
			layer := cold(t, twentieth...)
			minutes := resultstest.Cases(25, 60)
			admitted := record(newLoad(layer, 1), clock.Instant(minutes)*60*second, source{rate: 5 * clients, demand: one, key: key})
			for minute := range minutes {
				assert.LessOrEqualf(t, admitted.perSecond(60*minute, 60*minute+60), 1.02*100, "%d clients, minute %d", clients, minute)
			}
			want := math.Min(100, 5*float64(clients))
			near(t, fmt.Sprintf("first five minutes, %d clients", clients), admitted.perSecond(0, 300), want, .02)
			near(t, fmt.Sprintf("last ten minutes, %d clients", clients), admitted.perSecond(60*minutes-600, 60*minutes), want, .02)
		})
	}
}

// randomKeys returns keys in a random order of the index.
func randomKeys(n int) []string {
	draw := clock.NewStream(6, "keys").Draw(0)
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("%016x", draw.Uint64())
	}
	return keys
}

// V6: a cold table with 20 keys at 1,000/s each on ten servers. The expectation
// is a fluid simulation of the model: what each range takes is doubled by its
// split, two splits a tick. A step is at the first two bins of 5 s above the middle
// of its two levels, and may be off by a tick.
func TestV06ColdTableSplitsUntilAllIsServed(t *testing.T) {
	long(t)
	layer := cold(t, append(twentieth, "servers=10")...)
	admitted := record(newLoad(layer, 1), 1800*second, even(50, randomKeys(20)...)...)
	for _, step := range []struct {
		at     int
		middle float64
	}{{305, 150}, {605, 300}, {905, 500}, {920, 700}, {1220, 950}} {
		assert.InDeltaf(t, step.at, admitted.crossing(step.middle), 15, "second of the step to above %.0f/s, within a tick", step.middle)
	}
	for _, level := range []struct {
		from, to int
		rate     float64
	}{{0, 300, 100}, {310, 600, 200}, {610, 900, 400}, {925, 1200, 800}, {1225, 1800, 1000}} {
		near(t, fmt.Sprintf("%d s to %d s", level.from, level.to), admitted.perSecond(level.from, level.to), level.rate, .05)
	}
	near(t, "905 s to 915 s", admitted.perSecond(905, 915), 600, .05)
	assert.InDelta(t, 800, admitted.perSecond(1200, 1215), 100, "1200 s to 1215 s, ranges being offline")
	assert.Len(t, layer.Map().Ranges, 12, "ranges at the end")
}

// V6, skewed: the rates of the keys rise evenly from 26/s to 74/s. The same
// levels hold within 15%, and in the end all is served.
func TestV06SkewedKeysReachTheSameLevels(t *testing.T) {
	if resultstest.Cases(0, 1) == 0 {
		t.Skip("with -tags ci: the levels of V6, by other rates")
	}
	long(t)
	layer := cold(t, append(twentieth, "servers=12")...)
	sources := even(50, randomKeys(20)...)
	sum := 0
	for i := range sources {
		sources[i].rate = 26 + 48*i/19
		sum += sources[i].rate
	}
	admitted := record(newLoad(layer, 1), 1800*second, sources...)
	for _, level := range []struct {
		from, to int
		rate     float64
	}{{0, 300, 100}, {310, 600, 200}, {610, 900, 400}, {930, 1200, 800}, {1530, 1800, float64(sum)}} {
		near(t, fmt.Sprintf("%d s to %d s", level.from, level.to), admitted.perSecond(level.from, level.to), level.rate, .15)
	}
}

// V7: the load of V6 for half a minute less than detection takes.
func TestV07ShortLoadChangesNothing(t *testing.T) {
	t.Parallel()
	layer := cold(t, append(twentieth, "servers=10")...)
	newLoad(layer, 1).run(0, 270*second, even(50, randomKeys(20)...), nil)
	layer.Advance(1200 * second)
	events, ranges := layer.Events(), layer.Map().Ranges
	assert.Truef(t, len(events) == 0 && len(ranges) == 1, "Events() = %v, %d ranges; want none, 1", events, len(ranges))
}

// V8: four keys in two ranges of two, all on one server.
func TestV08TwoFullRangesOnOneServer(t *testing.T) {
	t.Parallel()
	layer := cold(t, append(twentieth, "servers=4")...)
	layer.Prewarm(0, 0, 0, "c")
	layer.Assign(0, partition.Place{PartitionKey: "c"}, 0)
	l, sources := newLoad(layer, 1), even(75, "a", "b", "c", "d")
	before := l.count(second, 300*second, sources...)
	near(t, "ok per second before", float64(before[partition.Admitted])/299, 200, .03)
	assert.InDelta(t, 1./3, before.refused(), .03, "share refused before")
	l.count(300*second, 330*second, sources...)
	after := l.count(330*second, 390*second, sources...)
	near(t, "ok per second after", float64(after[partition.Admitted])/60, 300, .03)
	assert.InDelta(t, 0, after.refused(), .03, "share refused after")
}

// V9: a hot key at 6,000/s in a range of its own, and five quiet ones, 100/s
// each, in theirs on the same server. The quiet ones are moved, once, and are
// refused next to nothing but for the seconds of that.
func TestV09HotKeyStaysTheOthersMove(t *testing.T) {
	t.Parallel()
	layer := cold(t, append(twentieth, "servers=8")...)
	keys := []string{"a", "b", "c", "d", "e", "hot"}
	layer.Prewarm(0, 0, 0, keys[1:]...)
	for _, key := range keys {
		layer.Assign(0, partition.Place{PartitionKey: key}, 0)
	}
	sources := even(5, keys...)
	sources[5].rate = 300
	l := newLoad(layer, 1)
	var before, after [2]verdicts
	count := func(into *[2]verdicts, from, to clock.Instant) {
		l.run(from, to, sources, func(_ clock.Instant, i int, _ partition.Place, v partition.Verdict) { into[i/5][v.Kind]++ })
	}
	count(&before, second, 300*second)
	l.count(300*second, 310*second, sources...)
	count(&after, 310*second, 1510*second)
	near(t, "hot key before, per second", float64(before[1][partition.Admitted])/299, 100, .02)
	near(t, "hot key after, per second", float64(after[1][partition.Admitted])/1200, 100, .02)
	assert.InDelta(t, 0, before[0].refused(), .01, "share refused of the quiet keys before")
	assert.InDelta(t, 0, after[0].refused(), .01, "share refused of the quiet keys after")
	moved := 0
	for _, e := range layer.Events() {
		assert.NotEqual(t, partition.EventSplit, e.Kind)
		if e.Kind == partition.EventMove {
			moved++
		}
	}
	assert.Equal(t, 5, moved, "moves")
}

// V14: the load of V6, at a hundredth of the documented rates, comes to an end.
// Half an hour later a pair is merged at each tick until the low watermark, one
// range, is reached.
func TestV14QuietTableMergesBack(t *testing.T) {
	t.Parallel()
	layer := cold(t, "partition_target=20", "account_target=200", "range_target=20", "server_target=40", "merge_below=1", "servers=10")
	const end = 1300 * second
	newLoad(layer, 1).run(0, end, even(10, randomKeys(20)...), nil)
	ranges := len(layer.Map().Ranges)
	layer.Events()
	layer.Advance(end + 3600*second)
	var merges []clock.Instant
	for _, e := range layer.Events() {
		if e.Kind == partition.EventMerge {
			merges = append(merges, e.At)
		}
	}
	require.Truef(t, len(merges) == ranges-1 && len(layer.Map().Ranges) == 1,
		"%d merges of %d ranges left %d; want one range", len(merges), ranges, len(layer.Map().Ranges))
	assert.InDelta(t, (end + 1800*second).Offset(), merges[0].Offset(), float64(15*second), "the first merge, within a tick")
}

// V22: the same seed gives the same events to the byte, at any time of asking;
// another seed gives others.
func TestV22SameSeedSameEvents(t *testing.T) {
	long(t)
	events := func(seed uint64, poll bool) string {
		m := modelOf(t, model.Documented, append(twentieth, "servers=10", "offline_most=9s")...)
		layer := partition.New(partition.Options{Model: m, Cold: true, Seed: seed})
		text := ""
		newLoad(layer, seed).run(0, clock.Instant(resultstest.Cases(650, 1000))*second, even(50, randomKeys(12)...),
			func(at clock.Instant, _ int, _ partition.Place, _ partition.Verdict) {
				if poll && layer.NextEvent() <= at+second {
					for _, e := range layer.Events() {
						text += fmt.Sprintf("%+v\n", e)
					}
				}
			})
		for _, e := range layer.Events() {
			text += fmt.Sprintf("%+v\n", e)
		}
		return text
	}
	first := events(1, false)
	require.NotEmpty(t, first, "no events; the test shows nothing")
	assert.Equal(t, first, events(1, true), "events of the same seed")
	assert.NotEqual(t, first, events(2, false), "another seed has hand-over times of its own")
}

// tails is a case drawn at random: places that take inserts and move on, upwards or
// downwards, each at a rate of its own.
type tails struct {
	settings []string
	rates    []int
	keys     []func(n int) string
	// target is what a range takes, servers what all servers do.
	target, account, servers int
	warm                     bool
	length                   clock.Instant
}

// drawTails draws up to eight tails whose rates differ fourfold at most. Of documented
// limits the rates are divided by 20 and the times are as they are; of scaled ones the
// times are shorter too.
func drawTails(seed uint64, documented bool) *tails {
	rng := rand.New(rand.NewPCG(seed, 4))
	c := &tails{target: 100, account: 1000, warm: rng.IntN(4) == 0, length: 3600 * second}
	each := 100 * (1 + rng.IntN(2))
	number := 1 + rng.IntN(12)
	c.servers = number * each
	c.settings = []string{"partition_target=100", "account_target=1000", "range_target=100", "merge_below=5",
		fmt.Sprintf("servers=%d", number), fmt.Sprintf("server_target=%d", each)}
	k := 1 + rng.IntN(8)
	if !documented {
		c.length = 240 * second
		c.settings = append(c.settings, "tick=1s", "load_memory=4s", "detection=10s", "detection_gap=2s", "quiet=30s",
			"offline_least=200ms", "offline_most=200ms", "high_watermark=100")
	}
	mean := 40 + rng.IntN(210)
	for i := range k {
		c.rates = append(c.rates, mean/2+rng.IntN(3*mean/2))
		c.keys = append(c.keys, tailKey(rng, fmt.Sprintf("%c%d", 'a'+rng.IntN(26), i)))
	}
	return c
}

// tailKey returns the keys of a tail: upwards with zeros before the number or not, or
// downwards.
func tailKey(rng *rand.Rand, prefix string) func(int) string {
	switch rng.IntN(3) {
	case 0:
		return func(n int) string { return fmt.Sprintf("%s_%09d", prefix, n) }
	case 1:
		return func(n int) string { return fmt.Sprintf("%s_%d", prefix, 1_000_000+n) }
	default:
		return func(n int) string { return fmt.Sprintf("%s_%09d", prefix, 999_999_999-n) }
	}
}

// bears returns what the tails are served once load balancing has done what it can, and
// within which part: whole tails do not always fill the servers evenly.
func (c *tails) bears() (rate, tolerance float64) {
	sum := 0
	for _, rate := range c.rates {
		sum += min(rate, c.target)
	}
	if sum < c.servers*4/5 || min(sum, c.servers) > c.account {
		return float64(min(sum, c.account)), .03
	}
	return float64(min(sum, c.servers)), .08
}

// changes are how often ranges were split, merged, and split in the last third.
type changes struct{ splits, merges, late int }

func (c *tails) play(t *testing.T) (served float64, made changes) {
	layer := cold(t, c.settings...)
	var sources []source
	for i, rate := range c.rates {
		if c.warm {
			layer.Prewarm(0, 0, 0, c.keys[i](500_000_000)[:2])
		}
		sources = append(sources, source{rate: rate, demand: partition.Demand{Entities: 1, BytesIn: 500}, key: c.keys[i]})
	}
	third := int(c.length/second) / 3
	admitted := record(newLoad(layer, 1), c.length, sources...)
	for _, e := range layer.Events() {
		switch e.Kind {
		case partition.EventMerge:
			made.merges++
		case partition.EventSplit:
			made.splits++
			if e.At >= clock.Instant(2*third)*second {
				made.late++
			}
		}
	}
	return admitted.perSecond(2*third, 3*third), made
}

// TestTailsBearATargetEach draws tails: in the last third of the time, each is served
// its rate or a range's target, up to what the servers and the account take, and no
// range is split any more. Each tail makes two splits at most, one from its neighbour
// and one among keys that take no more inserts; what no longer takes any is merged once.
func TestTailsBearATargetEach(t *testing.T) {
	for _, set := range []struct {
		name       string
		documented bool
		cases      int
	}{{"scaled", false, resultstest.Cases(3, 150)}, {"documented", true, resultstest.Cases(0, 15)}} {
		for seed := range uint64(set.cases) {
			c := drawTails(seed, set.documented)
			served, made := c.play(t)
			want, part := c.bears()
			assert.Truef(t, served >= (1-part)*want && served <= 1.01*want,
				"%s %d: %.0f/s of tails at %d; want %.0f within %.0f%%\n%v", set.name, seed, served, c.rates, want, 100*part, c.settings)
			most := 2 * len(c.rates)
			assert.Truef(t, made.late == 0 && made.splits <= most && made.merges <= made.splits+len(c.rates),
				"%s %d: %+v of %d tails; want at most %d splits, and none late\n%v", set.name, seed, made, len(c.rates), most, c.settings)
		}
	}
}
