package drive

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
)

// The record tells when a stage and its steps begin and end: each mark once its
// instant is past, in the order of the instants, and none that never came.
func TestMarksOfAStage(t *testing.T) {
	const s = time.Second
	open := &Stage{Name: "peak", Schedule: everyTick(t, 4*s), Phases: []results.Phase{
		{Name: "low", Begin: 0, End: 2 * s}, {Name: "high", Begin: 2 * s, End: 4 * s}}}
	closed := &Stage{Name: "load", Phases: []results.Phase{{Name: "load"}}}
	for _, test := range []struct {
		name        string
		stage       *Stage
		passed      time.Duration
		closed      time.Duration
		interrupted bool
		want        []string
		ends        time.Duration
	}{
		{"an open loop", open, 13 * s, 15 * s, false, []string{
			"10s stage-begins peak", "10s phase-begins low", "12s phase-ends low", "12s phase-begins high",
			"14s phase-ends high", "15s stage-ends peak"}, 14 * s},
		{"an open loop that is interrupted in its first step", open, 11 * s, 11 * s, true, []string{
			"10s stage-begins peak", "10s phase-begins low", "11s interrupted peak", "11s stage-ends peak"}, 14 * s},
		{"a closed loop, whose phase ends when it is done", closed, 11 * s, 17 * s, false, []string{
			"10s stage-begins load", "17s stage-ends load"}, 17 * s},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := newTrial(t, getStage(nil, 0), 0)
			opened := run.ledger.open(test.stage, clock.Instant(10*s))
			opened.pass(clock.Instant(test.passed))
			opened.close(clock.Instant(test.closed), test.interrupted)
			record := run.finish(t, clock.Instant(20*s))
			var got []string
			for _, e := range record.Events[1:] { // the first is of the trial's own stage
				got = append(got, fmt.Sprintf("%v %s %s", time.Duration(e.At), e.What, e.Phase+e.Text))
			}
			assert.Truef(t, slices.Equal(got, test.want), "events = %q; want %q", got, test.want)
			last := record.Phases[len(record.Phases)-1]
			assert.Truef(t, last.Stage == test.stage.Name && last.End == test.ends,
				"the last phase is of stage %q and ends at %v; want %q and %v", last.Stage, last.End, test.stage.Name, test.ends)
		})
	}
}

func TestSilence(t *testing.T) {
	const second = clock.Instant(time.Second)
	type event struct {
		at     clock.Instant
		what   string // sent, reply or lost
		others int
	}
	sent := func(at clock.Instant) event { return event{at, "sent", 0} }
	lost := event{second, "lost", 0}
	many := func(n int, more ...event) []event {
		return append(slices.Repeat([]event{sent(0), {0, "lost", 0}}, n), more...)
	}
	for _, row := range []struct {
		name    string
		events  []event
		at      clock.Instant
		lasting time.Duration
		dead    bool
	}{
		{"nothing was asked", nil, 100 * second, 0, false},
		{"an attempt that is under way owes a reply since it was sent", []event{sent(2 * second)}, 5 * second, 3 * time.Second, false},
		{"one that is answered owes none", []event{sent(0), {second, "reply", 0}}, 90 * second, 0, false},
		{"others under way owe theirs since the reply", []event{sent(0), sent(0), {second, "reply", 1}}, 4 * second, 3 * time.Second, false},
		{"a lost attempt is no reply", []event{sent(0), lost}, 7 * second, 7 * time.Second, false},
		{"a later one does not begin the silence anew", []event{sent(0), lost, sent(6 * second)}, 7 * second, 7 * time.Second, false},
		{"a silence begins with what is sent, not with the last reply", []event{sent(0), {second, "reply", 0}, sent(50 * second)}, 51 * second, time.Second, false},
		{"twenty lost in two seconds", many(20), 2 * second, 2 * time.Second, true},
		{"nineteen may be chance", many(19), 60 * second, time.Minute, false},
		{"less than two seconds may be a hiccup", many(1000), 2*second - 1, 2*time.Second - 1, false},
		{"a reply after them ends it", many(1000, sent(0), event{0, "reply", 0}, sent(0)), 2 * second, 2 * time.Second, false},
	} {
		var s silence
		for _, e := range row.events {
			if e.what == "sent" {
				s.begin(e.at)
			} else {
				s.end(e.at, e.what == "reply", e.others)
			}
		}
		if got := s.lasting(row.at); got != row.lasting || s.dead(got) != row.dead {
			t.Errorf("%s: lasting(%v) = %v, dead %v; want %v, %v", row.name, row.at.Offset(), got, s.dead(got), row.lasting, row.dead)
		}
	}
}

// Of attempts that come at random no stretch of time lets go more than rate · t + burst, in
// exact arithmetic; none waits while there are tokens; the order is that of their coming.
func TestRateLimitKeepsItsRate(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	cases := 40
	if testing.Short() {
		cases = 10
	}
	for range cases {
		rate := []ratio{{7, 10}, {3, 1}, {499, 10}, {1000, 3}, {700_000, 1}}[random.IntN(5)]
		limit := RateLimit{Rate: float64(rate.over) / float64(rate.under), Burst: 1 + random.IntN(7)}
		every := time.Duration(float64(time.Second) / limit.Rate)
		var goes []clock.Instant
		now := clock.Instant(random.Int64N(1 << 40))
		for range 300 {
			pause := int64(every) + 1
			if random.IntN(20) == 0 {
				pause *= 20
			}
			now = now.Add(time.Duration(random.Int64N(pause)))
			at := now.Add(limit.take(now))
			if n := len(goes); n > 0 && at < goes[n-1] {
				t.Fatalf("%+v: one goes at %v, the one before it at %v; want them in their order", limit, at, goes[n-1])
			}
			require.Falsef(t, rate.exceeded(goes, at, limit.Burst),
				"%+v: %d attempts have gone when one goes at %v; want it to wait", limit, len(goes), at)
			require.Truef(t, at <= now || rate.exceeded(goes, max(now, at.Add(-3)), limit.Burst),
				"%+v: one that comes at %v goes at %v; want it earlier", limit, now, at)
			goes = append(goes, at)
		}
	}
}

// ratio is a rate in attempts per second.
type ratio struct{ over, under int64 }

// exceeded reports whether one more at an instant would be more than rate · t + burst since
// some that went before. Instants are rounded up to nanoseconds, each by less than one.
func (r ratio) exceeded(goes []clock.Instant, at clock.Instant, burst int) bool {
	for from := range goes {
		t := int64(at.Sub(goes[from])) + 1
		if int64(len(goes)-from+1) > t*r.over/(r.under*int64(time.Second))+int64(burst) {
			return true
		}
	}
	return false
}

func TestRateLimitOfAnIdleClientSavesItsBurst(t *testing.T) {
	limit := RateLimit{Rate: 10, Burst: 3}
	for _, row := range []struct {
		name      string
		now, wait time.Duration
	}{
		{"the first of a burst", 0, 0}, {"the second", 0, 0}, {"the third", 0, 0},
		{"the fourth waits for a token", 0, 100 * time.Millisecond},
		{"the fifth for the one after it", 0, 200 * time.Millisecond},
		{"after a tenth of a second the sixth waits as long", 100 * time.Millisecond, 200 * time.Millisecond},
		{"after a rest the burst is back", 10 * time.Second, 0}, {"and again", 10 * time.Second, 0}, {"and again", 10 * time.Second, 0},
		{"and no more", 10 * time.Second, 100 * time.Millisecond},
	} {
		assert.Equalf(t, row.wait, limit.take(clock.Instant(row.now)), "%s: it waits", row.name)
	}
}

// A rate of one in a quarter of an hour, asked for a million times, goes wrong nowhere.
func TestRateLimitFarAhead(t *testing.T) {
	limit := RateLimit{Rate: 0.001, Burst: 1}
	limit.tokens = 1 << 50
	wait := limit.take(0)
	assert.Truef(t, wait > 0, "it waits %v; want years", wait)
}
