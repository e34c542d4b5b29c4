package series

import (
	"slices"
	"time"
)

// pace foresees how long the rest of a series takes of which several runs go on at once.
// Runs of a kind take about as long as each other, those of another kind may take ten times
// that: what the first one took says nothing of the others. Its user guards it.
type pace struct {
	atOnce int
	// kinds has what each run is of, begun and took when it began and how long it took; −1
	// where it has not begun, or goes on.
	kinds       []string
	begun, took []time.Duration
}

func newPace(atOnce int, kinds []string) *pace {
	never := slices.Repeat([]time.Duration{-1}, len(kinds))
	return &pace{atOnce: max(1, atOnce), kinds: kinds, begun: never, took: slices.Clone(never)}
}

func (p *pace) begin(i int, now time.Duration) { p.begun[i] = now }

func (p *pace) end(i int, now time.Duration) { p.took[i] = now - p.begun[i] }

// left returns how long the rest takes, and false where that is not to be told yet: before
// a run of every kind is over.
func (p *pace) left(now time.Duration) (time.Duration, bool) {
	sums, runs := make(map[string]time.Duration), make(map[string]time.Duration)
	for i, took := range p.took {
		if took >= 0 {
			sums[p.kinds[i]] += took
			runs[p.kinds[i]]++
		}
	}
	var all, longest time.Duration
	for i, took := range p.took {
		if took >= 0 {
			continue
		}
		kind := p.kinds[i]
		if runs[kind] == 0 {
			return 0, false
		}
		rest := sums[kind] / runs[kind]
		if p.begun[i] >= 0 {
			rest = max(0, rest-(now-p.begun[i]))
		}
		all, longest = all+rest, max(longest, rest)
	}
	return max(all/time.Duration(p.atOnce), longest), true
}
