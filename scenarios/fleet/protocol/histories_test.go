package protocol_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results/resultstest"
	"loadgen/scenarios/fleet/protocol"
)

// Scripted histories: each ends as its golden says, which was read, and as the oracle says,
// which knows nothing of the machines.
func TestHistories(t *testing.T) {
	scripts, err := filepath.Glob("testdata/histories/*.txt")
	require.Truef(t, err == nil && len(scripts) >= 30, "%d scripts, %v; want 30 or more", len(scripts), err)
	for _, path := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			s, err := parse(string(text))
			require.NoError(t, err)
			w := play(s)
			judge(t, w)
			resultstest.CheckGolden(t, strings.TrimSuffix(path, ".txt")+".golden", w.text())
		})
	}
}

// text is all that was seen of a history.
func (w *world) text() string {
	var b strings.Builder
	for _, line := range w.lines {
		fmt.Fprintln(&b, line)
	}
	for n, one := range w.came {
		fmt.Fprintf(&b, "\nrun %d: whole, of %d members", n+1, len(one.outcome.Shares))
	}
	fmt.Fprintf(&b, "\nleader: %v\n", w.err)
	for _, s := range w.outcome.Shares {
		fmt.Fprintf(&b, "%d %s: planned %d, due %d in %d seconds, record %v, partial %q, lost %q\n", s.Index, s.Name, plannedOf(&s), s.Counts.Scheduled, s.Seconds, s.Record != nil, s.Partial, s.Lost)
	}
	for _, fault := range w.outcome.Faults {
		fmt.Fprintln(&b, "fault:", fault)
	}
	for _, note := range w.outcome.Notes {
		fmt.Fprintln(&b, "note:", note)
	}
	return b.String()
}

// judge is the oracle: it holds what the machines say to what the processes and the network
// know to be true.
func judge(t *testing.T, w *world) {
	t.Helper()
	w.judgePast(t)
	for _, a := range w.actors {
		assert.Truef(t, a.left >= 0 || a.dead != clock.Never || a.frozen, "%s never ends", a.name)
		assert.Truef(t, a.left < 0 || a.err != nil || a.sealed != "" || len(a.past) != 0,
			"%s ends without a fault, and without having sealed anything", a.name)
	}
	if w.dead != clock.Never {
		for _, a := range w.actors {
			assert.Truef(t, !a.joined || a.dead != clock.Never || a.frozen || a.left.Sub(w.dead)-a.slept <= 10*time.Second,
				"the leader was killed at %v, and %s went on until %v", w.dead.Offset(), a.name, a.left.Offset())
		}
		return
	}
	require.True(t, w.ended >= 0, "the leader never ends")
	assert.Truef(t, w.gone.Sub(w.ended) <= 4*time.Second,
		"the run was over at %v, and the leader stayed until %v", w.ended.Offset(), w.gone.Offset())
	then := w.asOf(w.run)
	for _, share := range w.outcome.Shares {
		i := slices.IndexFunc(then.actors, func(a *actor) bool { return a.epoch == share.Epoch })
		then.judgeShare(t, then.actors[i], &share)
	}
	then.judgeWhole(t)
}

// asOf is the world with the processes as they were when they were done with a run.
func (w *world) asOf(run int) *world {
	then := *w
	then.actors = nil
	for _, a := range w.actors {
		if len(a.past) > run {
			past := a.past[run]
			a = &past
		}
		then.actors = append(then.actors, a)
	}
	return &then
}

// judgePast holds that the runs of a series that others followed are whole, each by itself, and
// that all were made where nothing kept one from being so.
func (w *world) judgePast(t *testing.T) {
	t.Helper()
	for n, one := range w.came {
		then := w.asOf(n)
		then.outcome, then.err, then.agreed = one.outcome, nil, one.agreed
		// A run whose clocks moved has a fault, and the next one measures them anew.
		moved := func(s protocol.Share) bool { return s.ClockDrift > protocol.MaxClockDrift }
		then.story.harmless = !slices.ContainsFunc(one.outcome.Shares, moved)
		for _, share := range one.outcome.Shares {
			i := slices.IndexFunc(then.actors, func(a *actor) bool { return a.epoch == share.Epoch })
			then.judgeShare(t, then.actors[i], &share)
		}
		then.judgeWhole(t)
	}
	assert.Truef(t, !w.story.harmless || w.dead != clock.Never || w.story.runs <= 0 || len(w.came) == w.story.runs-1,
		"nothing happened that matters, and %d of %d runs were made", len(w.came)+1, w.story.runs)
	assert.Empty(t, w.odd)
	assert.Truef(t, !w.story.harmless || w.turns == w.story.turns,
		"nothing happened that matters, and %d of %d turns were ordered", w.turns, w.story.turns)
}

// judgeShare holds a share to what its process and the network know.
func (w *world) judgeShare(t *testing.T, a *actor, share *protocol.Share) {
	t.Helper()
	var due int64
	for _, count := range a.arrived {
		due += count
	}
	assert.Truef(t, share.Counts.Scheduled == due && share.Seconds == uint64(len(a.arrived)),
		"%s: %d operations due in %d seconds were counted; the network brought %d in %d", a.name, share.Counts.Scheduled, share.Seconds, due, len(a.arrived))
	named := slices.ContainsFunc(w.outcome.Faults, func(fault string) bool { return strings.HasPrefix(fault, a.name+" ") })
	switch {
	case share.Record == nil && !named && w.err == nil:
		t.Errorf("%s has no record, and no fault names it: %q", a.name, w.outcome.Faults)
	case share.Record != nil && string(share.Record) != a.sealed:
		t.Errorf("%s sealed %.60q, and the leader has %.60q", a.name, a.sealed, share.Record)
	case share.Record != nil && share.Lost != "":
		t.Errorf("%s is lost, %s, and has a record", a.name, share.Lost)
	case share.Record != nil && a.partial && len(w.outcome.Faults) == 0:
		t.Errorf("%s sealed a part of its share, and nothing is said", a.name)
	case share.Record != nil && share.Missing == 0 && due != sumOf(a.told):
		t.Errorf("%s told %d, of which %d came, and nothing is missing", a.name, sumOf(a.told), due)
	}
	assert.Truef(t, share.Lost == "" || a.lost.Sub(a.heard)-w.slept <= 10*time.Second,
		"%s was heard of at %v, and named at %v", a.name, a.heard.Offset(), a.lost.Offset())
	if w.err == nil && a.begun != nil && share.BeganLate != nil && share.ClockDrift == 0 {
		if late := a.begun.Sub(w.agreed).Abs(); late > 5*ms && late != *share.BeganLate {
			t.Errorf("%s began %v from the agreed instant, and said %v", a.name, late, *share.BeganLate)
		}
	}
}

// plannedOf returns the planned operations that a member reported, 0 if it did not.
func plannedOf(s *protocol.Share) int64 {
	if s.Planned == nil {
		return 0
	}
	return *s.Planned
}

func sumOf(list []int64) (total int64) {
	for _, one := range list {
		total += one
	}
	return total
}

// judgeWhole holds that a run without faults has all of its plan, and one with all of it
// none.
func (w *world) judgeWhole(t *testing.T) {
	t.Helper()
	whole := w.err == nil && len(w.outcome.Faults) == 0
	var planned, told int64
	for _, share := range w.outcome.Shares {
		i := slices.IndexFunc(w.actors, func(a *actor) bool { return a.epoch == share.Epoch })
		planned += plannedOf(&share)
		told += sumOf(w.actors[i].told)
	}
	assert.Truef(t, !whole || planned == told && len(w.outcome.Shares) == w.story.members,
		"nothing is said to be wrong, and of %d operations planned %d were sent", planned, told)
	assert.Truef(t, !w.story.harmless || whole,
		"nothing happened that matters, and the run is not whole: %v, %q", w.err, w.outcome.Faults)
	for _, known := range []error{protocol.ErrFewer, protocol.ErrStopped, protocol.ErrUnready, nil} {
		if w.err == known || known != nil && errors.Is(w.err, known) {
			return
		}
	}
	t.Errorf("the leader ends with %v", w.err)
}

// Histories that are drawn: a few things happen to a fleet of two to five, over a network
// that is good, or is not.
func TestDrawnHistories(t *testing.T) {
	faulty := 0
	for n := range resultstest.Cases(20, 200) {
		s := drawn(uint64(n))
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := play(s)
			judge(t, w)
			if w.err != nil || len(w.outcome.Faults) > 0 {
				faulty++
			}
			if t.Failed() {
				t.Logf("it went\n%s", w.text())
			}
		})
	}
	all := resultstest.Cases(20, 200)
	assert.Truef(t, faulty != 0 && faulty != all, "%d of %d histories have a fault", faulty, all)
}

// drawn is a history by chance.
func drawn(seed uint64) story {
	draw := clock.NewStream(seed, "histories").Draw(seed)
	s := story{seed: seed, members: 2 + draw.IntN(4), seconds: 4 + draw.IntN(8), finish: draw.IntN(2) == 0, heavy: draw.IntN(3) * 400_000, harmless: true}
	s.network = weather{least: ms, most: time.Duration(2+draw.IntN(3)) * ms}
	if draw.IntN(2) == 0 {
		s.network.doubles = draw.Float64() * .4
		s.network.late = draw.Float64() * .2
	}
	if draw.IntN(3) == 0 {
		s.network.loses = draw.Float64() * .15
	}
	// Over a bad network a lease may run out by chance, and be said so.
	s.harmless = s.network.loses == 0
	for i := range s.members {
		a := actor{name: string(rune('a' + i)), rate: int64(50 + draw.IntN(100)), ahead: time.Duration(draw.IntN(2_000_000)-1_000_000) * time.Microsecond}
		s.actors = append(s.actors, a)
	}
	for range draw.IntN(3) {
		s.happens(&draw)
	}
	switch draw.IntN(4) {
	case 0:
		s.runs, s.seconds, s.pause = 2+draw.IntN(3), 1+draw.IntN(3), time.Duration(draw.IntN(4_000))*ms
	case 1:
		s.turns = 1 + draw.IntN(4)
		s.seconds = s.turns
	}
	return s
}

// happens adds something that happens, to somebody, some time.
func (s *story) happens(draw *clock.Draw) {
	name := string(rune('a' + draw.IntN(s.members)))
	from := time.Duration(draw.IntN(12_000)) * ms
	short := time.Duration(draw.IntN(3_500)) * ms
	long := 6*time.Second + short
	things := []struct {
		first, second string
		after         time.Duration
	}{
		{"kill " + name, "", 0}, {"stop " + name, "continue " + name, long}, {"cut " + name, "mend " + name, long}, {"leader killed", "", 0},
		{"leader stops", "leader continues", long}, {"leader interrupted", "", 0}, {"clock " + name + " 1s", "", 0},
		{"stop " + name, "continue " + name, short}, {"cut " + name, "mend " + name, short}, {"enters stranger", "", 0},
		{"kill " + name, "returns " + name, long},
	}
	thing := things[draw.IntN(len(things))]
	if thing.first == "enters stranger" {
		s.harmless = s.harmless && from > 0
		from += 2 * time.Second
	} else {
		s.harmless = false
	}
	for i, words := range slices.DeleteFunc([]string{thing.first, thing.second}, func(words string) bool { return words == "" }) {
		s.acts = append(s.acts, act{from + time.Duration(i)*thing.after, doing(strings.Fields(words))})
	}
}
