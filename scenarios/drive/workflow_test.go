package drive_test

import (
	"slices"
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// readThenWrite reads an entity and writes it; a conflict begins anew, unless it
// met its own silent write.
type readThenWrite struct{ told *[]string }

func (p readThenWrite) Begin() target.Operation { return target.Operation{Verb: entity.Get} }

func (p readThenWrite) Next(a workflow.Attempt) (workflow.Move, target.Operation) {
	told := a.Sent.Verb.String() + " " + string(rune('0'+a.Outcome.Status/100))
	if a.Silent {
		told += " silent"
	}
	*p.told = append(*p.told, told)
	switch {
	case a.Outcome.Status == 400:
		return workflow.Fail, target.Operation{}
	case a.Outcome.Status >= 500 || a.Outcome.Status == 0:
		return workflow.Settle, target.Operation{}
	case a.Sent.Verb == entity.Get:
		return workflow.Proceed, target.Operation{Verb: entity.Merge}
	case a.Outcome.Status == 412 && a.Silent:
		return workflow.Succeed, target.Operation{}
	case a.Outcome.Status == 412:
		return workflow.Proceed, p.Begin()
	default:
		return workflow.Settle, target.Operation{}
	}
}

// lying has a script answer 200 with what was not asked for.
const lying = -200

// scripted answers one attempt after another as it is told to.
type scripted struct{ statuses []int }

func (s *scripted) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	status := s.statuses[0]
	s.statuses = s.statuses[1:]
	if status == lying {
		return target.Outcome{Status: 200, Fault: target.WrongEntity}, now.Add(time.Millisecond)
	}
	return target.Outcome{Status: status, Counted: 1}, now.Add(time.Millisecond)
}

func TestWorkflowTakesAnOperationThroughItsRequests(t *testing.T) {
	for _, row := range []struct {
		name     string
		statuses []int
		told     []string
		class    results.Class
		attempts int
		served   int64
	}{
		{"each request once", []int{200, 204}, []string{"get 2", "merge 2"}, results.Ok, 2, 2},
		{"a throttled write is retried by itself", []int{200, 503, 204}, []string{"get 2", "merge 5", "merge 2"}, results.Ok, 3, 2},
		{"a conflict restarts at the read", []int{200, 412, 200, 204}, []string{"get 2", "merge 4", "get 2", "merge 2"}, results.Ok, 4, 4},
		{"a silent write meets its own success", []int{200, 500, 412}, []string{"get 2", "merge 5 silent", "merge 4 silent"}, results.Ok, 3, 2},
		{"a read that was silent makes no write silent", []int{500, 200, 412, 200, 204},
			[]string{"get 5 silent", "get 2 silent", "merge 4", "get 2", "merge 2"}, results.Ok, 5, 4},
		{"a reply that is not what was asked for is none, and not asked for again", []int{lying}, []string{"get 0 silent"}, results.Failed, 1, 0},
		{"the workflow gives up", []int{200, 400}, []string{"get 2", "merge 4"}, results.Failed, 2, 1},
		{"retries are counted by request", []int{503, 503, 200, 503, 503, 204},
			[]string{"get 5", "get 5", "get 2", "merge 5", "merge 5", "merge 2"}, results.Ok, 6, 2},
		{"and spent, they end the operation", []int{200, 503, 503, 503}, []string{"get 2", "merge 5", "merge 5", "merge 5"}, results.Throttled, 4, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			var told []string
			stage := &drive.Stage{
				Name: "once", Schedule: steps(t, arrival.Step{Rate: 1, Length: time.Second}), Grace: time.Minute,
				Retry:  backoff.Policy{Retries: 2, Delay: backoff.Fixed{Every: time.Millisecond}},
				Phases: []results.Phase{{Name: "once", End: time.Second, Reported: true}},
				Build:  func(_ uint64, w *drive.Work) { w.Workflow, w.Offers = readThenWrite{&told}, 2 },
			}
			played := &scripted{row.statuses}
			record, _, err := outing(t, t.Context(), &drive.Virtual{Target: played}, nil, stage)
			if err != nil {
				t.Fatal(err)
			}
			sum := record.Total(results.Everything)
			if len(played.statuses) > 0 || !slices.Equal(told, row.told) {
				t.Errorf("the workflow was told %q, %d answers unasked for; want %q", told, len(played.statuses), row.told)
			}
			succeeded := map[bool]int64{true: 1}[row.class == results.Ok]
			if sum.Operations != 1 || sum.Succeeded != succeeded || sum.Attempts != int64(row.attempts) || sum.Served != row.served {
				t.Errorf("%d operations, %d succeeded, %d attempts, %d served; want 1, %d, %d, %d",
					sum.Operations, sum.Succeeded, sum.Attempts, sum.Served, succeeded, row.attempts, row.served)
			}
		})
	}
}
