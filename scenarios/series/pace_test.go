package series

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// What is foreseen is what is to come, though the slowest kind begins and two runs go on at
// once: so much the first runs took that ten times as long was foreseen.
func TestPaceForeseesWhatIsToCome(t *testing.T) {
	costs := map[string]time.Duration{"slow": 12 * time.Second, "quick": time.Second, "usual": 4 * time.Second}
	var kinds []string
	for range 5 {
		kinds = append(kinds, "slow", "quick", "usual", "quick", "usual")
	}
	for _, atOnce := range []int{1, 2, 4} {
		p := newPace(atOnce, kinds)
		// Each worker takes the next run as soon as it is free.
		free := make([]time.Duration, atOnce)
		ends := make([]time.Duration, len(kinds))
		whole := time.Duration(0)
		for i, kind := range kinds {
			worker := 0
			for w := range free {
				if free[w] < free[worker] {
					worker = w
				}
			}
			ends[i] = free[worker] + costs[kind]
			free[worker] = ends[i]
			whole = max(whole, ends[i])
		}
		told := 0
		for now := time.Duration(0); now <= whole; now += 500 * time.Millisecond {
			for i, kind := range kinds {
				if begin := ends[i] - costs[kind]; p.begun[i] < 0 && begin <= now {
					p.begun[i] = begin
				}
				if p.took[i] < 0 && ends[i] <= now {
					p.took[i] = ends[i] - p.begun[i]
				}
			}
			left, known := p.left(now)
			if !known {
				continue
			}
			told++
			if is := whole - now; left > is+costs["slow"]/2 || left < is-costs["slow"]/2 {
				t.Errorf("%d at once, after %v: %v left; want %v", atOnce, now, left, is)
			}
		}
		assert.Truef(t, told >= int(whole/time.Second), "%d at once: foreseen %d times in %v; want it soon", atOnce, told, whole)
	}
}

func TestPaceTellsNothingItCannotKnow(t *testing.T) {
	p := newPace(2, []string{"a", "b", "a"})
	p.begun[0] = 0
	p.took[0] = time.Minute
	if left, known := p.left(time.Minute); known {
		t.Errorf("%v left, though no run of b is over; want nothing told", left)
	}
	if left, known := newPace(1, nil).left(0); !known || left != 0 {
		t.Errorf("%v, %t of no run; want nothing left", left, known)
	}
}
