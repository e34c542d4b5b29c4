package results_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/results"
)

func TestAuditIsKept(t *testing.T) {
	audit := &results.Audit{Writes: 10, Acknowledged: 6, Unknown: 3, Absent: 1, Own409: 1, Own412: 2, Own404: 3, ForeignConflicts: 4,
		Keys: 9, ReadBack: 8, Unwatched: 7, Lost: 2, Doubled: 1, Overwritten: 5,
		Examples: []results.AuditExample{{PartitionKey: "p", RowKey: "r", Fault: "gone"}}}
	for _, want := range []*results.Audit{nil, audit} {
		folder := new(results.Memory)
		recorder, err := results.NewRecorder(folder, results.Manifest{})
		if err != nil {
			t.Fatal(err)
		}
		if want != nil {
			recorder.Take(func(of *results.Record) { of.Audit = want.Clone() })
		}
		if err := recorder.Finish(time.Second, results.Valid, nil, nil); err != nil {
			t.Fatal(err)
		}
		record, err := results.Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		if difference := cmp.Diff(want, record.Audit); difference != "" {
			t.Errorf("the audit as it was read differs (-want +got):\n%s", difference)
		}
	}
	clone := audit.Clone()
	clone.Examples[0].Fault = "altered"
	if audit.Examples[0].Fault != "gone" {
		t.Error("Clone() shares the examples; want a copy")
	}
}

func TestAuditIsSound(t *testing.T) {
	for _, row := range []struct {
		name  string
		audit *results.Audit
		want  bool
	}{
		{"none", nil, true},
		{"one of everything else", &results.Audit{Writes: 1, Unknown: 1, Own409: 1, ForeignConflicts: 1, Overwritten: 1, Unwatched: 1}, true},
		{"a lost write", &results.Audit{Lost: 1}, false},
		{"a doubled one", &results.Audit{Doubled: 1}, false},
	} {
		if got := row.audit.Sound(); got != row.want {
			t.Errorf("%s: Sound() = %v; want %v", row.name, got, row.want)
		}
	}
}
