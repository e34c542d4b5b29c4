package clock_test

import (
	"fmt"
	"time"

	"loadgen/engine/clock"
)

// A simulation of three operations: each one's think time is drawn from its own
// number, and the queue says what happens next.
func Example() {
	thinking := clock.NewStream(2011, "thinking")
	var now clock.Virtual
	var queue clock.Queue[string]
	for number, runner := range []string{"Ada", "Ben", "Cleo"} {
		draw := thinking.At(uint64(number))
		wait := time.Duration(draw.IntN(1000)) * time.Millisecond
		queue.Push(now.Now().Add(wait), uint64(number), runner)
	}
	for queue.Len() > 0 {
		at, runner := queue.Pop()
		now.AdvanceTo(at)
		fmt.Println(now.Now().Offset(), runner)
	}
	// Output:
	// 101ms Cleo
	// 183ms Ada
	// 728ms Ben
}
