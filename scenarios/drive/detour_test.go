package drive_test

import (
	"fmt"
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

// storing puts a message. It notes what it is told.
type storing struct{ told *[]string }

func (p storing) Begin() target.Operation {
	return target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: "work"}}
}

func (p storing) Next(a workflow.Attempt) (workflow.Move, target.Operation) {
	*p.told = append(*p.told, fmt.Sprint(a.Sent.Beside.Verb, " ", a.Outcome.Status, " ", a.Silent))
	return workflow.Settle, target.Operation{}
}

// replying answers requests to a queue by a list: 404 says that the queue is missing.
type replying struct {
	statuses []int
	asked    []string
}

func (s *replying) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	o := target.Outcome{Status: s.statuses[0]}
	s.statuses = s.statuses[1:]
	s.asked = append(s.asked, fmt.Sprint(op.Beside.Verb, " ", op.Attempt))
	if o.Status == 404 {
		o.Code, o.StoreMissing = entity.Code("QueueNotFound"), op.Beside.Verb == target.PutMessage
	}
	return o, now.Add(time.Millisecond)
}

// A queue that is missing is made in between, each request is an attempt, and the workflow
// is told of none but its own.
func TestWhatIsMissingIsMadeByAttemptsOfItsOwn(t *testing.T) {
	for _, row := range []struct {
		name     string
		statuses []int
		asked    []string
		told     []string
		class    results.Class
		ok       int64
	}{
		{"it is there", []int{201}, []string{"put-message 0"}, []string{"put-message 201 false"}, results.Ok, 1},
		{"it is made", []int{404, 201, 201}, []string{"put-message 0", "make-queue 1", "put-message 2"}, []string{"put-message 201 false"}, results.Ok, 3},
		{"another made it", []int{404, 409, 201}, []string{"put-message 0", "make-queue 1", "put-message 2"}, []string{"put-message 201 false"}, results.Ok, 3},
		{"it is made at the second try", []int{404, 503, 201, 201}, []string{"put-message 0", "make-queue 1", "make-queue 2", "put-message 3"},
			[]string{"put-message 201 false"}, results.Ok, 3},
		{"it cannot be made", []int{404, 403}, []string{"put-message 0", "make-queue 1"}, nil, results.Failed, 1},
		{"it is gone again", []int{404, 201, 404}, []string{"put-message 0", "make-queue 1", "put-message 2"}, []string{"put-message 404 false"}, results.Failed, 2},
		{"what was put in silence was not put", []int{500, 404, 201, 201}, []string{"put-message 0", "put-message 1", "make-queue 2", "put-message 3"},
			[]string{"put-message 500 true", "put-message 201 false"}, results.Ok, 3},
		{"what was made in silence is no put in silence", []int{404, 500, 409, 201}, []string{"put-message 0", "make-queue 1", "make-queue 2", "put-message 3"},
			[]string{"put-message 201 false"}, results.Ok, 3},
	} {
		var told []string
		stage := &drive.Stage{
			Name: "once", Schedule: steps(t, arrival.Step{Rate: 1, Length: time.Second}), Grace: time.Minute,
			Retry:  backoff.Policy{Retries: 2, Delay: backoff.Fixed{Every: time.Millisecond}},
			Phases: []results.Phase{{Name: "once", End: time.Second, Reported: true}},
			Build:  func(_ uint64, w *drive.Work) { w.Workflow = storing{&told} },
		}
		played := &replying{statuses: row.statuses}
		record, _, err := outing(t, t.Context(), &drive.Virtual{Target: played}, nil, stage)
		if err != nil {
			t.Fatal(err)
		}
		sum := record.Total(results.Everything)
		succeeded := map[bool]int64{true: 1}[row.class == results.Ok]
		if !slices.Equal(played.asked, row.asked) || !slices.Equal(told, row.told) || len(played.statuses) > 0 {
			t.Errorf("%s: asked %q and told %q; want %q and %q", row.name, played.asked, told, row.asked, row.told)
		}
		if sum.Attempts != int64(len(row.asked)) || sum.Ok != row.ok || sum.Operations != 1 || sum.Succeeded != succeeded {
			t.Errorf("%s: %d attempts, %d ok, %d of %d operations succeeded; want %d, %d and %d of 1",
				row.name, sum.Attempts, sum.Ok, sum.Succeeded, sum.Operations, len(row.asked), row.ok, succeeded)
		}
	}
}
