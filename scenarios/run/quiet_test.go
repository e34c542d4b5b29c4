package run_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// stretches has a meter beat every ten milliseconds for so many seconds, with the load
// that there is at each millisecond, and returns the stretches that it tells of. A beat
// that falls into a stand-still comes at its end.
func stretches(t *testing.T, seconds int, load func(ms int64) run.GeneratorLoad, stood func(ms int64) bool) []results.Stretch {
	t.Helper()
	m := run.NewHealthMeter(0, run.HealthReading{}, 2, 16)
	var told []results.Stretch
	for due := 10 * milli; due <= clock.Instant(seconds)*1000*milli; {
		now := due
		for stood != nil && stood(int64(now/milli)) {
			now += milli
		}
		for _, second := range m.Beat(due, now, load(int64(now/milli)), func() run.HealthReading { return run.HealthReading{} }) {
			told = append(told, second.Unanswered...)
		}
		due = max(due, now-10*milli) + 10*milli
	}
	return told
}

func part(from, to, waiting int64) results.Stretch {
	return results.Stretch{From: time.Duration(from) * time.Millisecond, To: time.Duration(to) * time.Millisecond, Waiting: waiting}
}

func TestStretchesInWhichNothingIsAnswered(t *testing.T) {
	// busy is a target that answers each millisecond but from one to another.
	busy := func(from, to int64) func(ms int64) run.GeneratorLoad {
		return func(ms int64) run.GeneratorLoad {
			answered := min(ms, from) + max(0, ms-to)
			return run.GeneratorLoad{UnderWay: 1 + max(0, min(ms, to)-from)/10, Answered: answered}
		}
	}
	for _, row := range []struct {
		name  string
		load  func(ms int64) run.GeneratorLoad
		stood func(ms int64) bool
		want  []results.Stretch
	}{
		{"none", busy(9000, 9000), nil, nil},
		{"one within a second", busy(300, 700), nil, []results.Stretch{part(300, 700, 41)}},
		{"too short to tell", busy(300, 345), nil, nil},
		{"one over three seconds is parted among them", busy(700, 2300), nil,
			[]results.Stretch{part(700, 1000, 31), part(1000, 2000, 131), part(2000, 2300, 161)}},
		{"one that is long enough only in the next second", busy(970, 1200), nil, []results.Stretch{part(1000, 1200, 24)}},
		{"nobody asks", func(ms int64) run.GeneratorLoad { return run.GeneratorLoad{} }, nil, nil},
		{"nobody knows", func(ms int64) run.GeneratorLoad { return run.GeneratorLoad{Free: -1, UnderWay: 5} }, nil, nil},
		{"what is under way ends without a reply", func(ms int64) run.GeneratorLoad {
			return run.GeneratorLoad{UnderWay: ms / 10 % 2}
		}, nil, nil},
		{"the process is not run meanwhile", busy(300, 700), func(ms int64) bool { return ms >= 310 && ms < 690 }, nil},
		{"it is not run in the midst of it", busy(300, 700), func(ms int64) bool { return ms >= 400 && ms < 500 },
			[]results.Stretch{part(300, 390, 10), part(500, 700, 41)}},
	} {
		assert.Equal(t, row.want, stretches(t, 3, row.load, row.stood), row.name)
	}
}

// Of random replies the stretches are those gaps that are long enough, to a beat at each
// end, however they lie in the seconds.
func TestStretchesOfRandomReplies(t *testing.T) {
	for seed := range uint64(run.Tier(3, 30)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var replies [10_000]bool
		gap := int64(0)
		var long []results.Stretch
		for ms, last := int64(0), int64(0); ms < 9500; ms += gap {
			if replies[ms] = true; ms-last >= 70 {
				long = append(long, part(last, ms, 1))
			}
			last, gap = ms, 1+rng.Int64N(8)
			if rng.IntN(60) == 0 {
				gap = 70 + rng.Int64N(1500)
			}
		}
		answered := make([]int64, 10_001)
		for ms := range replies {
			answered[ms+1] = answered[ms]
			if replies[ms] {
				answered[ms+1]++
			}
		}
		load := func(ms int64) run.GeneratorLoad {
			return run.GeneratorLoad{UnderWay: 1, Answered: answered[min(ms, 10_000)]}
		}
		var joined []results.Stretch
		for _, one := range stretches(t, 9, load, nil) {
			if last := len(joined) - 1; last >= 0 && joined[last].To == one.From && one.From%time.Second == 0 {
				joined[last].To = one.To
				continue
			}
			joined = append(joined, one)
		}
		for i, want := range long {
			if want.To > 9*time.Second {
				break
			}
			if i >= len(joined) || joined[i].From-want.From < 0 || joined[i].From-want.From > 60*time.Millisecond ||
				want.To-joined[i].To < 0 || want.To-joined[i].To > 60*time.Millisecond {
				t.Fatalf("seed %d: stretch %d = %+v of %d; want about %+v", seed, i, joined[min(i, len(joined)-1):], len(joined), want)
			}
		}
	}
}
