package telemetry

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// drawn are operations of several attempts, in the order in which they end.
func drawn(seed uint64, n int) []*life {
	chance := rand.New(rand.NewPCG(seed, 3))
	list := make([]*life, n)
	for i := range list {
		l := &life{number: uint64(i), intended: time.Duration(i) * 3 * time.Millisecond, class: results.Ok}
		at := l.intended
		for range 1 + chance.IntN(40) {
			sent := at + time.Duration(chance.ExpFloat64()*float64(time.Millisecond))
			// Many take the same, so that ties are met.
			at = sent + time.Duration(1+chance.IntN(4))*time.Millisecond
			l.tries = append(l.tries, try{sent: sent, done: at, class: results.Ok, retry: len(l.tries) > 0})
		}
		l.attempts, l.done = len(l.tries), at
		list[i] = l
	}
	slices.SortStableFunc(list, func(a, b *life) int { return cmp.Compare(a.done, b.done) })
	return list
}

// play tells of operations in order, from as many goroutines as there are.
func play(s *slowest, list []*life) {
	for _, l := range list {
		for try, one := range l.tries {
			s.attempt(&results.Attempt{Number: l.number, Try: try, Sent: one.sent, Done: one.done, Class: one.class, Retry: one.retry})
		}
		s.completed(&results.Completed{Number: l.number, Intended: l.intended, Done: l.done, Class: l.class})
	}
}

func listed(lives []*life) (text string) {
	for _, l := range lives {
		text += fmt.Sprintf("%d took %v by %d of %d attempts, the last until %v\n", l.number, l.duration(), len(l.tries), l.attempts, l.tries[len(l.tries)-1].done)
	}
	return text
}

// The slowest of each second are those that sorting all of it gives, with their attempts.
func TestSlowestOfEachSecond(t *testing.T) {
	for seed := range uint64(resultstest.Cases(3, 20)) {
		list := drawn(seed, 2000)
		bySecond := map[int64][]*life{}
		for _, l := range list {
			second := int64(l.done / time.Second)
			bySecond[second] = append(bySecond[second], l)
		}
		var want []*life
		for second := range int64(60) {
			of := bySecond[second]
			slices.SortFunc(of, func(a, b *life) int {
				return cmp.Or(cmp.Compare(b.duration(), a.duration()), cmp.Compare(a.number, b.number))
			})
			for _, l := range of[:min(len(of), eachSecond)] {
				own := *l
				own.tries = own.tries[:min(len(own.tries), maxAttempts)]
				want = append(want, &own)
			}
		}
		s := newSlowest(false)
		play(s, list)
		got := s.drain(time.Hour)
		require.Truef(t, listed(got) == listed(want),
			"seed %d: the slowest are\n%s\nwant\n%s", seed, listed(got), listed(want))
		if sampled, lost := s.counts(); sampled != int64(len(want)) || lost != 0 || len(s.drain(2*time.Hour)) > 0 {
			t.Errorf("seed %d: %d sampled, %d lost; want %d, 0, and each taken once", seed, sampled, lost, len(want))
		}
	}
}

// Told by several goroutines at once, each second has its three, and no operation is told
// twice or with another's attempts.
func TestSlowestOfSeveralTellers(t *testing.T) {
	list := drawn(7, 4000)
	s := newSlowest(false)
	var all sync.WaitGroup
	for g := range 4 {
		var own []*life
		for i := g; i < len(list); i += 4 {
			own = append(own, list[i])
		}
		all.Go(func() { play(s, own) })
	}
	all.Wait()
	seen := map[uint64]bool{}
	byNumber := map[uint64]*life{}
	for _, l := range list {
		byNumber[l.number] = l
	}
	for _, l := range s.drain(time.Hour) {
		truth := byNumber[l.number]
		if seen[l.number] || l.attempts != truth.attempts || l.tries[0] != truth.tries[0] || l.done != truth.done {
			t.Errorf("operation %d is told as %+v; it was %+v", l.number, l, truth)
		}
		seen[l.number] = true
	}
	assert.Truef(t, len(seen) >= 3, "%d are told", len(seen))
}

// What nobody takes, and what is too much to follow, is counted.
func TestSlowestIsBounded(t *testing.T) {
	s := newSlowest(false)
	for second := range 200 {
		for n := range uint64(3) {
			done := time.Duration(second)*time.Second + time.Millisecond
			s.attempt(&results.Attempt{Number: n, Done: done})
			s.completed(&results.Completed{Number: n, Intended: done - time.Millisecond, Done: done})
		}
	}
	taken := len(s.drain(time.Hour))
	if sampled, lost := s.counts(); taken != maxWaiting || sampled != 600 || lost != 600-maxWaiting {
		t.Errorf("%d are taken, of %d sampled, %d lost; want %d of 600", taken, sampled, lost, maxWaiting)
	}
	for n := range uint64(maxFollowed + 100) {
		s.attempt(&results.Attempt{Number: n})
	}
	_, lost := s.counts()
	assert.Truef(t, lost == 600-maxWaiting+100, "%d are lost; want a hundred more, which cannot be followed", lost)
}
