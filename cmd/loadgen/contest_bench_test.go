package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkContest is three designs, one seed, ten virtual minutes at 5,000 operations/s
// without retries, under one profile and under both.
func BenchmarkContest(b *testing.B) {
	for _, mode := range []struct {
		name string
		more []string
	}{{"one-profile", []string{"--one-profile"}}, {"both-profiles", nil}} {
		b.Run(mode.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				var stdout, stderr bytes.Buffer
				args := append([]string{"contest", "day-key", "--designs", "device,day,hour", "--seeds", "1", "--retry", "none", "--quiet",
					"--set", "phases.report.for=10m", "--set", "phases.report.arrivals.constant=5000", "--out", filepath.Join(b.TempDir(), "contest")}, mode.more...)
				if code := run(context.Background(), args, strings.NewReader(""), &stdout, &stderr); code != codeOk {
					b.Fatalf("exit code %d: %s", code, stderr.String())
				}
			}
		})
	}
}
