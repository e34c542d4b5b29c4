package workflow_test

import (
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

func BenchmarkWrite(b *testing.B) {
	op := target.Operation{Verb: entity.Insert, Change: entity.Change{Verb: entity.Insert, Key: runner, Properties: stored("other-1")}}
	outcome := target.Outcome{Status: 204, Version: 1}
	b.ReportAllocs()
	for number := uint64(0); b.Loop(); number++ {
		p := workflow.NewWrite(op, workflow.WriteID{Run: "k3f9", Number: number}, "")
		sent := p.Begin()
		p.Next(workflow.Attempt{Sent: &sent, Outcome: &outcome})
	}
}

func BenchmarkReadModifyWrite(b *testing.B) {
	read := target.Outcome{Status: 200, Version: 1, Entity: entity.Pack(nil, 1, stored("other-99", sixteen()...))}
	done := target.Outcome{Status: 204, Version: 2}
	b.ReportAllocs()
	for number := uint64(0); b.Loop(); number++ {
		p := workflow.NewReadModifyWrite(workflow.Modification{Verb: entity.Merge, Key: runner, Counter: counter,
			ID: workflow.WriteID{Run: "k3f9", Number: number}})
		sent := p.Begin()
		_, sent = p.Next(workflow.Attempt{Sent: &sent, Outcome: &read})
		p.Next(workflow.Attempt{Sent: &sent, Outcome: &done})
	}
}
