package fault_test

import (
	"testing"

	enginefault "loadgen/engine/fault"
	"loadgen/target/fault"
)

func BenchmarkVirtualSubmit(b *testing.B) {
	plan := enginefault.Plan{Rules: []enginefault.Rule{all(enginefault.Freeze, s, 2*s)}}
	wrapped := fault.WrapImmediate(&service{}, plan, 1)
	op := insert(0, "p")
	b.ReportAllocs()
	for b.Loop() {
		op.Number++
		wrapped.Submit(0, op)
	}
}
