package verdict_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// spoilt is a run of a second in which so many attempts succeed and others come to nothing,
// beside what was prepared.
func spoilt(t testing.TB, ok int, causes results.Causes, prepared results.Causes) *results.Record {
	t.Helper()
	return resultstest.Play(t, manifest(), 2*time.Second, func(r *results.Recorder) {
		r.Phase(results.Phase{Name: "load", End: time.Second})
		r.Phase(results.Phase{Name: "step", Stage: "peak", Begin: time.Second, End: 2 * time.Second, Rate: 10, Reported: true})
		resultstest.Causes(r, 0, 0, 0, prepared...)
		resultstest.Causes(r, 1, 1, time.Second, append(slices.Clone(causes), resultstest.Successes(ok))...)
	})
}

func failedBy(status int, code string, attempts int64) results.Cause {
	return results.Cause{Class: results.Failed, Status: status, Code: code, Attempts: attempts}
}

// The verdict names the commonest causes of what failed, and shares where there are
// several; throttled attempts are not among them.
func TestVerdictNamesTheCausesOfFailures(t *testing.T) {
	busy := results.Cause{Class: results.Throttled, Status: 503, Code: "ServerBusy", Attempts: 50}
	bad := results.Causes{failedBy(400, "InvalidInput", 2)}
	for _, row := range []struct {
		name             string
		ok               int
		causes, prepared results.Causes
		words            string
		many             bool
	}{
		{"nothing failed", 100, nil, nil, "!failed (", false},
		{"throttled is not failed", 100, results.Causes{busy}, nil, "!failed (", false},
		{"one cause", 95, results.Causes{failedBy(400, "InvalidInput", 5)}, nil, "5.0 %|(400 InvalidInput)", true},
		{"a status without a code", 0, results.Causes{failedBy(302, "", 40)}, nil, "100 %|(302)", true},
		{"no reply", 10, results.Causes{failedBy(0, "Timeout", 30)}, nil, "75.0 %|(Timeout)", true},
		{"500 and 503 are apart", 0, results.Causes{busy, failedBy(500, "InternalError", 50)}, nil, "50.0 %|(500 InternalError)", true},
		{"two causes", 90, results.Causes{failedBy(0, "Timeout", 3), failedBy(400, "InvalidInput", 7)}, nil,
			"10.0 %|(400 InvalidInput 7.0 %, Timeout 3.0 %)", true},
		{"three causes", 90, results.Causes{failedBy(0, "Timeout", 3), failedBy(400, "InvalidInput", 5), failedBy(501, "NotImplemented", 2)}, nil,
			"(400 InvalidInput 5.0 %, Timeout 3.0 %, and others)", true},
		{"one in a hundred is not many, and is told", 99, results.Causes{failedBy(400, "InvalidInput", 1)}, nil, "1.0 %", false},
		{"of the reported phases one in a hundred and more", 98, bad, nil, "2.0 %", true},
		{"however much went well before", 98, bad, results.Causes{{Class: results.Ok, Status: 200, Attempts: 300}}, "2.0 %", true},
		{"what failed in preparation is not of the load", 100, nil, results.Causes{failedBy(409, "Odd", 5)}, "", true},
		{"a code with an escape in it", 0, results.Causes{failedBy(400, "\x1b[2J", 5)}, nil, `(400 \x1b[2J)|!` + "\x1b", true},
	} {
		record := spoilt(t, row.ok, row.causes, row.prepared)
		summary := verdict.Judge(record)
		resultstest.CheckWords(t, row.name, story(record), row.words)
		assert.Equalf(t, row.many, verdict.ManyFailed(record, summary), "%s: ManyFailed", row.name)
		faults := verdict.Books(record)
		assert.Truef(t, len(faults) == 0, "%s: Books = %q; want them closed", row.name, faults)
	}
}

// Whatever fails, the summary's causes are of just what it counts: in the whole, in each
// phase and in each operation.
func TestCausesOfASummaryAreOfWhatItCounts(t *testing.T) {
	for seed := range uint64(resultstest.Cases(5, 20)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		draw := func() (list results.Causes) {
			for i := range rng.IntN(40) {
				list = append(list, results.Cause{Class: results.Class(2 + rng.IntN(2)), Status: 400 + i%7, Code: strings.Repeat("c", i), Attempts: int64(1 + rng.IntN(9))})
			}
			return list
		}
		causes, prepared := draw(), draw()
		record := spoilt(t, 1+rng.IntN(50), causes, prepared)
		s := verdict.Judge(record)
		for class, of := range map[results.Class][2]int64{results.Throttled: {s.Throttled, s.PerOperation["get"].Throttled}, results.Failed: {s.Failed, s.PerOperation["get"].Failed}} {
			if s.Causes.Of(class) != of[0] || of[0] != causes.Of(class)+prepared.Of(class) {
				t.Errorf("seed %d: %d are %v by cause, %d by count; want %d", seed, s.Causes.Of(class), class, of[0], causes.Of(class)+prepared.Of(class))
			}
			if s.PerOperation["get"].Causes.Of(class) != of[1] || s.Phases[0].Causes.Of(class) != of[1] || of[1] != causes.Of(class) {
				t.Errorf("seed %d: of the reads %d are %v by cause, of the phase %d, by count %d; want %d", seed,
					s.PerOperation["get"].Causes.Of(class), class, s.Phases[0].Causes.Of(class), of[1], causes.Of(class))
			}
		}
		// A record that says otherwise does not close.
		if sum := &record.Phases[1].Kinds[1]; len(sum.Causes) > 0 {
			sum.Causes[0].Attempts++
			faults := verdict.Books(record)
			assert.Truef(t, len(faults) != 0, "seed %d: the books close with causes that are one too many", seed)
		}
	}
}

// What a filter drops is counted by the service and told by nobody.
func TestLimitsOfQueriesWithAFilter(t *testing.T) {
	const remote = "https://account.table.core.windows.net"
	for _, row := range []struct {
		name, target string
		filtered     []int
		words        string
	}{
		{"a service that does not tell", remote, []int{1, 2}, "get and insert"},
		{"no filter", remote, nil, "!a filter"},
		{"a filter that nothing was sent with", remote, []int{0, 3}, "!a filter"},
		{"our own engine tells", results.Embedded, []int{1}, "!a filter"},
		{"in this process, too", results.InProcess, []int{1}, "!a filter"},
	} {
		record := small(func(r *run) { r.manifest.Target = row.target }).record(t)
		for _, k := range row.filtered {
			record.Manifest.Operations[k].Filtered = true
		}
		checkSentences(t, row.name, verdict.Limits(record), row.words)
	}
	record := small(func(r *run) { r.manifest.Target, r.manifest.Emulator = "http://127.0.0.1:10002/devstoreaccount1", true }).record(t)
	record.Manifest.Operations[1].Filtered = true
	checkSentences(t, "an emulator does not tell, either", verdict.Limits(record), "of get are")
}
