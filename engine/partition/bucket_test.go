package partition_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
	"loadgen/results/resultstest"
)

// slowBucket is the law of the bucket in exact rational arithmetic.
type slowBucket struct {
	tokens, rate, capacity *big.Rat
	at                     clock.Instant
}

func newSlowBucket(rate int64, burst time.Duration) *slowBucket {
	capacity := new(big.Rat).Mul(big.NewRat(rate, 1), big.NewRat(int64(burst), int64(time.Second)))
	if one := big.NewRat(1, 1); capacity.Cmp(one) < 0 {
		capacity = one
	}
	return &slowBucket{tokens: new(big.Rat).Set(capacity), rate: big.NewRat(rate, 1), capacity: capacity}
}

func (b *slowBucket) take(now clock.Instant, cost int64) bool {
	elapsed := big.NewRat(int64(now-b.at), int64(time.Second))
	b.at = now
	b.tokens.Add(b.tokens, elapsed.Mul(elapsed, b.rate))
	if b.tokens.Cmp(b.capacity) > 0 {
		b.tokens.Set(b.capacity)
	}
	if b.tokens.Cmp(big.NewRat(1, 1)) < 0 {
		return false
	}
	b.tokens.Sub(b.tokens, big.NewRat(cost, 1))
	return true
}

// Admission follows the law in exact arithmetic. A second way to the answer: in no window is more
// admitted, before its last request, than the rate times its length and the burst.
func TestAdmissionEqualsExactArithmetic(t *testing.T) {
	for seed := range uint64(50) {
		draw := clock.NewStream(seed, "admission").Draw(0)
		rate := int64(1 + draw.IntN(5000))
		m, _ := model.New(model.Documented)
		m.PartitionTarget, m.AccountTarget = rate, 0
		layer := partition.New(partition.Options{Model: m})
		slow := newSlowBucket(rate, m.PartitionBurst)
		place := partition.Place{PartitionKey: "hot"}
		burst := max(int64(time.Second), rate*int64(m.PartitionBurst))
		var now clock.Instant
		var admitted, least int64
		for n := range 2000 {
			now += clock.Instant(draw.IntN(2_000_000_000 / int(rate)))
			cost := int64(1)
			if draw.IntN(4) == 0 {
				cost = int64(1 + draw.IntN(100))
			}
			got := layer.Admit(now, place, partition.Demand{Entities: cost}, 0).Kind == partition.Admitted
			if want := slow.take(now, cost); got != want {
				t.Fatalf("seed %d: request %d at %d, rate %d, cost %d: admitted = %v; want %v", seed, n, now, rate, cost, got, want)
			}
			if got {
				excess := admitted*int64(time.Second) - rate*int64(now)
				if least = min(least, excess); excess > least+burst {
					t.Fatalf("seed %d: at request %d a window has admitted %d too many", seed, n, (excess-least-burst)/int64(time.Second))
				}
				admitted += cost
			}
		}
	}
}

func TestIdlePartitionsAreForgotten(t *testing.T) {
	layer := partition.New(partition.Options{Model: modelOf(t, model.Documented)})
	for n := range 200_000 {
		now := clock.Instant(n) * clock.Instant(time.Millisecond)
		layer.Admit(now, partition.Place{PartitionKey: fmt.Sprint("key", n)}, one, 0)
	}
	// A key that took one entity is full again after half a millisecond.
	got := layer.Partitions()
	assert.Truef(t, got <= 1024, "Partitions() after 200000 keys used once = %d; want at most 1024", got)
}

func TestNothingOverflows(t *testing.T) {
	m, _ := model.New(model.Documented)
	m.PartitionTarget, m.PartitionBurst = 100_000_000, 10*time.Second
	layer := partition.New(partition.Options{Model: m})
	place := partition.Place{PartitionKey: "hot"}
	assert.Equal(t, partition.Admitted, layer.Admit(0, place, one, 0).Kind, "Admit at the highest rate")
	for range 100 {
		layer.Charge(0, place, 1_000_000_000)
	}
	assert.Equal(t, partition.PartitionBusy, layer.Admit(1, place, one, 0).Kind, "Admit in debt")
	assert.Equal(t, partition.Admitted, layer.Admit(clock.Never-1, place, one, 0).Kind, "Admit after 292 years")
}

func TestIdleStampComesToRest(t *testing.T) {
	layer := cold(t)
	assert.Equal(t, clock.Never, layer.NextEvent(), "NextEvent() of a new layer")
	l := newLoad(layer, 1)
	l.count(0, 400*second, even(2500, "a", "b")...)
	got, now := layer.NextEvent(), layer.Advance(0)
	assert.Truef(t, got != clock.Never && got > now, "NextEvent() under load = %v at %v; want the next tick", got, now)
	layer.Advance(3 * 3600 * second)
	assert.Equal(t, clock.Never, layer.NextEvent(), "NextEvent() after hours of rest")
	assert.Len(t, layer.Map().Ranges, 1, "ranges after hours of rest")
	// Nothing is due, so a century takes no time.
	layer.Events()
	layer.Advance(100 * 365 * 24 * 3600 * second)
	assert.Empty(t, layer.Events(), "Events() of a century of rest")
	// A year of the busiest stamp is about 75 splits and merges a day for 300
	// servers; one at rest has none, and wakes where it was.
	assert.Equal(t, partition.Admitted, layer.Admit(0, partition.Place{PartitionKey: "a"}, one, 0).Kind, "Admit after a century")
}

func TestTimeIsClamped(t *testing.T) {
	layer := cold(t)
	layer.Admit(100*second, partition.Place{PartitionKey: "a"}, one, 0)
	assert.Equal(t, 100*second, layer.Advance(50*second), "Advance(50s) after 100s")
	assert.Equal(t, partition.Admitted, layer.Admit(50*second, partition.Place{PartitionKey: "a"}, one, 0).Kind,
		"Admit at an earlier instant")
}

func TestVersionChangesWithTheMap(t *testing.T) {
	layer := cold(t)
	p := partition.Place{Account: 1, Table: 1, PartitionKey: "b"}
	steps := []struct {
		sentence string
		do       func()
	}{
		{"a table is created", func() { layer.TableCreated(second, 1, 1) }},
		{"a table is prewarmed", func() { layer.Prewarm(second, 1, 1, "b") }},
		{"a range is assigned", func() { layer.Assign(second, p, 5) }},
		{"a range moves", func() { layer.Move(second, p, 6) }},
		{"a table is deleted", func() { layer.TableDeleted(second, 1) }},
	}
	for _, step := range steps {
		before := layer.Version()
		step.do()
		assert.Truef(t, layer.Version() != before, "%s: Version() = %d as before; want another", step.sentence, before)
	}
}

func TestColdMemoryStaysFlat(t *testing.T) {
	layer := cold(t, append(twentieth, "servers=4")...)
	l := newLoad(layer, 1)
	marks := func() (ranges, keys int) { return len(layer.Map().Ranges), layer.Partitions() }
	half := clock.Instant(resultstest.Cases(600, 900)) * second
	l.count(0, half, source{rate: 300, demand: one, key: func(n int) string { return fmt.Sprint(n) }})
	ranges, keys := marks()
	l.count(half, 2*half, source{rate: 300, demand: one, key: func(n int) string { return fmt.Sprint(n) }})
	layer.Events()
	r, k := marks()
	assert.Truef(t, r <= 40 && k <= keys+2048,
		"%d ranges and %d keys after twice the time, %d and %d before; want no more", r, k, ranges, keys)
}

func TestEventsThatNobodyAsksForAreBounded(t *testing.T) {
	layer := cold(t, "offline_least=0s", "offline_most=0s", "split_pause=0s", "servers=2")
	p := partition.Place{PartitionKey: "a"}
	layer.Admit(0, p, one, 0)
	for n := range 70_000 {
		layer.Move(clock.Instant(n), p, (n+1)%2)
	}
	assert.EqualValues(t, 65_536, len(layer.Events()), "len(Events()) after 70000 moves")
}

func TestAdmitOfAKnownKeyDoesNotAllocate(t *testing.T) {
	prewarmed := cold(t, "servers=3", "merge_below=0")
	prewarmed.Prewarm(0, 0, 0, "1", "2", "3", "4", "5", "6", "7", "8", "9")
	for name, l := range map[string]*partition.Layer{
		"warm": partition.New(partition.Options{Model: modelOf(t, model.Documented)}), "cold": prewarmed,
	} {
		var now clock.Instant
		admit := func() {
			now += 100_000
			l.Admit(now, partition.Place{PartitionKey: "0123456789"[now/100_000%10:][:1]}, one, 0)
		}
		for range 20 {
			admit()
		}
		assert.Zerof(t, testing.AllocsPerRun(1000, admit), "%s: allocations of Admit of a known key", name)
	}
}

func TestSpreadHasTheModelsMeanAndVariation(t *testing.T) {
	m, _ := model.New(model.Documented)
	times := partition.NewTimes(m)
	draw := clock.NewStream(1, "times").Draw(0)
	const draws = 400_000
	var sum, squares float64
	for range draws {
		d := (times.ReplyTime(partition.Writing, 1, draw.Uint64()) - m.RoundTrip).Seconds()
		sum += d
		squares += d * d
	}
	mean := sum / draws
	variation := math.Sqrt(squares/draws-mean*mean) / mean
	assert.InEpsilon(t, m.WriteTime.Seconds(), mean, .005, "mean write in seconds")
	// The table ends at the 1/2050 quantiles, which costs a little of the tail.
	assert.InDelta(t, .4, variation, .01, "coefficient of variation")
}

func TestTimes(t *testing.T) {
	m, _ := model.New(model.Documented)
	m.TimeSpread = 0
	off, _ := model.New(model.Off)
	rows := []struct {
		sentence string
		model    *model.Model
		work     partition.Work
		entities int64
		want     time.Duration
	}{
		{"a read takes its time and the round trip", m, partition.Reading, 1, 4 * time.Millisecond},
		{"a write is slower", m, partition.Writing, 1, 9 * time.Millisecond},
		{"a transaction pays for each further entity", m, partition.Writing, 100, 9*time.Millisecond + 99*100*time.Microsecond},
		{"a scan pays for what it reads", m, partition.Scanning, 1000, 4*time.Millisecond + 100*time.Millisecond},
		{"without a model nothing takes time", off, partition.Writing, 100, 0},
		{"not even a scan", off, partition.Scanning, 50_000, 0},
	}
	for _, row := range rows {
		assert.Equalf(t, row.want, partition.NewTimes(row.model).ReplyTime(row.work, row.entities, 1<<63),
			"%s: Of(%v, %d)", row.sentence, row.work, row.entities)
	}
	assert.Equal(t, 3*time.Millisecond, partition.NewTimes(m).Refusal(), "Refusal()")
}

func TestTimesGrowWithTheirChance(t *testing.T) {
	m, _ := model.New(model.Documented)
	times := partition.NewTimes(m)
	last := time.Duration(0)
	for i := range 100_000 {
		chance := uint64(i) * (math.MaxUint64 / 100_000)
		got := times.ReplyTime(partition.Reading, 1, chance)
		if got < last {
			t.Fatalf("Of at chance %d = %v; want at least %v, that of a smaller chance", chance, got, last)
		}
		last = got
	}
	top := times.ReplyTime(partition.Reading, 1, math.MaxUint64)
	assert.Truef(t, top >= last && top <= 20*m.ReadTime,
		"Of at the highest chance = %v; want from %v to %v", top, last, 20*m.ReadTime)
}
