package drive

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/arrival"
	"loadgen/target"
)

const tick = 10 * time.Millisecond

// trial is a stage that has begun at an instant, with the books it writes into.
type trial struct {
	*agenda
	ledger *Ledger
	folder *results.Memory
}

func newTrial(t testing.TB, stage *Stage, start clock.Instant) *trial {
	t.Helper()
	run := &trial{folder: new(results.Memory)}
	run.ledger = &Ledger{Recorder: resultstest.Open(t, run.folder, results.Manifest{Operations: []results.Kind{{Name: "get"}}})}
	run.agenda = newAgenda(run.ledger.open(stage, start))
	return run
}

// reply tells the agenda of a refusal or a success, as a runner does.
func (run *trial) reply(now clock.Instant, s *Session, status int) Effect {
	outcome := target.Outcome{Status: status, Counted: 1}
	if status != 200 {
		outcome.Counted = 0
	}
	effect := s.Step(now, Replied, &outcome)
	run.ledger.recordEffect(s, effect)
	run.follow(now, s, effect, run.ledger)
	return effect
}

// send takes what is due and sends it.
func (run *trial) send(t testing.TB, now clock.Instant) *Session {
	t.Helper()
	s := run.takeNext(now)
	require.NotNilf(t, s, "take(%v)", now.Offset())
	if s.firstAttempt() {
		run.ledger.Recorder.Scheduled(s.scheduled(now, false))
	}
	s.Step(now, Due, nil)
	return s
}

// finish ends the run and returns its record.
func (run *trial) finish(t testing.TB, end clock.Instant) *results.Record {
	t.Helper()
	resultstest.Finish(t, run.ledger.Recorder, end.Offset())
	return resultstest.Read(t, run.folder)
}

// books ends the run and checks what it came to.
func (run *trial) books(t testing.TB, end clock.Instant, want counts) {
	t.Helper()
	sum := run.finish(t, end).Total(results.Everything)
	got := counts{sum.Scheduled, sum.Sent, sum.Dropped, sum.Operations, sum.Succeeded, sum.Cut, sum.Attempts}
	assert.Equal(t, want, got)
}

// counts are the books of a run.
type counts struct{ scheduled, sent, dropped, operations, succeeded, cut, attempts int64 }

// getStage returns a stage of gets, each of which is throttled for ever if the
// target wills.
func getStage(schedule arrival.Schedule, wait time.Duration) *Stage {
	return &Stage{
		Name: "gets", Schedule: schedule, First: 100,
		Retry:  backoff.Policy{Retries: backoff.MaxRetries, Delay: backoff.Ladder{wait}},
		Phases: []results.Phase{{Name: "gets"}},
		Build:  func(_ uint64, w *Work) { w.Operation.Verb = entity.Get },
	}
}

func everyTick(t testing.TB, length time.Duration) *arrival.Steps {
	t.Helper()
	s, err := arrival.NewSteps(arrival.Step{Rate: float64(time.Second / tick), Length: length})
	require.NoError(t, err)
	return s
}

// turn is an entry of the naive agenda: a number and when it is due.
type turn struct {
	at     clock.Instant
	number uint64
}

// Against a list in which everything, sent or not, stands with its instant: the
// agenda yields the earliest, of simultaneous ones the lowest number. Waits are
// of whole ticks, so that many coincide, and of none, as for a next page.
func TestAgendaAgainstAList(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		start := clock.Instant(rng.IntN(3) * int(time.Second))
		schedule := everyTick(t, 300*time.Millisecond)
		run := newTrial(t, getStage(schedule, tick), start)
		var list []turn
		for k := range schedule.Len() {
			list = append(list, turn{start.Add(schedule.DueTime(k)), 100 + k})
		}
		now := start
		for len(list) > 0 {
			slices.SortFunc(list, func(a, b turn) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number)) })
			want := list[0]
			list = list[1:]
			at, number, any := run.nextDue(now)
			require.Truef(t, any && at == want.at && number == want.number,
				"seed %d: due(%v) = %v, %d, %v; want %v, %d, true", seed, now.Offset(), at.Offset(), number, any, want.at.Offset(), want.number)
			if at > now {
				require.Nilf(t, run.takeNext(at-1), "seed %d: taken before %v", seed, at.Offset())
			}
			now = at
			s := run.send(t, now)
			require.Equalf(t, want.number, s.number, "seed %d: taken at %v", seed, now.Offset())
			if rng.IntN(2) == 0 {
				run.reply(now, s, 200)
				continue
			}
			again := turn{now.Add(tick * time.Duration(rng.IntN(4))), want.number}
			list = append(list, again)
			run.follow(now, s, Effect{Action: WaitUntil, Until: again.at}, run.ledger)
		}
		_, _, any := run.nextDue(clock.Never)
		require.Truef(t, !any && run.isOver(clock.Never) && run.takeNext(clock.Never) == nil,
			"seed %d: not over when the list is empty", seed)
	}
}

func TestLanesOfAClosedLoop(t *testing.T) {
	stage := getStage(nil, time.Second)
	stage.Lanes, stage.Count = 2, 4
	run := newTrial(t, stage, 0)
	first, second := run.send(t, 0), run.send(t, 0)
	_, _, any := run.nextDue(0)
	assert.False(t, any, "with both lanes taken something is due; want nothing before a reply")
	assert.Nil(t, run.takeNext(clock.Never), "taken with both lanes taken")

	// One that waits to retry keeps its lane.
	run.reply(clock.Instant(tick), first, 503)
	at, number, any := run.nextDue(clock.Instant(tick))
	assert.Truef(t, any && at == clock.Instant(tick+time.Second) && number == 100,
		"due = %v, %d, %v; want the retry of operation 100 after its second", at.Offset(), number, any)
	run.reply(clock.Instant(2*tick), second, 200)
	at, number, any = run.nextDue(clock.Instant(2 * tick))
	assert.Truef(t, any && at == clock.Instant(2*tick) && number == 102,
		"due = %v, %d, %v; want operation 102 at once in the lane that is free", at.Offset(), number, any)
	third := run.send(t, clock.Instant(2*tick))
	assert.True(t, third == second, "the session that has ended was not used again")
	assert.Equal(t, 2*tick, third.scheduled(0, false).Intended, "operation 102 is due when its lane is free")
	assert.True(t, third.firstAttempt() && third.Operation().Attempt == 0, "operation 102 has an attempt of its predecessor")

	// A retry and a fresh operation at the same instant: the lower number first.
	again := clock.Instant(tick + time.Second)
	run.reply(again, third, 200)
	s := run.send(t, again)
	assert.Truef(t, s == first && s.Operation().Attempt == 1, "take = operation %d; want the retry of 100", s.number)
	run.reply(again, first, 200)
	fourth := run.send(t, again)
	assert.False(t, run.isOver(clock.Never), "over with operation 103 under way")
	run.reply(again, fourth, 200)
	_, _, any = run.nextDue(again)
	assert.True(t, !any && run.isOver(clock.Never), "not over after four operations; want the count and no more")
	run.books(t, again, counts{scheduled: 4, sent: 4, operations: 4, succeeded: 4, attempts: 5})
}

// A stage of ten operations is abandoned at the instant of operation 5: number 0
// has ended, 1 waits to retry, 2 is under way and succeeds later, 3 is under way
// and is throttled later, 4 was due and never sent, 5 is due just now; what is due
// later is no part of the run.
func TestAbandonedOpenLoop(t *testing.T) {
	run := newTrial(t, getStage(everyTick(t, 10*tick), time.Hour), clock.Instant(time.Second))
	at := func(k int) clock.Instant { return clock.Instant(time.Second + time.Duration(k)*tick) }
	run.reply(at(0), run.send(t, at(0)), 200)
	run.reply(at(1), run.send(t, at(1)), 503)
	succeeds, isThrottled := run.send(t, at(2)), run.send(t, at(3))
	got, unsent := run.nextIntended(at(7))
	assert.Truef(t, unsent && got == at(4), "nextIntended = %v, %v; want the instant of operation 4", got.Offset(), unsent)
	run.abandon(at(5), run.ledger)
	_, _, any := run.nextDue(clock.Never)
	assert.True(t, !any && !run.isOver(clock.Never), "after abandon: want nothing due, and two under way")
	got, unsent = run.nextIntended(at(7))
	assert.Falsef(t, unsent, "nextIntended after abandon = %v; want none", got.Offset())
	run.reply(at(6), succeeds, 200)
	assert.Equal(t, WaitUntil, run.reply(at(7), isThrottled, 503).Action, "action of the throttled session")
	assert.True(t, run.isOver(clock.Never), "the throttled session is cut")
	run.books(t, at(7), counts{scheduled: 6, sent: 4, dropped: 2, operations: 4, succeeded: 2, cut: 2, attempts: 4})
}

func TestAbandonedClosedLoop(t *testing.T) {
	stage := getStage(nil, time.Hour)
	stage.Lanes, stage.Count = 3, 1000
	run := newTrial(t, stage, 0)
	run.reply(0, run.send(t, 0), 200)
	run.reply(0, run.send(t, 0), 503)
	last := run.send(t, 0)
	run.abandon(clock.Instant(tick), run.ledger)
	run.reply(clock.Instant(2*tick), last, 200)
	assert.True(t, run.isOver(clock.Never), "not over when the last reply has come")
	// What a closed loop has not begun was never due.
	run.books(t, clock.Instant(2*tick), counts{scheduled: 3, sent: 3, operations: 3, succeeded: 2, cut: 1, attempts: 3})
}

// What was taken and finds no worker is dropped if it never was sent, and cut if
// it was.
func TestThrottledByTheRunner(t *testing.T) {
	run := newTrial(t, getStage(everyTick(t, 3*tick), 3*tick), 0)
	run.reply(0, run.send(t, 0), 503)
	for _, now := range []clock.Instant{clock.Instant(tick), clock.Instant(2 * tick), clock.Instant(3 * tick)} {
		assert.Falsef(t, run.isOver(clock.Never), "over at %v; want one more", now.Offset())
		run.refuse(now, run.takeNext(now), run.ledger)
	}
	assert.True(t, run.isOver(clock.Never), "not over with nothing left")
	run.books(t, clock.Instant(3*tick), counts{scheduled: 3, sent: 1, dropped: 2, operations: 1, cut: 1, attempts: 1})
}

// Of a share, only its own operations count as due before an instant. When the load settles, what
// was due until then is still sent, and nothing more.
func TestAgendaOfAShare(t *testing.T) {
	for index, want := range []uint64{34, 33, 33} {
		stage := getStage(everyTick(t, 2*time.Second), time.Second)
		stage.Share = Share{Index: index, Of: 3}
		stage.Enough = func(clock.Instant, clock.Instant, func() uint64) error { return ErrSettled }
		run := newTrial(t, stage, 0)
		second := clock.Instant(time.Second)
		assert.Equalf(t, want, run.dueBefore(second), "share %d: due within a second", index)
		require.NoError(t, run.stopReason(second))
		for n := range want {
			s := run.takeNext(second)
			require.NotNilf(t, s, "share %d: operation %d", index, n)
			assert.Equalf(t, uint64(index)+3*n, s.k, "share %d: number of operation %d", index, n)
		}
		assert.Nilf(t, run.takeNext(second), "share %d: taken after the load has settled", index)
	}
}
