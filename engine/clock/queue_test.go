package clock_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
)

type due struct {
	at     clock.Instant
	number uint64
}

// The queue against a sorted slice, over random pushes and pops with many ties: earlier instants
// come first, simultaneous entries by their numbers, and twins both.
func TestQueueAgainstSort(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var q clock.Queue[due]
		var model []due
		for step := range 300 {
			if rng.IntN(5) < 3 || len(model) == 0 {
				d := due{clock.Instant(rng.IntN(20) - 1), uint64(rng.IntN(40)) << (rng.IntN(2) * 58)}
				if rng.IntN(20) == 0 {
					d.at = clock.Never
				}
				q.Push(d.at, d.number, d)
				model = append(model, d)
				continue
			}
			slices.SortFunc(model, func(a, b due) int {
				return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number))
			})
			at, number, ok := q.Peek()
			if poppedAt, got := q.Pop(); got != model[0] || !ok || at != poppedAt || at != got.at || number != got.number {
				t.Fatalf("seed %d, step %d: Pop() = %v at %d behind Peek() = %d, %d; want %v", seed, step, got, poppedAt, at, number, model[0])
			}
			model = model[1:]
			require.Equalf(t, len(model), q.Len(), "seed %d, step %d: Len()", seed, step)
		}
	}
}

func TestEmptyQueue(t *testing.T) {
	var q clock.Queue[due]
	at, number, ok := q.Peek()
	assert.Truef(t, !ok && at == clock.Never && number == 0, "Peek() of an empty queue = %v, %d, %v", at, number, ok)
	defer func() {
		got := fmt.Sprint(recover())
		assert.Truef(t, strings.HasPrefix(got, "clock: "), "Pop() of an empty queue panicked with %q", got)
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
	assert.Zerof(t, allocated, "a push and a pop allocate %v times once the queue has grown", allocated)
}
