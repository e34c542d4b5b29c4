package store_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
	"loadgen/engine/wire"
)

// BenchmarkInsertBesidePages measures what an insert costs its own thread, alone
// and while another thread reads and renders page after page of the same
// partition.
func BenchmarkInsertBesidePages(b *testing.B) {
	for _, row := range []struct {
		name   string
		beside bool
	}{{"alone", false}, {"beside", true}} {
		b.Run(row.name, func(b *testing.B) {
			const before, most = 20_000, 50_000
			keys := make([]entity.Key, most)
			for i := range keys {
				keys[i] = key("Full", rowKey(before+i*7919%most))
			}
			c := entity.Change{Verb: entity.Insert, Properties: registration()}
			var s atomic.Pointer[store.Store]
			s.Store(loaded(b, before))
			stop := func() {}
			if row.beside {
				stop = readPages(&s)
			}
			defer stop()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			used := int64(0)
			b.ReportAllocs()
			b.ResetTimer()
			for done := 0; done < b.N; {
				if done > 0 {
					b.StopTimer()
					s.Store(loaded(b, before))
					b.StartTimer()
				}
				some, begun := min(most, b.N-done), threadTime(b)
				for i := range some {
					c.Key = keys[i]
					s.Load().Apply(table, &c, start)
				}
				used += threadTime(b) - begun
				done += some
			}
			b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/insert")
		})
	}
}

// readPages reads and renders pages, one after the other, until stop is called,
// which waits for the end.
func readPages(s *atomic.Pointer[store.Store]) (stop func()) {
	var ended atomic.Bool
	var wait sync.WaitGroup
	wait.Go(func() {
		var room []byte
		r := wire.Rendering{Base: wire.Base{URL: "http://127.0.0.1/races"}, Table: table}
		for i := 0; !ended.Load(); i++ {
			page, _ := s.Load().Scan(table, store.Query{Range: filter.RowsFrom("Full", fmt.Sprintf("%08d", i%20*1000))})
			room = r.AppendPageStart(room[:0])
			for i := range page.Rows {
				room = r.AppendRow(room, i == 0, page.Rows[i].Key, page.Rows[i].Entity, nil)
			}
			room = r.AppendPageEnd(room)
		}
	})
	return func() {
		ended.Store(true)
		wait.Wait()
	}
}

// threadTime returns the processor time of this thread, in nanoseconds.
func threadTime(b *testing.B) int64 {
	const thisThread = 1
	var used syscall.Rusage
	if err := syscall.Getrusage(thisThread, &used); err != nil {
		b.Fatal(err)
	}
	return used.Utime.Nano() + used.Stime.Nano()
}
