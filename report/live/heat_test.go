package live

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
)

// A second is told by partition as a naive count has it: exactly where there are no more than
// have places, and never as more than there was.
func TestSecondAgainstNaiveCount(t *testing.T) {
	chance := rand.New(rand.NewPCG(32, 3))
	for _, keys := range []int{1, 12, 5000} {
		p := newRun(t)
		p.Enter("work", 1<<40, time.Hour)
		served, throttled, all := make(map[string]int64), make(map[string]int64), Second{}
		for n := range uint64(20_000) {
			at := 3*time.Second + time.Duration(chance.Int64N(int64(time.Second)))
			key := fmt.Sprint("key ", chance.IntN(keys))
			if chance.IntN(3) > 0 {
				key = "hot"
			}
			a := results.Attempt{Number: n, Done: at, HasPartition: true, PartitionKey: key, Entities: 2, Class: results.Ok, Counted: 2}
			switch all.Attempts++; chance.IntN(5) {
			case 0:
				a.Class, a.Counted = results.Throttled, 0
				throttled[key] += 2
				all.Throttled++
				all.Demanded += 2
			case 1:
				a.Class, a.Counted = results.Failed, 0
			default:
				served[key] += 2
				all.Demanded += 2
			}
			p.recorder.Attempt(&a)
		}
		got := p.Second(3)
		assert.Truef(t, got.Attempts == all.Attempts && got.Throttled == all.Throttled && got.Demanded == all.Demanded,
			"%d keys: %d attempts, %d throttled, %d demanded; want %+v", keys, got.Attempts, got.Throttled, got.Demanded, all)
		if len(got.Hottest) != min(keys+1, MaxHottest) || got.Hottest[0].Name != "hot" {
			t.Fatalf("%d keys: %d are told, first %v; want %d, first hot", keys, len(got.Hottest), got.Hottest[0], min(keys+1, MaxHottest))
		}
		for i, w := range got.Hottest {
			exact := keys < 1000 || w.Name == "hot"
			if w.Served > served[w.Name] || w.Throttled > throttled[w.Name] || exact && (w.Served != served[w.Name] || w.Throttled != throttled[w.Name]) {
				t.Errorf("%d keys: %s is told as %d served, %d throttled; it was %d and %d", keys, w.Name, w.Served, w.Throttled, served[w.Name], throttled[w.Name])
			}
			if i > 0 && w.Demanded() > got.Hottest[i-1].Demanded() {
				t.Errorf("%d keys: %v after %v", keys, w, got.Hottest[i-1])
			}
		}
		other := p.Second(15)
		assert.Truef(t, other.Attempts == 0 && len(other.Hottest) == 0, "second 15 has %+v; want nothing", other)
	}
}

func TestLateSince(t *testing.T) {
	before := Totals{Counts: results.Counts{Scheduled: 10, Late: 4}}
	if got := (&Totals{Counts: results.Counts{Scheduled: 30, Late: 9}}).LateSince(&before); got == nil || *got != .25 {
		t.Errorf("5 of 20 are the share %v; want 0.25", told(got))
	}
	if got := (&Totals{Counts: results.Counts{Scheduled: 10, Late: 4}}).LateSince(&before); got != nil {
		t.Errorf("none of none is the share %v", *got)
	}
}
