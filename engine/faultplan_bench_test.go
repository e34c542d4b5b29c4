package engine_test

import (
	"testing"
	"time"

	"loadgen/engine"
)

func BenchmarkDecideAndRelease(b *testing.B) {
	plan := engine.FaultPlan{Rules: []engine.FaultRule{freeze(5*s, 6*s), delay(0, s, s), drop(engine.FaultAfter, 0, s, 0)}}
	b.ReportAllocs()
	var sum time.Duration
	draw := uint64(0)
	for b.Loop() {
		draw++
		sum += plan.Decide(5*s, "2011 New York City Marathon__Full", draw).Release(5 * s)
	}
	if sum == 0 {
		b.Fatal("nothing was released")
	}
}
