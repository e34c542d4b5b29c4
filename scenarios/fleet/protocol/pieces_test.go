package protocol

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A clock that moves is noticed by the first answer that is fast enough, and not by one
// that was on its way meanwhile.
func TestAWatchedClockThatMoves(t *testing.T) {
	w := leaderClock{offset: offset{ahead: time.Second, bound: time.Millisecond}, replies: 1}
	w.add(offset{ahead: 1500 * time.Millisecond, bound: 500 * time.Millisecond})
	assert.Equalf(t, time.Second, w.ahead, "an answer that was half a second on its way moves it to %v", w.ahead)
	w.add(offset{ahead: 2 * time.Second, bound: 2 * time.Millisecond})
	assert.Equal(t, 2*time.Second, w.ahead, "it")
	w.add(offset{ahead: 2*time.Second + time.Millisecond, bound: 3 * time.Millisecond})
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

// Parts come in any order and more than once: the first of each is kept, and other bytes do not have the digest.
func TestParts(t *testing.T) {
	for _, size := range []int{0, 1, partBytes, partBytes + 1, 3*partBytes - 1} {
		text := bytes.Repeat([]byte{7, 8, 9}, size/3+1)[:size]
		parts := split(text)
		c := newCollector(len(parts))
		for i, part := range slices.Backward(parts) {
			c.put(i, part)
			c.put(i, []byte("another"))
		}
		got, intact := c.join(digest(text))
		assert.Truef(t, c.missing == 0 && intact && bytes.Equal(got, text), "%d bytes: %d parts missing, intact %t, %d bytes joined", size, c.missing, intact, len(got))
		_, intact = c.join(digest(append(text, 0)))
		assert.Falsef(t, intact, "%d bytes with another digest", size)
	}
}
