package workflow_test

import (
	"fmt"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// A runner's laps are counted. The reply to the write is lost; the retry meets a
// conflict, and the entity tells that it was the operation's own.
func Example() {
	lap := workflow.NewReadModifyWrite(workflow.Modification{Verb: entity.Merge, Table: "Races", Key: runner,
		Counter: "Laps", ID: workflow.WriteID{Run: "k3f9", Number: 7}})
	before := entity.Pack(nil, 41, []entity.Property{{Name: "Laps", Value: entity.Int64(4)}})
	request := lap.Begin()
	silent := false
	tell := func(o target.Outcome) {
		silent = silent || o.Status == 0
		fmt.Println(request.Verb, "is answered", o.Status)
		sent := request
		move, next := lap.Next(workflow.Attempt{Sent: &sent, Outcome: &o, Silent: silent})
		if move == workflow.Proceed {
			request, silent = next, false
		}
	}
	tell(target.Outcome{Status: 200, Version: 41, Entity: before})
	after := entity.MergePacked(before, 42, request.Change.Properties)
	tell(target.Outcome{})
	tell(target.Outcome{Status: 412, Code: entity.ConditionNotSatisfied})
	tell(target.Outcome{Status: 200, Version: 42, Entity: after})
	laps, _ := after.Lookup("Laps")
	report := lap.Report()
	fmt.Println("laps:", laps.Int(), "acknowledged:", report.Written == workflow.Acknowledged, "own 412:", report.Own412)
	// Output:
	// get is answered 200
	// merge is answered 0
	// merge is answered 412
	// get is answered 200
	// laps: 5 acknowledged: true own 412: true
}
