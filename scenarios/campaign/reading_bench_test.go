package campaign

import (
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// What forming an operation costs where its filter holds the values of an entity,
// and where it is the same each time.
func BenchmarkReading(b *testing.B) {
	for name, where := range map[string]string{"of a range": "", "of a filter": "Age ge 60", "of an entity": "Age eq {age} and Name eq '{name}'"} {
		b.Run(name, func(b *testing.B) {
			s, err := scenarios.Builtin("stress")
			if err != nil {
				b.Fatal(err)
			}
			s.Phases[2].Traffic.Operations = []scenarios.OperationSpec{{Name: "page", Verb: entity.Query, Weight: 1,
				Class: scenarios.ClassPartitionScan, Where: where}}
			c, err := NewCampaign(Options{Scenario: s, Table: "stress"})
			if err != nil {
				b.Fatal(err)
			}
			m, err := c.newMix(2, settlement{1, []uint64{1, 2, 3}})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			k := uint64(0)
			for b.Loop() {
				k++
				var w drive.Work
				if m.work(k, &w); w.Operation.Query.Range.Empty() {
					b.Fatal("a query of nothing")
				}
			}
		})
	}
}
