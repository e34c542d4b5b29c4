package partition_test

import (
	"fmt"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
)

func TestIdleStampComesToRest(t *testing.T) {
	layer := cold(t)
	if got := layer.NextEvent(); got != clock.Never {
		t.Errorf("NextEvent() of a new layer = %v; want never", got)
	}
	l := newLoad(layer, 1)
	l.count(0, 400*second, even(2500, "a", "b")...)
	if got, now := layer.NextEvent(), layer.Advance(0); got == clock.Never || got <= now {
		t.Errorf("NextEvent() under load = %v at %v; want the next tick", got, now)
	}
	layer.Advance(3 * 3600 * second)
	if got, ranges := layer.NextEvent(), len(layer.Map().Ranges); got != clock.Never || ranges != 1 {
		t.Errorf("NextEvent() after hours of rest = %v, %d ranges; want never, 1", got.Offset(), ranges)
	}
	// Nothing is due, so a century takes no time.
	layer.Events()
	layer.Advance(100 * 365 * 24 * 3600 * second)
	if events := layer.Events(); len(events) > 0 {
		t.Errorf("Events() of a century of rest = %v; want none", events)
	}
	// A year of the busiest stamp is about 75 splits and merges a day for 300
	// servers; one at rest has none, and wakes where it was.
	if v := layer.Admit(0, partition.Place{PartitionKey: "a"}, one, 0); v.Kind != partition.Admitted {
		t.Errorf("Admit after a century = %v; want admitted", v.Kind)
	}
}

func TestTimeIsClamped(t *testing.T) {
	layer := cold(t)
	layer.Admit(100*second, partition.Place{PartitionKey: "a"}, one, 0)
	if got := layer.Advance(50 * second); got != 100*second {
		t.Errorf("Advance(50s) after 100s = %v; want 100s", got.Offset())
	}
	if v := layer.Admit(50*second, partition.Place{PartitionKey: "a"}, one, 0); v.Kind != partition.Admitted {
		t.Errorf("Admit at an earlier instant = %v; want admitted", v.Kind)
	}
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
		if layer.Version() == before {
			t.Errorf("%s: Version() = %d as before; want another", step.sentence, before)
		}
	}
}

func TestColdMemoryStaysFlat(t *testing.T) {
	layer := cold(t, append(twentieth, "servers=4")...)
	l := newLoad(layer, 1)
	marks := func() (ranges, keys int) { return len(layer.Map().Ranges), layer.Partitions() }
	l.count(0, 900*second, source{rate: 300, demand: one, key: func(n int) string { return fmt.Sprint(n) }})
	ranges, keys := marks()
	l.count(900*second, 1800*second, source{rate: 300, demand: one, key: func(n int) string { return fmt.Sprint(n) }})
	layer.Events()
	if r, k := marks(); r > 40 || k > keys+2048 {
		t.Errorf("%d ranges and %d keys after twice the time, %d and %d before; want no more", r, k, ranges, keys)
	}
}

// A slow client's time-out falls into the pipeline: what had begun is done.
func TestTimeoutInThePipeline(t *testing.T) {
	m := modelOf(t, model.Headroom, "pipeline_request=10ms", "pipeline_entity=0s", "pending_low=1s", "pending_high=2s")
	layer := partition.New(partition.Options{Model: m, Cold: true})
	rows := []struct {
		sentence string
		timeout  time.Duration
		want     partition.Verdict
	}{
		{"the first is worked on at once", 0, partition.Verdict{Kind: partition.Admitted, Wait: 10 * time.Millisecond}},
		{"the second waits for it", 0, partition.Verdict{Kind: partition.Admitted, Wait: 20 * time.Millisecond}},
		{"one that waits for less than that gives up", 15 * time.Millisecond, partition.Verdict{Kind: partition.TimedOut, Wait: 15 * time.Millisecond}},
		{"one that gives up while it is worked on", 25 * time.Millisecond, partition.Verdict{Kind: partition.TimedOut, Wait: 25 * time.Millisecond, Performed: true}},
		{"has occupied the pipeline all the same", 0, partition.Verdict{Kind: partition.Admitted, Wait: 40 * time.Millisecond}},
	}
	for _, row := range rows {
		row.want.Range = 1
		got := layer.Admit(second, partition.Place{PartitionKey: "a"}, partition.Demand{Entities: 1, Timeout: row.timeout}, 0)
		if got != row.want {
			t.Errorf("%s: Admit = %+v; want %+v", row.sentence, got, row.want)
		}
	}
}

func TestEventsThatNobodyAsksForAreBounded(t *testing.T) {
	layer := cold(t, "offline_least=0s", "offline_most=0s", "split_pause=0s", "servers=2")
	p := partition.Place{PartitionKey: "a"}
	layer.Admit(0, p, one, 0)
	for n := range 70_000 {
		layer.Move(clock.Instant(n), p, (n+1)%2)
	}
	if got := len(layer.Events()); got != 65_536 {
		t.Errorf("len(Events()) after 70000 moves = %d; want 65536", got)
	}
}

func TestAdmitOfAKnownKeyColdDoesNotAllocate(t *testing.T) {
	layer, places := prewarmed(t, modelOf(t, model.Documented), 10, 3, 10)
	var now clock.Instant
	n := 0
	admit := func() {
		now += 100_000
		layer.Admit(now, places[n%10], one, 0)
		n++
	}
	for range 20 {
		admit()
	}
	if got := testing.AllocsPerRun(1000, admit); got != 0 {
		t.Errorf("Admit of a known key allocates %v times; want 0", got)
	}
}
