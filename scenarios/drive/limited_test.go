package drive_test

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
)

// limited is a stage of 300 operations a second whose gets may send 100 attempts a second, 20
// at once; inserts go as they come.
func limited(t testing.TB, grace time.Duration) *drive.Stage {
	stage := openStage(t, short, grace, arrival.Step{Rate: 300, Length: 3 * time.Second})
	stage.Limits = []*drive.RateLimit{{Rate: 100, Burst: 20}, nil}
	return stage
}

// sentAt returns when the attempts of a kind were sent, in order.
func (a *sentAgain) sentAt(kind int) []time.Duration {
	var all []time.Duration
	for _, list := range a.of {
		for _, one := range list {
			if one.Kind == kind {
				all = append(all, one.Sent)
			}
		}
	}
	slices.Sort(all)
	return all
}

// What a rate limit lets go is bounded in every stretch of time; what it holds back waits from
// the intended instant on, which response times show and the generator's lag does not; and a
// live run has the very record of the virtual one.
func TestOperationsAreHeldToTheirLimit(t *testing.T) {
	seen := new(sentAgain)
	target := &fake{refuse: 200, took: time.Millisecond}
	virtual, folder, err := outing(t, context.Background(), &drive.Virtual{Target: target}, []drive.Observer{seen}, limited(t, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	gets := seen.sentAt(0)
	for from := range gets {
		for to := from; to < len(gets); to++ {
			if most := 20 + int64((gets[to]-gets[from])*100/time.Second); int64(to-from+1) > most {
				t.Fatalf("%d gets were sent within %v; want at most %d", to-from+1, gets[to]-gets[from], most)
			}
		}
	}
	get, insert := virtual.Phases[0].Kinds[0], virtual.Phases[0].Kinds[1]
	if get.Scheduled != 720 || get.Sent != 720 || get.Operations != 720 || get.Attempts != int64(len(gets)) || get.Attempts <= 720 || get.Cut != 0 {
		t.Errorf("gets: %d due, %d sent, %d ended, %d attempts of %d that the target saw; want 720 of all, and their retries",
			get.Scheduled, get.Sent, get.Operations, get.Attempts, len(gets))
	}
	if get.Late != 0 || insert.Late != 0 || insert.LimitHeld != 0 {
		t.Errorf("%d gets and %d inserts were late, %d inserts held back; want none: the generator was on time", get.Late, insert.Late, insert.LimitHeld)
	}
	if held := virtual.LimitWaits.Count(); held != get.LimitHeld || held < 600 {
		t.Errorf("%d waits for the limit, of %d attempts; want the same, most of the gets", held, get.LimitHeld)
	}
	// 720 gets and their retries at 100/s take more than 6 s, and the last were due after 3.
	if longest := results.QuantilesOf(get.Response).Max; longest == nil || *longest < 4_000_000 {
		t.Errorf("the slowest get took %v µs from its intended instant; want 4 s and more", longest)
	}
	if slowest := results.QuantilesOf(insert.Response).P50; slowest == nil || *slowest > 10_000 {
		t.Errorf("half of the inserts took %v µs; want them as without a limit", slowest)
	}
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		f := &fake{clock: clk, refuse: 200, took: time.Millisecond}
		live, liveFolder, err := outing(t, context.Background(), &drive.Live{Clock: clk, Target: f, Workers: 64}, nil, limited(t, time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(live, virtual) || !reflect.DeepEqual(liveFolder.Bytes(results.IntervalsFile), folder.Bytes(results.IntervalsFile)) {
			t.Errorf("the live record differs from the virtual one: %+v; want %+v", live.Total(results.Everything), virtual.Total(results.Everything))
		}
	})
}

// What is still held back when the stage ends was never sent: offered less what was held is
// what the target saw, and the accounts close.
func TestWhatIsHeldToTheEndIsCut(t *testing.T) {
	target := &fake{took: time.Millisecond}
	record, _ := virtually(t, target, limited(t, time.Second))
	get := record.Phases[0].Kinds[0]
	sum := record.Total(results.Everything)
	if get.Scheduled-get.Cut != get.Attempts || get.Cut == 0 || get.Dropped != 0 || get.Succeeded != get.Attempts {
		t.Errorf("%d gets due, %d cut, %d attempts, %d succeeded; want due less cut to be sent and to succeed", get.Scheduled, get.Cut, get.Attempts, get.Succeeded)
	}
	// Four seconds at 100/s and the burst of 20.
	if get.Attempts < 415 || get.Attempts > 420 {
		t.Errorf("%d gets were sent; want four seconds of the limit, 420 with its burst", get.Attempts)
	}
	if sum.Attempts != int64(len(target.ops)) || sum.Operations != sum.Sent || sum.Response.Count()+sum.Lost.Count() != sum.Operations {
		t.Errorf("%d attempts of %d, %d operations of %d sent; want the accounts to close", sum.Attempts, len(target.ops), sum.Operations, sum.Sent)
	}
	for _, row := range record.Intervals {
		if row.InFlight < 0 || row.InFlight > 10 {
			t.Errorf("second %d: %d attempts under way; want the few that take a millisecond, not those held back", row.Second, row.InFlight)
		}
	}
}
