package series

import (
	"testing"

	"loadgen/scenarios"
)

// BenchmarkContest is three designs, one seed, ten virtual minutes at 5,000 operations/s
// without retries, under one profile and under both.
func BenchmarkContest(b *testing.B) {
	for _, mode := range []struct {
		name string
		both bool
	}{{"one-profile", false}, {"both-profiles", true}} {
		b.Run(mode.name, func(b *testing.B) {
			s, err := scenarios.Builtin("day-key")
			if err != nil {
				b.Fatal(err)
			}
			for _, set := range [][2]string{{"phases.report.for", "10m"}, {"phases.report.arrivals.constant", "5000"}} {
				if err := s.Set(set[0], set[1]); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for range b.N {
				p := contestOf(b, s, 1, "device", "day", "hour")
				p.Run.Rival = mode.both
				contested(b, p)
			}
		})
	}
}
