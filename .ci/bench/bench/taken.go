package bench

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/compare/statistics"
	"loadgen/scenarios/run"
	"loadgenbench/process"
)

// Taken is what others had of the machine while it was measured on.
type Taken struct {
	// Got is which share of its cores this process got when it kept all of them busy for a
	// moment, once a round: the median and the least.
	Got   float64 `json:"got"`
	Least float64 `json:"least_got"`
	// Others is how many cores other programs kept busy on the average, between those moments,
	// what a host took away included; nil where the system does not tell.
	Others *float64 `json:"others_cores,omitempty"`
}

// spinFor is how long all cores are kept busy to see how many there are.
const spinFor = 20 * time.Millisecond

// taken watches what others take.
type taken struct {
	clock  clock.Real
	shares []float64
	// began is when watching did, busy and self what machine and this process had used by then.
	began      clock.Instant
	busy, self time.Duration
	told       bool
}

func (t *taken) begin(clk clock.Real) {
	t.clock = clk
	t.began = clk.Now()
	t.busy, t.told = process.Busy()
	t.self = process.Family()
}

// look keeps all cores busy for a moment and records their number.
func (t *taken) look(clk clock.Real) {
	cores := runtime.GOMAXPROCS(0)
	before, told := run.CPU()
	if !told {
		return
	}
	began := clk.Now()
	until := began.Add(spinFor)
	var spinning sync.WaitGroup
	for range cores {
		spinning.Go(func() {
			for clk.Now() < until {
			}
		})
	}
	spinning.Wait()
	after, _ := run.CPU()
	lasted := clk.Now().Sub(began)
	t.shares = append(t.shares, min(1, float64(after-before)/(float64(lasted)*float64(cores))))
}

func (t *taken) end() Taken {
	var found Taken
	if len(t.shares) > 0 {
		found.Got, found.Least = statistics.Median(t.shares), slices.Min(t.shares)
	}
	busy, told := process.Busy()
	if lasted := t.clock.Now().Sub(t.began); told && t.told && lasted > 0 {
		others := max(0, (busy-t.busy)-(process.Family()-t.self)).Seconds() / lasted.Seconds()
		found.Others = &others
	}
	return found
}
