package drive_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// nowhere answers every attempt by its number alone: whether it is throttled, and after how
// long, so that what becomes of an operation is the same whoever sends it.
type nowhere struct {
	refuse int
	// slowest bounds how long an attempt takes, 0 for no time at all.
	slowest time.Duration
}

func (n nowhere) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	draw := clock.NewStream(9, "null").Try(op.Number, op.Attempt)
	if n.slowest > 0 {
		now = now.Add(time.Duration(draw.IntN(int(n.slowest))))
	}
	if draw.IntN(1000) < n.refuse {
		return target.Outcome{Status: 503, Code: entity.ServerBusy}, now
	}
	return target.Outcome{Status: 204, Counted: op.Entities()}, now
}

// splitCase is some stages that follow one another, and in how many parts they are sent.
type splitCase struct {
	nowhere
	of     int
	stages []func() *drive.Stage
}

func drawSplit(t testing.TB, rng *rand.Rand) *splitCase {
	c := &splitCase{nowhere: nowhere{refuse: rng.IntN(3) * 150, slowest: time.Duration(rng.IntN(3)) * 40 * time.Millisecond}, of: 1 + rng.IntN(6)}
	policies := []backoff.Policy{{}, short}
	for range 1 + rng.IntN(3) {
		policy := policies[rng.IntN(len(policies))]
		switch rng.IntN(4) {
		case 0: // a closed loop of a number of operations
			lanes, count := c.of+rng.IntN(9), uint64(rng.IntN(200))
			c.stages = append(c.stages, func() *drive.Stage { return closedStage(policy, lanes, count, day) })
		case 1: // users that think, as many for each part, of a target that takes no time
			c.nowhere = nowhere{}
			lanes := c.of * (1 + rng.IntN(3))
			c.stages = append(c.stages, func() *drive.Stage { return thinkingStage(lanes, 210*time.Millisecond, 3*time.Second) })
		default:
			var list []arrival.Step
			for range 1 + rng.IntN(3) {
				list = append(list, arrival.Step{Rate: 1 + float64(rng.IntN(90)), Length: time.Duration(1+rng.IntN(3)) * time.Second})
			}
			jitter, grace := rng.IntN(2) == 0, time.Duration(rng.IntN(2))*5*time.Second
			c.stages = append(c.stages, func() *drive.Stage {
				stage := openStage(t, policy, grace, list...)
				if jitter {
					stage.Schedule = arrival.NewJittered(steps(t, list...), clock.NewStream(4, "arrivals"))
				}
				return stage
			})
		}
	}
	return c
}

func thinkingStage(lanes int, think, lasts time.Duration) *drive.Stage {
	stage := closedStage(backoff.Policy{}, lanes, uint64(lanes)*1000, 0)
	stage.Think, stage.For, stage.Grace, stage.WholeSecond = func(uint64) time.Duration { return think }, lasts, 5*time.Second, true
	stage.Phases = []results.Phase{{Name: "users", End: lasts, Reported: true}}
	return stage
}

// part is one of the processes.
type part struct {
	runner *drive.Virtual
	ledger *drive.Ledger
	folder *results.Memory
}

// play sends the stages in so many parts, each stage of which begins where all have ended
// the one before, and returns their records.
func (c *splitCase) play(t testing.TB, of int) []results.MergePart {
	t.Helper()
	parts := make([]part, max(1, of))
	for i := range parts {
		folder := new(results.Memory)
		recorder, err := results.NewRecorder(folder, results.Manifest{Operations: kinds})
		if err != nil {
			t.Fatal(err)
		}
		parts[i] = part{&drive.Virtual{Target: c.nowhere}, &drive.Ledger{Recorder: recorder}, folder}
	}
	first := uint64(0)
	begins := clock.Instant(time.Second)
	for _, stage := range c.stages {
		for i, p := range parts {
			one := stage()
			one.First, one.At = first, begins
			if of > 0 {
				one.Share = drive.Share{Index: i, Of: of}
			}
			if err := p.runner.Run(context.Background(), one, p.ledger); err != nil {
				t.Fatal(err)
			}
		}
		first += stage().Due()
		for _, p := range parts {
			begins = max(begins, p.runner.Now().NextSecond())
		}
	}
	var list []results.MergePart
	for i, p := range parts {
		if err := p.ledger.Recorder.Finish(begins.Offset(), results.Valid, nil, nil); err != nil {
			t.Fatal(err)
		}
		record, err := results.Read(p.folder)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, results.MergePart{Name: fmt.Sprint("share ", i), Record: record})
	}
	return list
}

// Drawn stages that are sent in parts and put together again are those that one process
// sends: count for count, bucket for bucket, and of open loops second for second; and each
// part sends as many operations as its share of the plan.
func TestSharesAreTheWhole(t *testing.T) {
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 28))
		c := drawSplit(t, rng)
		whole, parts := c.play(t, 0)[0].Record, c.play(t, c.of)
		sum, err := results.Merge(parts)
		if err != nil {
			t.Fatalf("seed %d, %d parts: %v", seed, c.of, err)
		}
		name := fmt.Sprintf("seed %d, %d parts", seed, c.of)
		p := 0
		for _, stage := range c.stages {
			one := stage()
			for range one.Phases {
				sameKinds(t, fmt.Sprintf("%s, phase %d", name, p), sum.Phases[p].Kinds, whole.Phases[p].Kinds)
				if one.Timed() && (sum.Phases[p].Begin != whole.Phases[p].Begin || sum.Phases[p].End != whole.Phases[p].End) {
					t.Errorf("%s: phase %d is from %v to %v; want %v to %v", name, p, sum.Phases[p].Begin, sum.Phases[p].End, whole.Phases[p].Begin, whole.Phases[p].End)
				}
				for i := range parts {
					if one.Think != nil {
						continue // it is known only afterwards how many there are
					}
					if got, want := scheduled(&parts[i].Record.Phases[p]), planned(one, p-firstPhase(c, p), i, c.of); got != want {
						t.Errorf("%s: share %d of phase %d has %d operations; want %d", name, i, p, got, want)
					}
				}
				p++
			}
		}
		if !slices.ContainsFunc(c.stages, func(s func() *drive.Stage) bool { return !s().Timed() }) {
			sameSeconds(t, name, sum.Intervals, whole.Intervals)
		}
		if !slices.Equal(sum.Lag.Bars(), whole.Lag.Bars()) || !slices.Equal(sum.RetryWaits.Bars(), whole.RetryWaits.Bars()) {
			t.Errorf("%s: the lag or the waits differ", name)
		}
		if c.of == 1 && !reflect.DeepEqual(parts[0].Record, whole) {
			t.Errorf("%s: one share is not the whole", name)
		}
	}
}

// firstPhase returns the number of the first phase of the stage that a phase is of.
func firstPhase(c *splitCase, phase int) int {
	at := 0
	for _, stage := range c.stages {
		next := at + len(stage().Phases)
		if phase < next {
			return at
		}
		at = next
	}
	return at
}

// planned counts a share's operations in a phase of a stage, one by one.
func planned(stage *drive.Stage, phase, index, of int) (n int64) {
	for k := range stage.Due() {
		in := true
		if stage.Schedule != nil {
			at := stage.Schedule.At(k)
			in = stage.Phases[phase].Begin <= at && at < stage.Phases[phase].End
		}
		if in && int(k)%of == index {
			n++
		}
	}
	return n
}

func scheduled(p *results.Phase) (n int64) {
	for k := range p.Kinds {
		n += p.Kinds[k].Scheduled
	}
	return n
}

func sameKinds(t *testing.T, name string, got, want []results.KindStats) {
	t.Helper()
	for k := range want {
		a, b := got[k], want[k]
		pairs := [][2]*results.Histogram{{a.Response, b.Response}, {a.Lost, b.Lost}}
		for c := results.Ok; c <= results.Failed; c++ {
			pairs = append(pairs, [2]*results.Histogram{a.Service[c], b.Service[c]})
		}
		for i, pair := range pairs {
			if !slices.Equal(pair[0].Bars(), pair[1].Bars()) {
				t.Errorf("%s: histogram %d of kind %d is %v; want %v", name, i, k, pair[0].Bars(), pair[1].Bars())
			}
		}
		a.Response, a.Lost, a.Service, b.Response, b.Lost, b.Service = nil, nil, results.ByClass{}, nil, nil, results.ByClass{}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: kind %d is %+v; want %+v", name, k, a, b)
		}
	}
}

func sameSeconds(t *testing.T, name string, got, want []results.Interval) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d seconds; want %d", name, len(got), len(want))
	}
	for i := range want {
		a, b := got[i], want[i]
		for _, one := range []*results.Interval{&a, &b} {
			one.Response, one.Service, one.Lag = results.Quantiles{}, results.Quantiles{}, results.Quantiles{}
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: second %d is\n%+v; want\n%+v", name, i, a, b)
		}
	}
}

// Of more parts than there are operations or users, some have nothing to do, and end.
func TestShareOfLittle(t *testing.T) {
	c := &splitCase{nowhere: nowhere{}, stages: []func() *drive.Stage{
		func() *drive.Stage {
			return openStage(t, short, time.Second, arrival.Step{Rate: 2, Length: time.Second})
		},
	}}
	parts := c.play(t, 5)
	for i, want := range []int64{1, 1, 0, 0, 0} {
		if got := scheduled(&parts[i].Record.Phases[0]); got != want {
			t.Errorf("share %d has %d operations; want %d", i, got, want)
		}
	}
}

// A share that is none is named.
func TestShareValidate(t *testing.T) {
	for _, row := range []struct {
		share drive.Share
		sound bool
	}{
		{drive.Share{}, true}, {drive.Share{Index: 0, Of: 1}, true}, {drive.Share{Index: 2, Of: 3}, true},
		{drive.Share{Index: 3, Of: 3}, false}, {drive.Share{Index: -1, Of: 3}, false}, {drive.Share{Index: 1}, false},
	} {
		if got := len(row.share.Validate()) == 0; got != row.sound {
			t.Errorf("%+v is sound: %v; want %v", row.share, got, row.sound)
		}
	}
}

// slow takes a tenth of a second for each attempt.
type slow struct{}

func (slow) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	return target.Outcome{Status: 204, Counted: op.Entities()}, now.Add(100 * time.Millisecond)
}

// A share of a closed loop has its own lanes and no more: twelve operations on six lanes take
// two rounds, whoever sends them.
func TestShareOfLanes(t *testing.T) {
	for _, of := range []int{1, 2, 3, 6} {
		for i := range of {
			stage := closedStage(backoff.Policy{}, 6, 12, day)
			stage.Share = drive.Share{Index: i, Of: of}
			runner := &drive.Virtual{Target: slow{}}
			record, _, err := outing(t, context.Background(), runner, nil, stage)
			if got := scheduled(&record.Phases[0]); err != nil || got != int64(12/of) || record.Duration != 200*time.Millisecond {
				t.Errorf("share %d of %d: %d operations in %v, %v; want %d in 200ms", i, of, got, record.Duration, err, 12/of)
			}
		}
	}
}

// A load that comes to rest ends for all shares with the same second.
func TestSharesThatSettle(t *testing.T) {
	sent := func(share drive.Share) int64 {
		stage := openStage(t, backoff.Policy{}, 0, arrival.Step{Rate: 90, Length: 9 * time.Second})
		stage.Share, stage.Settling = share, true
		stage.Enough = func(start, now clock.Instant, _ func() uint64) error {
			if now.Sub(start) < 4*time.Second {
				return nil
			}
			return drive.ErrSettled
		}
		record, _, err := outing(t, context.Background(), &drive.Virtual{Target: nowhere{}}, nil, stage)
		if err != nil {
			t.Fatal(err)
		}
		return scheduled(&record.Phases[0])
	}
	sum := int64(0)
	for i := range 4 {
		sum += sent(drive.Share{Index: i, Of: 4})
	}
	if whole := sent(drive.Share{}); sum != whole || whole != 360 {
		t.Errorf("four shares send %d until the load settles, one process %d; want 360 each", sum, whole)
	}
}
