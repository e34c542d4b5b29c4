package drive_test

import (
	"context"
	"math/big"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
)

// sentAgain keeps those of each operation, in their order.
type sentAgain struct {
	mu sync.Mutex
	of map[uint64][]results.Attempt
}

func (a *sentAgain) Attempt(one *results.Attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = make(map[uint64][]results.Attempt)
	}
	a.of[one.Number] = append(a.of[one.Number], *one)
}

func (a *sentAgain) Completed(*results.Completed) {}

// patientInserts is a stage whose inserts try again by a formula of their own.
func patientInserts(t testing.TB) *drive.Stage {
	policy, err := backoff.ByName("exponential z=200ms min=30ms max=4s tries=6 first=0")
	if err != nil {
		t.Fatal(err)
	}
	stage := openStage(t, short, time.Minute, arrival.Step{Rate: 300, Length: 2 * time.Second})
	stage.Retries = []*backoff.Policy{nil, &policy}
	return stage
}

// formulaWait is min(zmin + z·(0.8 + 0.4·chance)·(2^x − 1), zmax) in decimal arithmetic.
func formulaWait(z, least, most time.Duration, x int, chance float64) time.Duration {
	number := func(d time.Duration) *big.Float { return new(big.Float).SetPrec(200).SetInt64(int64(d)) }
	factor := new(big.Float).SetPrec(200).SetFloat64(chance)
	factor.Mul(factor, big.NewFloat(4)).Add(factor, big.NewFloat(8)).Quo(factor, big.NewFloat(10))
	wait := number(z)
	wait.Mul(wait, factor).Mul(wait, new(big.Float).SetInt64(1<<x-1)).Add(wait, number(least))
	whole, _ := wait.Int64()
	return min(time.Duration(whole), most)
}

// Each kind of operation waits by its own policy: every wait is that of the formula, computed
// anew, and a live run has the same ones.
func TestOperationsRetryByTheirOwnPolicy(t *testing.T) {
	seen := new(sentAgain)
	stage := patientInserts(t)
	virtual, folder, err := outing(t, context.Background(), &drive.Virtual{Target: &fake{refuse: 600, took: time.Millisecond}}, []drive.Observer{seen}, stage)
	if err != nil {
		t.Fatal(err)
	}
	waits, most := 0, []int{0, 0}
	for number, list := range seen.of {
		most[list[0].Kind] = max(most[list[0].Kind], len(list))
		for i := 1; i < len(list); i++ {
			draw := stage.Chance.Try(number, i-1)
			want := formulaWait(100*time.Millisecond, 50*time.Millisecond, 2*time.Second, i, draw.Float64())
			if list[i].Kind == 1 {
				draw = stage.Chance.Try(number, i-1)
				want = formulaWait(200*time.Millisecond, 30*time.Millisecond, 4*time.Second, i-1, draw.Float64())
			}
			if got := list[i].Sent - list[i-1].Done; got > want || want-got > 3 {
				t.Fatalf("operation %d of kind %d waits %v before retry %d; want %v", number, list[i].Kind, got, i, want)
			}
			waits++
		}
	}
	if waits < 300 || most[0] != 4 || most[1] != 6 {
		t.Errorf("%d waits, at most %d attempts by the stage's policy and %d by their own; want hundreds, 4 and 6", waits, most[0], most[1])
	}
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		f := &fake{clock: clk, refuse: 600, took: time.Millisecond}
		live, liveFolder, err := outing(t, context.Background(), &drive.Live{Clock: clk, Target: f, Workers: 64}, nil, patientInserts(t))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(live, virtual) || !reflect.DeepEqual(liveFolder.Bytes(results.IntervalsFile), folder.Bytes(results.IntervalsFile)) {
			t.Errorf("the live record differs from the virtual one: %+v; want %+v", live.Total(results.Everything), virtual.Total(results.Everything))
		}
	})
}
