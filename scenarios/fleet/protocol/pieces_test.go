package protocol

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
