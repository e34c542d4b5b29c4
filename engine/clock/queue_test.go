package clock_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loadgen/engine/clock"
)

type due struct {
	at     clock.Instant
	number uint64
}

func drain(q *clock.Queue[due]) []due {
	var out []due
	for q.Len() > 0 {
		at, number, ok := q.Peek()
		poppedAt, what := q.Pop()
		if !ok || at != poppedAt || number != what.number || at != what.at {
			panic("Peek and Pop differ, or an entry came out under another's instant")
		}
		out = append(out, what)
	}
	return out
}

func TestQueueOrder(t *testing.T) {
	for _, row := range []struct {
		name string
		in   []due
		want []due
	}{
		{"an empty queue yields nothing", nil, nil},
		{"one entry comes out", []due{{5, 1}}, []due{{5, 1}}},
		{"earlier instants first", []due{{3, 1}, {1, 2}, {2, 3}}, []due{{1, 2}, {2, 3}, {3, 1}}},
		{"simultaneous entries by number, not by arrival", []due{{7, 30}, {7, 10}, {7, 20}}, []due{{7, 10}, {7, 20}, {7, 30}}},
		{"the number never beats the instant", []due{{2, 0}, {1, 1 << 63}}, []due{{1, 1 << 63}, {2, 0}}},
		{"negative instants, zero and never", []due{{clock.Never, 0}, {0, 0}, {-1, 0}}, []due{{-1, 0}, {0, 0}, {clock.Never, 0}}},
		{"twins both come out", []due{{1, 1}, {1, 1}}, []due{{1, 1}, {1, 1}}},
	} {
		var q clock.Queue[due]
		for _, d := range row.in {
			q.Push(d.at, d.number, d)
		}
		if got := drain(&q); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v came out as %v; want %v", row.name, row.in, got, row.want)
		}
	}
}

// The queue against a sorted slice, over random pushes and pops with many ties.
func TestQueueAgainstSort(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var q clock.Queue[due]
		var model []due
		for step := range 300 {
			if rng.IntN(5) < 3 || len(model) == 0 {
				d := due{clock.Instant(rng.IntN(20)), uint64(step)*7919%1000 + uint64(step)<<10}
				q.Push(d.at, d.number, d)
				model = append(model, d)
				continue
			}
			slices.SortFunc(model, func(a, b due) int {
				return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number))
			})
			if _, got := q.Pop(); got != model[0] {
				t.Fatalf("seed %d, step %d: Pop() = %v; want %v", seed, step, got, model[0])
			}
			model = model[1:]
			if q.Len() != len(model) {
				t.Fatalf("seed %d, step %d: Len() = %d; want %d", seed, step, q.Len(), len(model))
			}
		}
	}
}

func TestEmptyQueue(t *testing.T) {
	var q clock.Queue[due]
	if at, number, ok := q.Peek(); ok || at != clock.Never || number != 0 {
		t.Errorf("Peek() of an empty queue = %v, %d, %v; want Never, 0, false", at, number, ok)
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "clock: ") {
			t.Errorf("Pop() of an empty queue panicked with %q; want a text that begins with the package", got)
		}
	}()
	q.Pop()
}

func TestAGrownQueueAllocatesNothing(t *testing.T) {
	var q clock.Queue[*int]
	allocated := testing.AllocsPerRun(100, func() {
		q.Push(1, 1, nil)
		q.Push(0, 2, nil)
		q.Pop()
		q.Pop()
	})
	if allocated > 0 {
		t.Errorf("a push and a pop allocate %v times once the queue has grown; want 0", allocated)
	}
}
