//go:build long

package serve_test

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
)

var overload = flag.Duration("overload", 20*time.Minute, "how long a service is asked for twice its capacity")

// settled returns how many goroutines there are, and how much memory is held, in bytes.
func settled() (goroutines int, bytes uint64) {
	runtime.GC()
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return runtime.NumGoroutine(), now.HeapAlloc
}

// Twice of what a service serves is asked of it for twenty minutes: half is throttled, and
// at the end goroutines and memory are as at the start.
func TestSoakOverload(t *testing.T) {
	const capacity, clients, rows = 300, 16, 2000
	s := open(t, serve.Options{DataDir: t.TempDir(), Set: []string{fmt.Sprintf("model.account_target=%d", capacity)}})
	s.Must(entity.CreateTable, "Races", "", "")
	var ok, throttled, failed atomic.Int64
	// run asks for a while; the first time is to warm up.
	run := func(lasts time.Duration) {
		clk := clock.NewReal()
		client := resttest.Dial(t, s.ConnectionString())
		defer client.Close()
		var wait sync.WaitGroup
		for i := range clients {
			wait.Go(func() {
				const each = time.Second * clients / (2 * capacity)
				for n := 0; clk.Now().Offset() < lasts; n++ {
					switch got := client.Try(entity.InsertOrReplace, "Races", fmt.Sprint(i), fmt.Sprint(n%rows), everyType()...); {
					case got.Status == 503:
						throttled.Add(1)
					case got.Code == entity.OK && got.Status != 0:
						ok.Add(1)
					default:
						failed.Add(1)
					}
					if clk.Sleep(t.Context(), clock.Instant(each*time.Duration(n+1))) != nil {
						return
					}
				}
			})
		}
		wait.Wait()
	}
	run(min(*overload/4, time.Minute))
	goroutines, bytes := settled()
	run(*overload)
	after, held := settled()
	t.Logf("%v at twice %d/s: %d ok, %d throttled, %d failed; %d goroutines and %d MiB before, %d and %d after",
		*overload, capacity, ok.Load(), throttled.Load(), failed.Load(), goroutines, bytes>>20, after, held>>20)
	assert.True(t, after <= goroutines+clients && held <= 2*bytes+(64<<20) && failed.Load() <= 0 && throttled.Load() >= ok.Load()/2,
		"want half of it throttled, none failed, and goroutines and memory as before")
}
