package results_test

import (
	"reflect"
	"testing"

	"loadgen/results"
)

func pointerTo[T any](value T) *T { return &value }

// search is one that has everything set.
func search() *results.Limit {
	return &results.Limit{Of: results.LimitPartition, Partitions: 1, MaxThrottled: .005, MaxP99: pointerTo(int64(50_000)),
		From: 500, UpTo: 8000, StepSeconds: 10, BurstSeconds: .1, Held: pointerTo(1000.0), NotHeld: pointerTo(1010.0),
		By: results.LimitThrottled, Finished: true, Entities: 20_101, Steps: []results.LimitStep{
			{Phase: "limit 1: 1000/s", Rate: 1000, Offered: 1000, Seconds: 10, Scheduled: 10_000, P99: pointerTo(int64(7000)),
				Entities: 10_000, Outcome: results.LimitHeld},
			{Phase: "limit 2: 1010/s", Rate: 1010, Offered: 1010, Seconds: 10, Scheduled: 10_100, ThrottledShare: .01,
				Entities: 10_101, Outcome: results.LimitClient},
			{Phase: "limit 3: 1010/s", Rate: 1010, Offered: 1010, Seconds: 10, Scheduled: 10_100, ThrottledShare: .02,
				Outcome: results.LimitThrottled}}}
}

func TestLimitIsKeptWithTheRecord(t *testing.T) {
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{})
	if err != nil {
		t.Fatal(err)
	}
	recorder.Limit(&results.Limit{Of: "what was known before"})
	given := search()
	recorder.Limit(given)
	// The recorder keeps a copy.
	*given.Held, *given.Steps[0].P99, given.Steps[1].Rate = 1, 1, 1
	if err := recorder.Finish(0, results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if want := search(); !reflect.DeepEqual(record.Limit, want) {
		t.Errorf("the record's limit = %+v; want %+v", record.Limit, want)
	}
}

func TestLimitCloneSharesNothing(t *testing.T) {
	l := search()
	other := l.Clone()
	*other.MaxP99, *other.Held, *other.NotHeld, *other.Steps[0].P99, other.Steps[2].Rate = 1, 1, 1, 1, 1
	if !reflect.DeepEqual(l, search()) {
		t.Errorf("after its clone was altered the limit = %+v; want it unaltered", l)
	}
	if none := (*results.Limit)(nil).Clone(); none != nil {
		t.Errorf("Clone of nil = %+v; want nil", none)
	}
}

func TestLimitStepIsTheLastOfItsRate(t *testing.T) {
	l := search()
	for _, row := range []struct {
		name  string
		rate  *float64
		phase string
	}{
		{"the step of a rate that was tried once", l.Held, "limit 1: 1000/s"},
		{"the last step of a rate that was tried twice", l.NotHeld, "limit 3: 1010/s"},
		{"none of a rate that was not tried", pointerTo(7.0), ""},
		{"none of no rate", nil, ""},
	} {
		phase := ""
		if step := l.Step(row.rate); step != nil {
			phase = step.Phase
		}
		if phase != row.phase {
			t.Errorf("%s: Step = %q; want %q", row.name, phase, row.phase)
		}
	}
	if l.ClientLimited() {
		t.Errorf("ClientLimited() by %s = true; want false", l.By)
	}
	if l.By = results.LimitClient; !l.ClientLimited() {
		t.Errorf("ClientLimited() by %s = false; want true", l.By)
	}
	if l.NotHeld = nil; l.ClientLimited() {
		t.Error("ClientLimited() without an upper end = true; want false")
	}
}
