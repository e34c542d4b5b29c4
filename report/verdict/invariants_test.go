package verdict_test

import (
	"strings"
	"testing"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
)

func TestInvariantsInWords(t *testing.T) {
	const rule, other = "the legs of each transfer sum to zero", "each entity is in its list"
	for _, row := range []struct {
		name       string
		invariants []results.Invariant
		// verdict and findings are what each must hold, not what none may.
		verdict, findings, not string
	}{
		{name: "nobody looked", not: "left behind"},
		{name: "all is as it must be", invariants: []results.Invariant{{Name: rule, Looked: 4000}, {Name: other, Looked: 1}}, not: "left behind"},
		{name: "one rule, broken", invariants: []results.Invariant{{Name: rule, Looked: 4000, Faults: 1200}},
			verdict:  "What the run left behind is not as it must be, in 1,200 of 4,000 cases looked at.",
			findings: "Not so in 1,200 of 4,000 cases looked at: the legs of each transfer sum to zero."},
		{name: "one rule of two, broken", invariants: []results.Invariant{{Name: other, Looked: 7}, {Name: rule, Looked: 4000, Faults: 1200}},
			verdict:  "What the run left behind is not as it must be, by 1 of 2 rules, in 1,200 cases.",
			findings: "Not so in 1,200 of 4,000", not: other},
		{name: "nothing was left", invariants: []results.Invariant{{Name: rule}},
			findings: "nobody knows whether this holds: the legs of each transfer sum to zero.", not: "as it must be"},
	} {
		record := (&run{manifest: manifest(), serves: 200, rates: []int{100}, seconds: 2}).record(t)
		record.Invariants = row.invariants
		summary := verdict.Judge(record)
		findings := strings.Join(verdict.Findings(record), "\n")
		for _, part := range []struct{ where, got, want string }{
			{"verdict", summary.Verdict, row.verdict}, {"findings", findings, row.findings}} {
			if !strings.Contains(part.got, part.want) {
				t.Errorf("%s: the %s is\n%s\nwant %q in it", row.name, part.where, part.got, part.want)
			}
			if row.not != "" && strings.Contains(part.got, row.not) {
				t.Errorf("%s: the %s is\n%s\nwant no %q in it", row.name, part.where, part.got, row.not)
			}
		}
		// A scenario may be there to show the faults: its claims alone say which it wants.
		if !verdict.Holds(summary) {
			t.Errorf("%s: the run fails; want faults to fail none that did not expect otherwise", row.name)
		}
	}
}

// A load of messages and blobs alone counts no entity, and is not taken for none.
func TestLoadBesideTheTableIsNotNothing(t *testing.T) {
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, manifest())
	if err != nil {
		t.Fatal(err)
	}
	step := recorder.Phase(results.Phase{Name: "step", Stage: "peak", End: 2 * time.Second, Rate: 100, Reported: true})
	for i := range 200 {
		at := time.Duration(i) * 10 * time.Millisecond
		recorder.Scheduled(&results.Scheduled{Phase: step, Kind: 1, Intended: at, Sent: at})
		recorder.Attempt(&results.Attempt{Phase: step, Kind: 1, Number: uint64(i), Intended: at, Sent: at, Done: at, Class: results.Ok})
		recorder.Completed(&results.Completed{Phase: step, Kind: 1, Number: uint64(i), Intended: at, Done: at, Class: results.Ok, Attempts: 1})
	}
	if err := recorder.Finish(2*time.Second, results.Valid, nil, &results.TargetCounts{Requests: 200, Ok: 200}); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	const want = "The load counts no entity: of 200 operations 200 succeeded, and of partitions nothing can be said."
	if summary := verdict.Judge(record); !strings.Contains(summary.Verdict, want) || strings.Contains(summary.Verdict, "no step") {
		t.Errorf("the verdict is\n%s\nwant %q in it", summary.Verdict, want)
	}
}
