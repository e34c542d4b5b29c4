package partition_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"loadgen/engine/clock"
	"loadgen/engine/partition"
)

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
	}{{"scaled", false, tier(6, 150)}, {"documented", true, tier(0, 15)}} {
		for seed := range uint64(set.cases) {
			c := drawTails(seed, set.documented)
			served, made := c.play(t)
			if want, part := c.bears(); served < (1-part)*want || served > 1.01*want {
				t.Errorf("%s %d: %.0f/s of tails at %d; want %.0f within %.0f %%\n%v", set.name, seed, served, c.rates, want, 100*part, c.settings)
			}
			if most := 2 * len(c.rates); made.late > 0 || made.splits > most || made.merges > made.splits+len(c.rates) {
				t.Errorf("%s %d: %+v of %d tails; want at most %d splits, and none late\n%v", set.name, seed, made, len(c.rates), most, c.settings)
			}
		}
	}
}
