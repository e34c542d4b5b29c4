package verdict_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// What became of the writes, and of what workflows left behind, is said in numbers.
func TestWhatWasLeftBehind(t *testing.T) {
	const rule, other = "the legs of each transfer sum to zero", "each entity is in its list"
	for _, row := range []struct {
		name       string
		audit      *results.Audit
		invariants []results.Invariant
		// verdict, findings and limits are the words of each.
		verdict, findings, limits string
	}{
		{"nobody looked", nil, nil, "!acknowledged|!left behind", "!acknowledged", "!acknowledged"},
		{"all is there", &results.Audit{Writes: 1500, Acknowledged: 1500, Keys: 1200, ReadBack: 1200}, nil, "1,200 entities", "!own success", "its id"},
		{"no write was acknowledged", &results.Audit{Writes: 3, Absent: 3}, nil, "no acknowledged write", "", ""},
		{"not all was read", &results.Audit{Acknowledged: 1500, Keys: 1200, ReadBack: 200}, nil, "1,000 of the 1,200", "", ""},
		{"writes are lost", &results.Audit{Acknowledged: 1500, Keys: 12, ReadBack: 12, Lost: 2, Doubled: 3}, nil,
			"broke its word|1,500|2 are lost|3 times", "", ""},
		{"the client overwrote what it had written", &results.Audit{Acknowledged: 1500, Keys: 12, ReadBack: 12, Lost: 76, Blind: 76}, nil,
			"76 of 1,500|!broke its word", "", ""},
		{"some of them", &results.Audit{Acknowledged: 1500, Keys: 12, ReadBack: 12, Lost: 76, Blind: 70}, nil,
			"broke its word|1,500|6 are lost", "70 more", ""},
		{"retries met their own success", &results.Audit{Own409: 1, Own412: 2, Own404: 3}, nil, "",
			"6 retries|1 inserts (409)|2 conditional writes (412)|3 deletions (404)", "404"},
		{"somebody else was faster", &results.Audit{ForeignConflicts: 7}, nil, "", "7 conflicts", ""},
		{"nobody knows", &results.Audit{Unknown: 4}, nil, "", "4 writes", ""},
		{"somebody else wrote", &results.Audit{Overwritten: 5}, nil, "", "5 entities", ""},
		{"more than can be watched", &results.Audit{Keys: 1000, Unwatched: 9}, nil, "", "", "9 writes|1,000"},
		{"all rules hold", nil, []results.Invariant{{Name: rule, Looked: 4000}, {Name: other, Looked: 1}}, "!left behind", "!left behind", ""},
		{"one rule, broken", nil, []results.Invariant{{Name: rule, Looked: 4000, Faults: 1200}}, "1,200 of 4,000", "1,200 of 4,000|" + rule, ""},
		{"one rule of two, broken", nil, []results.Invariant{{Name: other, Looked: 7}, {Name: rule, Looked: 4000, Faults: 1200}},
			"1 of 2 rules|1,200 cases|!" + other, "1,200 of 4,000|!" + other, ""},
		{"nothing was left", nil, []results.Invariant{{Name: rule}}, "!as it must be", "nobody knows|" + rule, ""},
	} {
		record := quiet().record(t)
		record.Audit, record.Invariants = row.audit, row.invariants
		summary := verdict.Judge(record)
		resultstest.CheckWords(t, row.name, summary.Verdict, row.verdict)
		checkSentences(t, row.name, verdict.Findings(record), row.findings)
		checkSentences(t, row.name, verdict.Limits(record), row.limits)
		assert.Truef(t, summary.Audit == nil || summary.Audit != record.Audit,
			"%s: the summary shares its audit with the record; want a copy", row.name)
		// A scenario may be there to show the faults: its claims alone say which it wants.
		assert.Truef(t, row.invariants == nil || verdict.Holds(summary),
			"%s: the run fails; want faults to fail none that did not expect otherwise", row.name)
	}
}

// A load of messages and blobs alone counts no entity, and is not taken for none.
func TestLoadBesideTheTableIsNotNothing(t *testing.T) {
	r := resultstest.Run{Manifest: manifest(), Phases: resultstest.Steps(0, 2*time.Second, 0, 100),
		Operation: func(op *resultstest.Operation) { op.Entities = 0 }}
	got := verdict.Judge(r.Record(t)).Verdict
	assert.Truef(t, strings.Contains(got, "of 200 operations 200 succeeded") && !strings.Contains(got, "no step"),
		"the verdict is\n%s\nwant 200 of 200 operations", got)
}
