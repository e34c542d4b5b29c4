package drive

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
)

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
			if rate.exceeded(goes, at, limit.Burst) {
				t.Fatalf("%+v: %d attempts have gone when one goes at %v; want it to wait", limit, len(goes), at)
			}
			if at > now && !rate.exceeded(goes, max(now, at.Add(-3)), limit.Burst) {
				t.Fatalf("%+v: one that comes at %v goes at %v; want it earlier", limit, now, at)
			}
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
	if wait := limit.take(0); wait <= 0 {
		t.Errorf("it waits %v; want years", wait)
	}
}
