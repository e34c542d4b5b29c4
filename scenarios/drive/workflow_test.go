package drive_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// readThenWrite returns a workflow that reads an entity and writes it. A conflict restarts it, unless
// the write met its own success; a 409 fails. It notes the replies, and its end.
func readThenWrite(told *[]string) *workflow.Procedure {
	return workflow.NewProcedure(func(t *workflow.Tx) {
		defer func() { *told = append(*told, "stop") }()
		send := func(verb entity.Verb, expected target.Expected) workflow.Reply {
			reply := t.Send(workflow.Request{Operation: target.Operation{Verb: verb}, Expected: expected})
			*told = append(*told, noted(verb.String(), reply))
			return reply
		}
		for range t.Restarts("restarts") {
			send(entity.Get, target.Expected{})
			switch reply := send(entity.Merge, target.Expected{Conflict: true, Precondition: true}); {
			case reply.Status == 409:
				t.Fail()
			case reply.OK() || reply.Silent:
				return
			}
		}
	})
}

// noted describes a reply.
func noted(verb string, reply workflow.Reply) string {
	return fmt.Sprint(verb, " ", reply.Status, map[bool]string{true: " silent"}[reply.Silent])
}

// lying has a script answer 200 with what was not asked for.
const lying = -200

// scripted answers one attempt after another by a list of statuses, and notes what was asked
// beside the table: there 404 says that the queue is missing.
type scripted struct {
	statuses []int
	asked    []string
}

func (s *scripted) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	o := target.Outcome{Status: s.statuses[0], Counted: op.Entities()}
	s.statuses = s.statuses[1:]
	if o.Status == lying {
		o = target.Outcome{Status: 200, Fault: target.WrongEntity}
	}
	if op.Beside != nil {
		s.asked = append(s.asked, fmt.Sprint(op.Beside.Verb, " ", op.Attempt))
		if o.Status == 404 {
			o.Code, o.StoreMissing = entity.Code("QueueNotFound"), op.Beside.Verb == target.PutMessage
		}
	}
	return o, now.Add(time.Millisecond)
}

// play has one operation played, by all of the statuses.
func (s *scripted) play(t *testing.T, stage *drive.Stage, class results.Class) results.KindStats {
	t.Helper()
	sum := virtually(t, s, stage).sum
	assert.Truef(t, len(s.statuses) <= 0, "the answers %v were not asked for", s.statuses)
	assert.EqualValues(t, 1, sum.Operations, "operations")
	assert.Equal(t, class == results.Ok, sum.Succeeded == 1, "the operation succeeded")
	return sum
}

func TestWorkflowTakesAnOperationThroughItsRequests(t *testing.T) {
	for _, row := range []struct {
		name     string
		statuses []int
		told     []string
		class    results.Class
		served   int64
	}{
		{"each request once", []int{200, 204}, []string{"get 200", "merge 204"}, results.Ok, 2},
		{"a throttled write is retried by itself", []int{200, 503, 204}, []string{"get 200", "merge 204"}, results.Ok, 2},
		{"a conflict restarts at the read", []int{200, 412, 200, 204}, []string{"get 200", "merge 412", "get 200", "merge 204"}, results.Ok, 4},
		{"a silent write meets its own success", []int{200, 500, 412}, []string{"get 200", "merge 412 silent"}, results.Ok, 2},
		{"a read that was silent makes no write silent", []int{500, 200, 412, 200, 204},
			[]string{"get 200 silent", "merge 412", "get 200", "merge 204"}, results.Ok, 4},
		{"a reply that is not what was asked for is none, and not asked for again", []int{lying}, nil, results.Failed, 0},
		{"the workflow gives up", []int{200, 409}, []string{"get 200", "merge 409"}, results.Failed, 1},
		{"retries are counted by request", []int{503, 503, 200, 503, 503, 204}, []string{"get 200", "merge 204"}, results.Ok, 2},
		{"and spent, they end the operation", []int{200, 503, 503, 503}, []string{"get 200"}, results.Throttled, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			var told []string
			stage := onceStage(t, func(w *drive.Work) { *w = drive.Work{Workflow: readThenWrite(&told), Offers: 2} })
			sum := (&scripted{statuses: row.statuses}).play(t, stage, row.class)
			assert.Equal(t, append(row.told, "stop"), told, "the workflow was told")
			assert.Truef(t, sum.Attempts == int64(len(row.statuses)) && sum.Served == row.served,
				"%d attempts, %d served; want %d, %d", sum.Attempts, sum.Served, len(row.statuses), row.served)
		})
	}
}

// storing returns a workflow that puts a message and notes the reply.
func storing(told *[]string) *workflow.Procedure {
	return workflow.NewProcedure(func(t *workflow.Tx) {
		reply := t.Send(workflow.NewBesideRequest(target.Beside{Verb: target.PutMessage, Store: "work"}))
		*told = append(*told, noted("put-message", reply))
	})
}

// A queue that is missing is made in between, each request is an attempt, and the workflow
// is told of none but its own.
func TestWhatIsMissingIsMadeByAttemptsOfItsOwn(t *testing.T) {
	stored := []string{"put-message 201"}
	made := []string{"put-message 0", "make-queue 1", "put-message 2"}
	for _, row := range []struct {
		name     string
		statuses []int
		asked    []string
		told     []string
		class    results.Class
		ok       int64
	}{
		{"it is there", []int{201}, made[:1], stored, results.Ok, 1},
		{"it is made", []int{404, 201, 201}, made, stored, results.Ok, 3},
		{"another made it", []int{404, 409, 201}, made, stored, results.Ok, 3},
		{"it is made at the second try", []int{404, 503, 201, 201}, []string{"put-message 0", "make-queue 1", "make-queue 2", "put-message 3"}, stored, results.Ok, 3},
		{"it cannot be made", []int{404, 403}, made[:2], nil, results.Failed, 1},
		{"it is gone again", []int{404, 201, 404}, made, nil, results.Failed, 2},
		{"what was put in silence was not put", []int{500, 404, 201, 201}, []string{"put-message 0", "put-message 1", "make-queue 2", "put-message 3"}, stored, results.Ok, 3},
		{"what was made in silence is no put in silence", []int{404, 500, 409, 201},
			[]string{"put-message 0", "make-queue 1", "make-queue 2", "put-message 3"}, stored, results.Ok, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			var told []string
			played := &scripted{statuses: row.statuses}
			sum := played.play(t, onceStage(t, func(w *drive.Work) { *w = drive.Work{Workflow: storing(&told)} }), row.class)
			assert.Truef(t, slices.Equal(played.asked, row.asked) && slices.Equal(told, row.told),
				"asked %q and told %q; want %q and %q", played.asked, told, row.asked, row.told)
			assert.Truef(t, sum.Attempts == int64(len(row.asked)) && sum.Ok == row.ok,
				"%d attempts, %d ok; want %d and %d", sum.Attempts, sum.Ok, len(row.asked), row.ok)
		})
	}
}

// insertOnce returns an insert that fails after each conflict.
func insertOnce() *workflow.Procedure {
	return workflow.NewProcedure(func(t *workflow.Tx) {
		insert := workflow.WriteOne("", entity.Change{Verb: entity.Insert}, 409)
		if !t.Send(insert).OK() {
			t.Fail()
		}
	})
}

// What is told of an attempt is what is recorded of it, where a write meets its own
// success and where a workflow decides, whose further requests are no retries.
func TestAnObserverIsToldTheClassThatIsRecorded(t *testing.T) {
	const ok, throttled, failed = results.Ok, results.Throttled, results.Failed
	of := func(verb entity.Verb) drive.Work { return drive.Work{Operation: target.Operation{Verb: verb}} }
	for _, row := range []struct {
		name     string
		work     drive.Work
		statuses []int
		want     []results.Class
		retries  int64
	}{
		{"an insert that meets its own success", of(entity.Insert), []int{0, 409}, []results.Class{failed, ok}, 1},
		{"an insert behind a gateway that waited too long", of(entity.Insert), []int{504, 409}, []results.Class{throttled, ok}, 1},
		{"an insert that meets somebody else's", of(entity.Insert), []int{503, 409}, []results.Class{throttled, failed}, 1},
		{"a delete that meets its own success", of(entity.Delete), []int{0, 503, 404}, []results.Class{failed, throttled, ok}, 2},
		{"an upsert meets nothing", of(entity.InsertOrMerge), []int{0, 409}, []results.Class{failed, failed}, 1},
		{"a transaction of nothing", of(entity.Batch), []int{0, 409}, []results.Class{failed, failed}, 1},
		{"a workflow decides on its own conflicts", drive.Work{Workflow: insertOnce()}, []int{0, 409}, []results.Class{failed, failed}, 1},
		{"a conflict after which a workflow goes on was as expected", drive.Work{Workflow: readThenWrite(new([]string))},
			[]int{200, 412, 200, 204}, []results.Class{ok, ok, ok, ok}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			var told, recorded []results.Class
			row.work.Offers = 1
			stage := onceStage(t, func(w *drive.Work) { *w = row.work })
			stage.Observe = func(_ uint64, _ *target.Outcome, class results.Class) { told = append(told, class) }
			all := virtually(t, &scripted{statuses: row.statuses}, stage)
			for _, one := range all.attempts.list {
				recorded = append(recorded, one.Class)
			}
			assert.Equal(t, row.want, told, "classes that the observer was told")
			assert.Equal(t, row.want, recorded, "classes in the record")
			assert.Equal(t, row.retries, all.sum.Retries, "retries")
		})
	}
}
