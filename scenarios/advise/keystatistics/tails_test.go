package keystatistics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/results/resultstest"
	"loadgen/scenarios/advise/keystatistics"
)

// tailStream draws inserts of which it is known into how many tails they fall.
type tailStream struct {
	says  string
	tails int
	rows  []*keystatistics.Row
}

// drawTailStream draws a stream: up to eight tails of different rates, upwards or
// downwards, in turn, at random or in bursts; or keys that have no tail.
func drawTailStream(seed uint64) tailStream {
	rng := rand.New(rand.NewPCG(seed, 17))
	n := 1000 << rng.IntN(6)
	kind := rng.IntN(10)
	s := tailStream{tails: 1 + rng.IntN(8)}
	var key func(i int) string
	switch {
	case kind < 7:
		key = prefixed(rng, &s)
	case kind == 7:
		s.says, s.tails = "up and down in turn", 2
		key = upAndDown
	default:
		key = trackless(rng, &s)
	}
	late, coarse := rng.IntN(2)*rng.IntN(8), []int64{1, 1, int64(10 * time.Second)}[rng.IntN(3)]
	s.says = fmt.Sprintf("%s, %d rows, up to %d s late, instants of %v", s.says, n, late, time.Duration(coarse))
	at := int64(0)
	for i := range n {
		at += rng.Int64N(int64(2 * time.Second))
		seen := (at + rng.Int64N(int64(late)*int64(time.Second)+1)) / coarse * coarse
		s.rows = append(s.rows, &keystatistics.Row{PartitionKey: key(i), RowKey: "r", Entities: 1,
			Instant: clock.Instant(seen), HasInstant: true})
	}
	return s
}

func upAndDown(i int) string { return fmt.Sprintf("%09d", 500_000_000+i*(1-2*(i%2))) }

// prefixed draws tails with a prefix each, of which the busiest takes up to nine times
// what the laziest does.
func prefixed(rng *rand.Rand, s *tailStream) func(int) string {
	weights, sum := make([]int, s.tails), 0
	for i := range weights {
		weights[i] = 10 + rng.IntN(1+rng.IntN(80))
		sum += weights[i]
	}
	shared, form, turns := rng.IntN(2) == 0, rng.IntN(5), rng.IntN(3)
	numbers := make([]int, s.tails)
	s.says = fmt.Sprintf("tails of weights %d, form %d, shared %t, turns %d", weights, form, shared, turns)
	one := func(i int) int {
		if turns == 0 {
			return i % s.tails
		}
		drawn := rng.IntN(sum)
		for j, w := range weights {
			if drawn -= w; drawn < 0 {
				return j
			}
		}
		return 0
	}
	current, left := 0, 0
	return func(i int) string {
		if left--; left < 0 {
			current, left = one(i), 0
			if turns == 2 {
				left = rng.IntN(4)
			}
		}
		numbers[current]++
		n := numbers[current]
		if shared {
			n = i
		}
		switch form {
		case 0:
			return fmt.Sprintf("%c_%09d", 'a'+current, n)
		case 1:
			return fmt.Sprintf("%c_%d", 'a'+current, n+1)
		case 2:
			return fmt.Sprintf("%c_%019d", 'a'+current, mostTicks-int64(i)*1e7)
		case 3:
			return fmt.Sprintf("%d-%c", 100_000_000+current*10_000_000+n, 'a'+rng.IntN(26))
		default:
			// A bucket for each minute, of about 60 inserts in all.
			return fmt.Sprintf("%02d_%06d", current, i/60)
		}
	}
}

// trackless draws keys that are spread, or used over and over.
func trackless(rng *rand.Rand, s *tailStream) func(int) string {
	s.tails = 0
	users := []int{3, 10, 100, 1000, 100_000}[rng.IntN(5)]
	switch rng.IntN(4) {
	case 0:
		s.says = "GUIDs"
		return func(int) string { return fmt.Sprintf("%016x", rng.Uint64()) }
	case 1:
		s.says = fmt.Sprintf("%d users over and over", users)
		return func(int) string { return fmt.Sprintf("user%06d", rng.IntN(users)) }
	case 2:
		s.says = "a hash before a number"
		return func(i int) string { return fmt.Sprintf("%08x_%09d", uint32(digest(uint64(i))), i) }
	default:
		s.says = "a thousand users, each with a sequence"
		numbers := make([]int, 1000)
		return func(int) string {
			u := rng.IntN(len(numbers))
			numbers[u]++
			return fmt.Sprintf("u%04d_%06d", u, numbers[u])
		}
	}
}

// TestTailsAreCounted wants the number of tails exactly right in 19 of 20 streams that
// have some, and none in 99 of 100 that have none.
func TestTailsAreCounted(t *testing.T) {
	var drawn, wrong [2]int
	for seed := range uint64(resultstest.Cases(3, 400)) {
		s := drawTailStream(seed)
		which := min(s.tails, 1)
		drawn[which]++
		if o := reportOf(t, keystatistics.Options{Seed: seed}, s.rows...).Order; o.Tails != s.tails {
			wrong[which]++
			t.Logf("seed %d, %s: %d tails; want %d (%s, at once %.2f)", seed, s.says, o.Tails, s.tails, o.Verdict, o.AtOnce)
		}
	}
	assert.LessOrEqualf(t, wrong[1]*20, drawn[1], "%d of %d streams with tails are miscounted", wrong[1], drawn[1])
	assert.LessOrEqualf(t, wrong[0]*100, drawn[0], "%d of %d streams without tails are given some", wrong[0], drawn[0])
}

// A tail among random keys is found whether its keys are used once or for a while.
func TestTailsAmongOtherKeysAreFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for name, form := range map[string]func(i int) string{
		"new keys":                 func(i int) string { return fmt.Sprintf("a_%09d", i) },
		"days":                     func(i int) string { return fmt.Sprintf("a_%06d", i/500) },
		"2 buckets before a day":   func(i int) string { return fmt.Sprintf("%c-%04d", 'p'+i%2, i/1000) },
		"8 buckets before a day":   func(i int) string { return fmt.Sprintf("%c-%04d", 'p'+i%8, i/1000) },
		"8 buckets before an hour": func(i int) string { return fmt.Sprintf("%c-%04d", 'p'+i%8, i/100) },
		"a day before 4 users":     func(i int) string { return fmt.Sprintf("a_%04d_%d", i/1000, i%4) },
	} {
		want := 1
		if strings.Contains(name, "buckets") {
			want = int(name[0] - '0')
		}
		// A tail of less than a twentieth of the inserts exceeds a partition's target only above an account's.
		for _, share := range []float64{0.1, 0.2, 0.5, 0.9} {
			if share/float64(want) < 0.06 {
				continue
			}
			rows := rowsAt(20_000, func(i int) string {
				if rng.Float64() < share {
					return form(i)
				}
				return fmt.Sprintf("%016x", rng.Uint64())
			}, func(i int) int64 { return int64(i) * int64(time.Millisecond) })
			o := reportOf(t, keystatistics.Options{Samples: 1 << 15}, rows...).Order
			assert.Truef(t, o.Tails == want && math.Abs(o.TailShare-share) <= 0.1*share, "%s, %.0f%% of the inserts: %d tails with %.2f; want %d",
				name, 100*share, o.Tails, o.TailShare, want)
		}
	}
}

// TestTailsCarryATargetEach holds forecasts and sentences to what is documented.
func TestTailsCarryATargetEach(t *testing.T) {
	for _, tt := range []struct {
		name     string
		key      func(i int) string
		tails    int
		word     string
		full     float64
		capacity string
	}{
		{"two regions", func(i int) string { return fmt.Sprintf("%d_%09d", i%2, i) }, 2, "2 tails", 4000, "2 × 2,000 = 4,000/s"},
		{"up and down in turn", upAndDown, 2, "2 tails", 4000, "2 × 2,000 = 4,000/s"},
		{"eight prefixes", func(i int) string { return fmt.Sprintf("%c%d", 'a'+i%8, 1_000_000+i) }, 8, "8 tails", 16_000, "8 × 2,000 = 16,000/s"},
		{"sixteen buckets of a minute", func(i int) string { return fmt.Sprintf("%02d_%06d", digest(uint64(i))%16, i/200) }, 16, "16 tails", 32_000, "16 × 2,000 = 32,000/s after load balancing (an account has 20,000)"},
		{"two of five to one, the rest to three", func(i int) string { return fmt.Sprintf("%c_%09d", "aabacd"[i%5], i) }, 3, "3 tails", 2000 / .6, "60.0% on the hottest: 3,334/s"},
		{"one tail", func(i int) string { return fmt.Sprintf("%09d", i) }, 1, "append-only", 2000, ""},
		{"many users", func(i int) string { return fmt.Sprintf("%016x", digest(uint64(i))) }, 0, "spread", 0, ""},
	} {
		r := reportOf(t, keystatistics.Options{}, rowsAt(12_000, tt.key, func(i int) int64 { return int64(i) * int64(time.Millisecond) })...)
		full := 0.0
		if place := r.PlaceShare(); place > 0 {
			full = 2000 / place
		}
		assert.Truef(t, r.Order.Tails == tt.tails && r.Order.Word() == tt.word && math.Abs(full-tt.full) <= .01*tt.full,
			"%s: %d tails, %s, full at %.0f; want %d, %s, %.0f\n%+v", tt.name, r.Order.Tails, r.Order.Word(), full, tt.tails, tt.word, tt.full, r.Order)
		if got := r.Order.Capacity(2000, 20_000); !strings.Contains(got, tt.capacity) || (got == "") != (tt.capacity == "") {
			t.Errorf("%s: Capacity() = %q; want %q", tt.name, got, tt.capacity)
		}
	}
}
