package backoff_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
)

// told is one line of a script: what a limiter is told at an instant, or asked.
type told struct {
	at     time.Duration
	answer backoff.Answer
	times  int
}

const (
	accepted  = backoff.Accepted
	throttled = backoff.Throttled
	timedOut  = backoff.TimedOut
)

// admits asks for a retry.
func admits(l backoff.Limiter, at time.Duration, after backoff.Answer, chance float64) bool {
	_, admitted := l.Admit(at, backoff.Try{Retry: true, After: after}, chance)
	return admitted
}

// gRPC's A6: tokens from 10, −1 a failure, +0.1 a success, retries above 5.
func TestRetryBudgetByItsDefinition(t *testing.T) {
	for _, row := range []struct {
		name   string
		script []told
		want   bool
	}{
		{"full at first", nil, true},
		{"four failures leave six", []told{{0, throttled, 4}}, true},
		{"five leave half, which is not more than half", []told{{0, throttled, 5}}, false},
		{"ten successes give one back", []told{{0, throttled, 5}, {0, accepted, 10}}, true},
		{"nine do not, but are more than half", []told{{0, throttled, 5}, {0, accepted, 9}}, true},
		{"none does not", []told{{0, throttled, 100}, {0, accepted, 50}}, false},
		{"a hundred failures are ten, and 51 successes more than half", []told{{0, throttled, 100}, {0, accepted, 51}}, true},
		{"successes never save up", []told{{0, accepted, 1000}, {0, timedOut, 5}}, false},
	} {
		b := backoff.NewRetryBudget()
		for _, line := range row.script {
			for range line.times {
				b.Record(line.at, backoff.Grant{}, line.answer)
			}
		}
		assert.Equalf(t, row.want, admits(b, 0, throttled, 0), "%s: a retry is admitted", row.name)
		_, first := b.Admit(0, backoff.Try{}, 0)
		assert.Truef(t, first, "%s: a first attempt is not admitted", row.name)
	}
}

// botocore: 500 tokens, a retry takes 5, or 10 after a time-out; its success gives
// them back, that of a first attempt one.
func TestTokenQuotaByItsDefinition(t *testing.T) {
	q := backoff.NewTokenQuota()
	var grants []backoff.Grant
	for n := range 100 {
		grant, admitted := q.Admit(0, backoff.Try{Retry: true, After: throttled}, 0)
		require.Truef(t, admitted && grant.Cost == 5, "retry %d: %+v, %t; want it for 5 tokens", n, grant, admitted)
		grants = append(grants, grant)
	}
	require.False(t, admits(q, 0, throttled, 0), "retry 101 is admitted; want 500 tokens to be gone")
	for range 4 {
		q.Record(0, backoff.Grant{}, accepted)
	}
	assert.False(t, admits(q, 0, throttled, 0), "four tokens are enough; want five")
	q.Record(0, grants[0], throttled)
	assert.False(t, admits(q, 0, throttled, 0), "a retry that failed gave its tokens back")
	q.Record(0, grants[1], accepted)
	assert.False(t, admits(q, 0, timedOut, 0), "nine tokens are enough after a time-out; want ten")
	assert.True(t, admits(q, 0, throttled, 0), "nine tokens are not enough for 5")
	for range 10_000 {
		q.Record(0, backoff.Grant{}, accepted)
	}
	for n := range 50 {
		require.Truef(t, admits(q, 0, timedOut, 0), "retry %d after a time-out is not admitted; want 50 of 10 tokens", n)
	}
	assert.False(t, admits(q, 0, timedOut, 0), "the quota saved up more than 500 tokens")
}

// The SRE book: max(0, (requests − K·accepts)/(requests + 1)).
func TestAdaptiveByItsDefinition(t *testing.T) {
	for _, row := range []struct {
		name              string
		requests, accepts int
		later             time.Duration
		want              float64
	}{
		{"nothing yet", 0, 0, 0, 0},
		{"all accepted", 100, 100, 0, 0},
		{"half accepted: just nothing at K = 2", 100, 50, 0, 0},
		{"a quarter accepted", 100, 25, 0, 50.0 / 101},
		{"none accepted", 100, 0, 0, 100.0 / 101},
		{"within the window it stays", 100, 0, 119 * s, 100.0 / 101},
		{"after the window it is forgotten", 100, 0, 120 * s, 0},
		{"long after it, too", 100, 0, 1000 * time.Hour, 0},
	} {
		a := backoff.NewAdaptive()
		for range row.requests {
			a.Admit(0, backoff.Try{}, 1)
		}
		for range row.accepts {
			a.Record(0, backoff.Grant{}, accepted)
		}
		a.Record(row.later, backoff.Grant{}, throttled)
		got := a.Rejects()
		assert.InDelta(t, row.want, got, 1e-12, row.name)
		assert.Truef(t, got <= 0 || !admits(a, row.later, throttled, got*0.999),
			"%s: a chance below the share is admitted", row.name)
	}
	// What is rejected on the spot counts as a request.
	a := backoff.NewAdaptive()
	for range 3 {
		a.Admit(0, backoff.Try{}, 0)
	}
	assert.Equal(t, 0.75, a.Rejects(), "three requests, of which two were rejected on the spot, reject")
}

// botocore's cubic: no limit until the first throttle; then β·Wmax, back at Wmax
// after K, K = 11.4 s at 2,000/s.
func TestCubicByItsDefinition(t *testing.T) {
	c := backoff.NewCubic()
	for n := range 20_000 {
		grant, _ := c.Admit(time.Duration(n)*500*time.Microsecond, backoff.Try{}, 0)
		require.Zero(t, grant.Hold, "held back before anything was throttled")
	}
	const began = 10 * s
	c.Record(began, backoff.Grant{}, throttled)
	rate, on := c.Rate()
	require.Truef(t, on && math.Abs(rate-1400) <= 5, "after the first throttle the rate is %v, %t; want 0.7 · 2,000", rate, on)
	assert.InDelta(t, 11.45, c.Plateau().Seconds(), 0.02, "K in seconds")
	// The client goes on with what it is granted.
	now := began
	for now < began+c.Plateau() {
		grant, _ := c.Admit(now, backoff.Try{}, 0)
		now += grant.Hold + 500*time.Microsecond
		c.Record(now, grant, accepted)
	}
	rate, _ = c.Rate()
	assert.InDelta(t, 2000, rate, 25, "rate after K")
	c.Record(now, backoff.Grant{}, throttled)
	rate, _ = c.Rate()
	assert.InDelta(t, 1325, rate, 125, "rate after another throttle")
	for range 200 {
		c.Record(now, backoff.Grant{}, throttled)
	}
	rate, _ = c.Rate()
	assert.Equal(t, 0.5, rate, "rate after many throttles")
}

func TestAIMDByItsDefinition(t *testing.T) {
	a := backoff.NewAIMD()
	for n := range 1000 {
		a.Admit(time.Duration(n)*time.Millisecond, backoff.Try{}, 0)
	}
	_, on := a.Rate()
	require.False(t, on, "limited before anything was throttled")
	for _, row := range []struct {
		name   string
		at     time.Duration
		answer backoff.Answer
		want   float64
	}{
		{"the first throttle halves what was sent", s, throttled, 480},
		{"another within the interval changes nothing", s + 99*ms, throttled, 480},
		{"an interval later it halves again", s + 100*ms, throttled, 240},
		{"a success before an interval is over adds nothing", s + 199*ms, accepted, 240},
		{"one interval adds one", s + 200*ms, accepted, 241},
		{"ten intervals add ten", s + 1200*ms, accepted, 251},
		{"a throttle halves", s + 1300*ms, throttled, 125.5},
		{"a part of an interval is not lost", s + 1475*ms, accepted, 126.5},
		{"but counts for the next", s + 1500*ms, accepted, 127.5},
	} {
		a.Record(row.at, backoff.Grant{}, row.answer)
		rate, _ := a.Rate()
		assert.InDelta(t, row.want, rate, 0.01, row.name)
	}
	// A hundred attempts at one instant go out at the rate, one after another.
	var last time.Duration
	for range 300 {
		grant, _ := a.Admit(3*s, backoff.Try{}, 0)
		require.Truef(t, grant.Hold >= last, "held for %v after %v; want the order kept", grant.Hold, last)
		last = grant.Hold
	}
	assert.Truef(t, last >= s && last <= 2*s,
		"the last of 300 at about 140/s is held for %v; want more than a second, the first second's being saved up", last)
}
