package target_test

import (
	"testing"

	"loadgen/engine"
	"loadgen/target"
)

func BenchmarkVirtualSubmit(b *testing.B) {
	plan := engine.FaultPlan{Rules: []engine.FaultRule{all(engine.FaultFreeze, s, 2*s)}}
	wrapped := target.WrapImmediateFaults(&service{}, plan, 1)
	op := faultedInsert(0, "p")
	b.ReportAllocs()
	for b.Loop() {
		op.Number++
		wrapped.Submit(0, op)
	}
}
