package workflow_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"loadgen/scenarios/workflow"
)

// history is a phase of drawn operations: when each is due, and what it needs.
type history struct {
	due   []time.Duration
	needs [][]workflow.Keeping
}

func (h *history) at(k uint64) (time.Duration, []workflow.Keeping) { return h.due[k], h.needs[k] }

// drawn returns operations of a few users, of whom each needs a thing or two, and some
// nothing at all.
func drawn(rng *rand.Rand, operations int) *history {
	h, now := new(history), time.Duration(0)
	users, lasts := 1+rng.IntN(6), time.Duration(rng.IntN(40))*time.Second
	for range operations {
		now += time.Duration(rng.IntN(4)) * time.Second
		var needs []workflow.Keeping
		if rng.IntN(5) > 0 {
			user := strconv.Itoa(rng.IntN(users))
			needs = append(needs, workflow.Keeping{Of: user, For: lasts})
			if rng.IntN(2) == 0 {
				needs = append(needs, workflow.Keeping{Of: user + "/" + strconv.Itoa(rng.IntN(3)), For: time.Duration(rng.IntN(60)) * time.Second})
			}
		}
		h.due, h.needs = append(h.due, now), append(h.needs, needs)
	}
	return h
}

// truth walks through all before each operation to find who fetched what it needs last.
func (h *history) truth() [][]bool {
	lacks := make([][]bool, len(h.due))
	last := func(before int, of string) int {
		for k := before; k >= 0; k-- {
			for i, one := range h.needs[k] {
				if i < len(lacks[k]) && lacks[k][i] && one.Of == of {
					return k
				}
			}
		}
		return -1
	}
	lifetime := func(k int, of string) time.Duration {
		at := slices.IndexFunc(h.needs[k], func(one workflow.Keeping) bool { return one.Of == of })
		return h.needs[k][at].For
	}
	for k := range h.due {
		for i, one := range h.needs[k] {
			by := last(k, one.Of)
			lack := by < 0 || h.due[k]-h.due[by] >= lifetime(by, one.Of)
			if i > 0 && by < last(k, h.needs[k][i-1].Of) {
				lack = true
			}
			lacks[k] = append(lacks[k], lack)
		}
	}
	return lacks
}

// Whoever lacks something is who does when the history is walked through by hand,
// whatever is asked for first, and by how many at a time.
func TestKeeperFollowsTheSchedule(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 86))
		h := drawn(rng, 150)
		truth, keeper := h.truth(), workflow.NewKeeper(h.at)
		order := rng.Perm(len(h.due))
		var all sync.WaitGroup
		for half := range 2 {
			all.Go(func() {
				for at, k := range order {
					if at%2 != half {
						continue
					}
					lacking := keeper.Lacks(uint64(k))
					for i := range workflow.MostKept {
						want := i < len(truth[k]) && truth[k][i]
						if lacking.Has(i) != want {
							t.Errorf("seed %d, operation %d, keeping %d: lacking is %v; want %v", seed, k, i, lacking.Has(i), want)
						}
					}
				}
			})
		}
		all.Wait()
	}
}
