package backoff_test

import (
	"testing"
	"time"
)

func BenchmarkExponentialWait(b *testing.B) {
	b.ReportAllocs()
	var sum time.Duration
	x := 0
	for b.Loop() {
		x = x%6 + 1
		sum += short.Wait(x, 0.3)
	}
	if sum <= 0 {
		b.Fatal("no wait at all")
	}
}
