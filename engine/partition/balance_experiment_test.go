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
