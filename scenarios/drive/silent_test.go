package drive_test

import (
	"slices"
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// insertOnce is an insert that judges its conflicts by itself: each is somebody
// else's.
type insertOnce struct{}

func (insertOnce) Begin() target.Operation { return target.Operation{Verb: entity.Insert} }

func (insertOnce) Next(workflow.Attempt) (workflow.Move, target.Operation) {
	return workflow.Settle, target.Operation{}
}

// What is told of an attempt is what is recorded of it, where a write meets its own
// success and where a workflow decides, whose further requests are no retries.
func TestAnObserverIsToldTheClassThatIsRecorded(t *testing.T) {
	for _, row := range []struct {
		name     string
		work     drive.Work
		statuses []int
		want     []results.Class
		retries  int64
	}{
		{"an insert that meets its own success", drive.Work{Operation: target.Operation{Verb: entity.Insert}},
			[]int{0, 409}, []results.Class{results.Failed, results.Ok}, 1},
		{"an insert behind a gateway that waited too long", drive.Work{Operation: target.Operation{Verb: entity.Insert}},
			[]int{504, 409}, []results.Class{results.Throttled, results.Ok}, 1},
		{"an insert that meets somebody else's", drive.Work{Operation: target.Operation{Verb: entity.Insert}},
			[]int{503, 409}, []results.Class{results.Throttled, results.Failed}, 1},
		{"a delete that meets its own success", drive.Work{Operation: target.Operation{Verb: entity.Delete}},
			[]int{0, 503, 404}, []results.Class{results.Failed, results.Throttled, results.Ok}, 2},
		{"an upsert meets nothing", drive.Work{Operation: target.Operation{Verb: entity.InsertOrMerge}},
			[]int{0, 409}, []results.Class{results.Failed, results.Failed}, 1},
		{"a transaction of nothing", drive.Work{Operation: target.Operation{Verb: entity.Batch}},
			[]int{0, 409}, []results.Class{results.Failed, results.Failed}, 1},
		{"a workflow decides on its own conflicts", drive.Work{Workflow: insertOnce{}},
			[]int{0, 409}, []results.Class{results.Failed, results.Failed}, 1},
		{"a conflict after which a workflow goes on was as expected", drive.Work{Workflow: readThenWrite{new([]string)}},
			[]int{200, 412, 200, 204}, []results.Class{results.Ok, results.Ok, results.Ok, results.Ok}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			var told []results.Class
			row.work.Offers = 1
			stage := &drive.Stage{
				Name: "once", Schedule: steps(t, arrival.Step{Rate: 1, Length: time.Second}), Grace: time.Minute,
				Retry:   backoff.Policy{Retries: 2, Delay: backoff.Fixed{Every: time.Millisecond}},
				Phases:  []results.Phase{{Name: "once", End: time.Second, Reported: true}},
				Build:   func(_ uint64, w *drive.Work) { *w = row.work },
				Observe: func(_ uint64, _ *target.Outcome, class results.Class) { told = append(told, class) },
			}
			record, _, err := outing(t, t.Context(), &drive.Virtual{Target: &scripted{row.statuses}}, nil, stage)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(told, row.want) {
				t.Errorf("the observer was told %v of %v; want %v", told, row.statuses, row.want)
			}
			count := map[results.Class]int64{}
			for _, class := range told {
				count[class]++
			}
			if sum := record.Total(results.Everything); sum.Ok != count[results.Ok] || sum.Throttled != count[results.Throttled] || sum.Failed != count[results.Failed] {
				t.Errorf("recorded are %d ok, %d throttled, %d failed; told were %v", sum.Ok, sum.Throttled, sum.Failed, told)
			}
			if sum := record.Total(results.Everything); sum.Retries != row.retries {
				t.Errorf("recorded are %d retries of %v; want %d", sum.Retries, row.statuses, row.retries)
			}
		})
	}
}
