package workflow_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// nicknames are the parameters of updates of salaries by clients who do not know of nicknames.
var nicknames = args{"changes": "Salary", "unknown": "Nickname"}

// carded returns a world with thirty workers who have a nickname, and some updates.
func carded(t *testing.T, count int, writes string) (*world, []workflow.Workflow) {
	w := newWorld(t)
	list := workers(30, text("Nickname", "Chip"))
	w.load(list...)
	given := args{"changes": "Salary", "unknown": "Nickname", "writes": writes}
	return w, several(count, func(n int) workflow.Workflow {
		return w.op("bag-update", n, given, list[n%len(list)], worker(5000+n, "fresh"))
	})
}

// Bags and merges keep what the client does not know, whatever is lost and whoever else
// writes; types drop it, and the count of those that did is how many have lost it.
func TestBagUpdatesKeep(t *testing.T) {
	const count = 90
	for _, row := range []struct {
		writes, verb string
		loses        int64
		reads        int
	}{{"merge", "merge", 0, 0}, {"bag", "replace", 0, count}, {"known", "replace", 30, count}} {
		w, all := carded(t, count, row.writes)
		w.raceWell(5, 8, 30, all)
		sent := maps.Clone(w.requests)
		w.finds("bag-update", nicknames, row.loses, 30)
		restarts := total(all, "restarts")
		assert.Truef(t, sent[row.verb] >= count && sent["get"] >= row.reads && (row.reads > 0) == (sent["get"] > 0), "%s: it sent %v", row.writes, sent)
		assert.Equal(t, row.reads > 0, restarts > 0, row.writes)
	}
}

// One after another, each that drops a property counts it once.
func TestBagUpdateCountsWhatItDrops(t *testing.T) {
	for _, lost := range []int{0, 30} {
		w, all := carded(t, 60, "known")
		w.race(9, 1, lost, all)
		w.finds("bag-update", nicknames, 30, 30)
		assert.EqualValuesf(t, 30, total(all, "lost"), "of 100 replies %d lost: were counted as dropped", lost)
	}
}

// What somebody else writes between the read and the write stays, and so does the change;
// what somebody else has dropped by then, the client did not.
func TestBagUpdateIsOvertaken(t *testing.T) {
	key := entity.Key{Partition: "d0", Row: "0000"}
	note := []entity.Property{text("Nickname", "Dot")}
	for _, row := range []struct {
		says, writes string
		other        entity.Change
		want         string
	}{
		{"a bag has what was changed meanwhile", "bag", entity.Change{Verb: entity.Merge, Properties: note}, "2 replaces, Dot, 5100, map[restarts:1]"},
		{"and drops what was dropped meanwhile", "bag", entity.Change{Verb: entity.Replace}, "2 replaces, , 5100, map[restarts:1]"},
		{"a type drops what was changed meanwhile", "known", entity.Change{Verb: entity.Merge, Properties: note}, "2 replaces, , 5100, map[lost:1 restarts:1]"},
		{"and not what was dropped by somebody else", "known", entity.Change{Verb: entity.Replace}, "2 replaces, , 5100, map[restarts:1]"},
	} {
		w, all := carded(t, 1, row.writes)
		replaced := 0
		w.watch(all[0], func(op *target.Operation) {
			if op.Verb != entity.Replace {
				return
			}
			if replaced++; replaced == 1 {
				w.change(row.other.Verb, "Test", key, row.other.Properties...)
			}
		})
		stored, _ := w.get("Test", key)
		assert.Equal(t, row.want, fmt.Sprintf("%d replaces, %s, %d, %v", replaced, value(stored, "Nickname").Text(), value(stored, "Salary").Int(), counted(all[0])),
			row.says)
	}
}

// What is not there is not made of what is to be changed.
func TestBagUpdateOfNothing(t *testing.T) {
	for _, writes := range []string{"merge", "bag", "known"} {
		w := newWorld(t)
		ended := w.run(w.op("bag-update", 0, args{"changes": "Salary", "unknown": "Nickname", "writes": writes}, worker(1, "a")))
		_, there := w.get("Test", entity.Key{Partition: "a", Row: "0001"})
		assert.Falsef(t, ended || there || w.requests["replace"] > 0, "%s: it ended well %v, it is there %v, requests %v", writes, ended, there, w.requests)
	}
}

// A property with another value than was loaded is lost, too.
func TestKeptHoldsValues(t *testing.T) {
	w, _ := carded(t, 0, "bag")
	w.change(entity.Merge, "Test", entity.Key{Partition: "d0", Row: "0003"}, text("Nickname", "Dot"))
	w.finds("bag-update", nicknames, 1, 30)
}

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
