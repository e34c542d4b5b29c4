package protocol

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
)

// A probe's offset is within its bound of the truth, however long each way takes; and the
// bound is as small as it can be: with all of the way on one side it is reached.
func TestProbes(t *testing.T) {
	draw := clock.NewStream(3, "probes").At(0)
	for range 10_000 {
		ahead := time.Duration(draw.IntN(2_000_000_000) - 1_000_000_000)
		there, back := time.Duration(draw.IntN(5_000_000)), time.Duration(draw.IntN(5_000_000))
		left := clock.Instant(draw.IntN(1_000_000_000)) + clock.Instant(time.Hour)
		o := offsetOf(left, left.Add(there+ahead), left.Add(there+back))
		if off := (o.ahead - ahead).Abs(); off > o.bound || o.bound > (there+back+1)/2 {
			t.Fatalf("%v there, %v back: off by %v, bound %v", there, back, off, o.bound)
		}
	}
	if o := offsetOf(0, clock.Instant(time.Second), clock.Instant(10*time.Millisecond)); o.ahead != 995*time.Millisecond || o.bound != 5*time.Millisecond {
		t.Errorf("%+v; want 995ms to within 5ms", o)
	}
}

// A clock that moves is noticed by the first answer that is fast enough, and not by one
// that was on its way meanwhile.
func TestAWatchedClockThatMoves(t *testing.T) {
	w := leaderClock{offset: offset{ahead: time.Second, bound: time.Millisecond}, known: true}
	w.addReply(offset{ahead: 1500 * time.Millisecond, bound: 500 * time.Millisecond})
	assert.Equalf(t, time.Second, w.ahead, "an answer that was half a second on its way moves it to %v", w.ahead)
	w.addReply(offset{ahead: 2 * time.Second, bound: 2 * time.Millisecond})
	assert.Equal(t, 2*time.Second, w.ahead, "it")
	w.addReply(offset{ahead: 2*time.Second + time.Millisecond, bound: 3 * time.Millisecond})
	assert.Equalf(t, 2*time.Millisecond, w.bound, "a slower answer that says the same moves it to %+v", w)
}

// What the leader says late of one run of a series is nothing to a member of the next, though the
// numbers of what it asks begin anew.
func TestAnswersOfAnotherRun(t *testing.T) {
	for run, follows := range map[uint64]bool{0: false, 1: true, 2: false} {
		m := NewMember(MemberPlan{Name: "a", Epoch: "e", Run: 1, Deadline: time.Second})
		m.Tick(0)
		text, err := json.Marshal(&Reply{SchemaVersion: SchemaVersion, Run: run, Number: 1, Joined: &Joined{Of: 1, Parts: 1, SHA256: digest(nil)}})
		require.NoError(t, err)
		if step := m.Receive(1, text); len(step.Send) > 0 != follows {
			t.Errorf("an answer of run %d has a member of run 1 ask %q; want something: %v", run, step.Send, follows)
		}
	}
}
