package partition_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
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

func TestAdmissionEqualsExactArithmetic(t *testing.T) {
	for seed := range uint64(50) {
		draw := clock.NewStream(seed, "admission").At(0)
		rate := int64(1 + draw.IntN(5000))
		m, _ := model.New(model.Documented)
		m.PartitionTarget, m.AccountTarget = rate, 0
		layer := partition.New(partition.Options{Model: m})
		slow := newSlowBucket(rate, m.PartitionBurst)
		place := partition.Place{PartitionKey: "hot"}
		var now clock.Instant
		for n := range 2000 {
			now += clock.Instant(draw.IntN(2_000_000_000 / int(rate)))
			cost := int64(1)
			if draw.IntN(4) == 0 {
				cost = int64(1 + draw.IntN(100))
			}
			got := layer.Admit(now, place, partition.Demand{Entities: cost}, 0).Kind == partition.Admitted
			if want := slow.take(now, cost); got != want {
				t.Fatalf("seed %d: request %d at %d, rate %d, cost %d: admitted = %v; want %v",
					seed, n, now, rate, cost, got, want)
			}
		}
	}
}

func TestNoWindowAdmitsMoreThanItsAllowance(t *testing.T) {
	m, _ := model.New(model.Documented)
	layer := partition.New(partition.Options{Model: m})
	draw := clock.NewStream(7, "windows").At(0)
	const largest = 100
	type admitted struct {
		at   clock.Instant
		cost int64
	}
	var log []admitted
	var now clock.Instant
	for range 20_000 {
		now += clock.Instant(draw.IntN(int(2 * time.Millisecond)))
		cost := int64(1 + draw.IntN(largest))
		if layer.Admit(now, partition.Place{PartitionKey: "hot"}, partition.Demand{Entities: cost}, 0).Kind == partition.Admitted {
			log = append(log, admitted{now, cost})
		}
	}
	var most int64
	for first := range log {
		var sum int64
		for last := first; last < len(log) && last < first+200; last++ {
			sum += log[last].cost
			window := log[last].at.Sub(log[first].at)
			allowed := int64(window)*2000/int64(time.Second) + 200 + largest
			if sum > allowed {
				t.Fatalf("%d entities admitted within %v; want at most %d", sum, window, allowed)
			}
			most = max(most, sum*1000/allowed)
		}
	}
	if most < 800 {
		t.Errorf("the fullest window reached %d thousandths of its allowance; the test offers too little to show anything", most)
	}
}

func TestIdlePartitionsAreForgotten(t *testing.T) {
	m, _ := model.New(model.Documented)
	layer := partition.New(partition.Options{Model: m})
	for n := range 200_000 {
		now := clock.Instant(n) * clock.Instant(time.Millisecond)
		layer.Admit(now, partition.Place{PartitionKey: fmt.Sprint("key", n)}, partition.Demand{Entities: 1}, 0)
	}
	// A key that took one entity is full again after half a millisecond.
	if got := layer.Partitions(); got > 1024 {
		t.Errorf("Partitions() after 200000 keys used once = %d; want at most 1024", got)
	}
}

func TestNothingOverflows(t *testing.T) {
	m, _ := model.New(model.Documented)
	m.PartitionTarget, m.PartitionBurst = 100_000_000, 10*time.Second
	layer := partition.New(partition.Options{Model: m})
	place := partition.Place{PartitionKey: "hot"}
	if got := layer.Admit(0, place, partition.Demand{Entities: 1}, 0).Kind; got != partition.Admitted {
		t.Errorf("Admit at the highest rate = %v; want admitted", got)
	}
	for range 100 {
		layer.Charge(0, place, 1_000_000_000)
	}
	if got := layer.Admit(1, place, partition.Demand{Entities: 1}, 0).Kind; got != partition.PartitionBusy {
		t.Errorf("Admit in debt = %v; want the partition busy", got)
	}
	if got := layer.Admit(clock.Never-1, place, partition.Demand{Entities: 1}, 0).Kind; got != partition.Admitted {
		t.Errorf("Admit after 292 years = %v; want admitted", got)
	}
}

func BenchmarkAdmitKnownKey(b *testing.B) {
	m, _ := model.New(model.Documented)
	layer := partition.New(partition.Options{Model: m})
	places := make([]partition.Place, 64)
	for i := range places {
		places[i] = partition.Place{Table: 1, PartitionKey: fmt.Sprintf("2011 New York City Marathon__%02d", i)}
	}
	b.ReportAllocs()
	var now clock.Instant
	n := 0
	for b.Loop() {
		now += 100_000
		layer.Admit(now, places[n%len(places)], partition.Demand{Entities: 1}, 0)
		n++
	}
}

func TestAdmitOfAKnownKeyDoesNotAllocate(t *testing.T) {
	m, _ := model.New(model.Documented)
	layer := partition.New(partition.Options{Model: m})
	place := partition.Place{PartitionKey: "hot"}
	var now clock.Instant
	if got := testing.AllocsPerRun(1000, func() {
		now += 100_000
		layer.Admit(now, place, partition.Demand{Entities: 1}, 0)
	}); got != 0 {
		t.Errorf("Admit of a known key allocates %v times; want 0", got)
	}
}

// A partition at twice its target for a second: its share, and its burst.
func Example() {
	m, _ := model.New(model.Documented)
	layer := partition.New(partition.Options{Model: m})
	hot := partition.Place{PartitionKey: "2011 New York City Marathon__Full"}
	admitted := 0
	for n := range 4000 {
		at := clock.Instant(n) * clock.Instant(250*time.Microsecond)
		if layer.Admit(at, hot, partition.Demand{Entities: 1}, 0).Kind == partition.Admitted {
			admitted++
		}
	}
	fmt.Println(admitted, "of 4000")
	// Output: 2199 of 4000
}
