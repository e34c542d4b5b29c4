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
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

// tried is a step of a search of a partition.
func tried(rate, throttled float64, p99 int64, outcome string) results.LimitStep {
	return results.LimitStep{Rate: rate, Offered: rate, Seconds: 10, Scheduled: int64(10 * rate), ThrottledShare: throttled,
		P99: &p99, Entities: int64(10 * rate), Outcome: outcome}
}

// searched returns the record of a search whose steps held up to one rate and did
// not from another on; 0 is none.
func searched(held, not float64, by string, steps ...results.LimitStep) *results.Record {
	l := &results.Limit{Of: results.LimitPartition, Partitions: 1, MaxThrottled: .005, From: 500, UpTo: 8000, StepSeconds: 10,
		BurstSeconds: .1, By: by, Finished: true, Steps: steps}
	if held > 0 {
		l.Held = &held
	}
	if not > 0 {
		l.NotHeld = &not
	}
	for i := range steps {
		l.Entities += steps[i].Entities
	}
	m := manifest()
	m.Retry = "none"
	return &results.Record{Manifest: m, Validity: results.Valid, Limit: l}
}

func TestVerdictOfASearch(t *testing.T) {
	throttled := []results.LimitStep{tried(2000, .001, 7000, results.LimitHeld), tried(2020, .00649, 7000, results.LimitThrottled)}
	found := func() *results.Record { return searched(2000, 2020, results.LimitThrottled, throttled...) }
	beside := func(held, not float64, by string, last results.LimitStep) *results.Record {
		last.Rate, last.Outcome = not, by
		return searched(held, not, by, tried(held, 0, 1, results.LimitHeld), last)
	}
	for _, row := range []struct {
		name   string
		record *results.Record
		alter  func(*results.Record)
		words  string
	}{
		{"two ends, a criterion, a target, steps and a price", found(), nil,
			fullKey + "|2,000 operations/s|2,020/s|0.649%|0.5%|2,000/s"},
		{"a response time is told beside its bound", searched(900, 910, results.LimitP99, tried(900, 0, 49_000, results.LimitHeld), tried(910, 0, 61_000, results.LimitP99)),
			func(r *results.Record) { r.Limit.MaxP99 = new(int64(50_000)) }, "910/s|61.0 ms|50.0 ms"},
		{"a p99 that nobody can tell", beside(900, 910, results.LimitP99, results.LimitStep{}), nil, "too few|p99"},
		{"failures are no refusals", beside(900, 910, results.LimitFailed, results.LimitStep{FailedShare: .25}), nil, "25%|failed"},
		{"operations of several entities are told in both", searched(200, 202, results.LimitThrottled,
			results.LimitStep{Rate: 200, Offered: 2000, Outcome: results.LimitHeld}, tried(202, .1, 1, results.LimitThrottled)), nil,
			"200 operations/s (2,000 entities/s)"},
		{"no rate that fails", searched(8000, 0, "", tried(8000, 0, 1, results.LimitHeld)), nil, "at least 8,000 operations/s"},
		{"no rate that holds", searched(0, 2, results.LimitThrottled, tried(2, 1, 1, results.LimitThrottled)), nil, "even 2 operations/s|100%"},
		{"a generator that drops", beside(4000, 8000, results.LimitClient, results.LimitStep{Scheduled: 80_000, Dropped: 5}), nil,
			"at least 4,000 operations/s|generator was the limit|8,000 operations/s"},
		{"a generator that is late", beside(4000, 8000, results.LimitClient, results.LimitStep{Scheduled: 80_000, HeldBack: 8000}), nil,
			"generator was the limit|8,000 operations/s"},
		{"a generator that can send nothing", searched(0, 2, results.LimitClient,
			results.LimitStep{Rate: 2, Scheduled: 1100, Dropped: 1100, Outcome: results.LimitClient}), nil, "could send no rate"},
		{"what the generator could not send beyond the answer", searched(2000, 2020, results.LimitThrottled,
			append([]results.LimitStep{{Rate: 8000, Scheduled: 80_000, Dropped: 5, Outcome: results.LimitClient}}, throttled...)...), nil,
			"2,000 operations/s|2,020/s|!at least 2,000"},
		{"an account, its partitions and its own target", found(), func(r *results.Record) {
			r.Limit.Of, r.Limit.Partitions, r.Manifest.PartitionKey = results.LimitAccount, 12, ""
		}, "account|12 partitions|20,000/s"},
		{"another target is not the documents'", found(), func(r *results.Record) { r.Manifest.Targets.Partition = 500 },
			"500/s is the model's|not Azure's documented 2,000"},
		{"a target that is not known", found(), func(r *results.Record) {
			r.Manifest.Target, r.Manifest.Targets = "https://races.example.net", results.Targets{}
		}, "partition"},
		{"a search that was stopped", searched(1000, 0, "", tried(1000, 0, 1, results.LimitHeld)), func(r *results.Record) {
			r.Validity, r.Reasons, r.Limit.Finished = results.Partial, []string{"interrupted"}, false
		}, "partial: interrupted.|1,000 operations/s|to its end"},
		{"a search that contradicted", searched(1000, 2000, results.LimitThrottled, throttled...), func(r *results.Record) { r.Limit.Finished = false },
			"contradicted"},
		{"a search that came to nothing", searched(0, 0, ""), func(r *results.Record) { r.Validity, r.Limit.Finished = results.Partial, false },
			"No rate"},
		{"a record that lacks its steps", searched(1000, 2000, results.LimitThrottled, results.LimitStep{Outcome: "broken"}), nil, "not in the record"},
	} {
		if row.alter != nil {
			row.alter(row.record)
		}
		s := verdict.Judge(row.record)
		assert.Truef(t, s.Validity == row.record.Validity && s.Limit != nil && s.Limit != row.record.Limit,
			"%s: %s for %v, limit %p; want %s, and a copy of the record's limit", row.name, s.Validity, s.Reasons, s.Limit, row.record.Validity)
		resultstest.CheckWords(t, row.name, story(row.record), row.words)
	}
}

func TestLimitsOfASearch(t *testing.T) {
	record := searched(2000, 2020, results.LimitThrottled, tried(2000, 0, 1, results.LimitHeld), tried(2020, .1, 1, results.LimitThrottled))
	checkSentences(t, "a search", limitsOf(record), "10s|100ms|1.5 times|not retried")
	record.Limit.MaxP99 = new(int64(50_000))
	checkSentences(t, "a search that asks for a p99", limitsOf(record), "100ms|rate of a step|1.0%")
	record.Manifest.Retry, record.Manifest.Start, record.Limit.BurstSeconds = "short", "cold", 0
	checkSentences(t, "a search with retries at a new table", limitsOf(record), "policy short|The table was new|!saves up")
}

// Clients that wait offer no more than is answered: what they were served is told,
// and that it is no limit. Throttling of less than 1% of the attempts of each second shows no
// limit; its share is told all the same.
func TestLoadsThatShowNoLimit(t *testing.T) {
	closed := func(r *results.Record) { r.Phases[0].Rate = 0 }
	for _, row := range []struct {
		name            string
		rates           []int
		change          func(*results.Record)
		shown           int
		verdict, limits string
	}{
		{"a closed loop", []int{400}, closed, 1, "Clients that wait|200 entities/s|50.0%|!no step", "Clients that wait|!no step"},
		{"nothing at all", nil, nil, 0, "CANNOT TELL|!Clients that wait", "negligible throttling"},
		{"an open loop beside a closed one", []int{100, 150}, closed, 2, "150 entities/s|!Clients that wait", "negligible throttling"},
		{"a run of load balancing has another account", []int{100}, func(r *results.Record) {
			closed(r)
			r.Manifest.Start, r.Manifest.Spread = "cold", &results.Spread{Partitions: 2, Clients: 5}
		}, 0, "!Clients that wait", "!Clients that wait"},
		{"so has traffic that a server saw", []int{100}, func(r *results.Record) {
			closed(r)
			r.Capture = new(results.Capture)
		}, 0, "!Clients that wait", "!Clients that wait"},
		{"nothing throttled", []int{50}, nil, 1, "0% of the operations", ""},
		{"one in 201", []int{201}, nil, 1, "0.5% lost", ""},
		{"two in 202", []int{202}, nil, 1, "1.0% lost", ""},
	} {
		record := small(func(r *run) { r.rates = row.rates }).record(t)
		if row.change != nil {
			row.change(record)
		}
		if got := figure.ShownSteps(record); len(got) != row.shown || row.shown > 0 && got[0].Closed() != (row.change != nil) {
			t.Errorf("%s: Shown = %d steps; want %d", row.name, len(got), row.shown)
		}
		resultstest.CheckWords(t, row.name, story(record), row.verdict)
		resultstest.CheckWords(t, row.name, strings.ReplaceAll(strings.Join(limitsOf(record), "\n"), "clients that", "Clients that"), row.limits)
	}
}

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
		{"one cause", 95, results.Causes{failedBy(400, "InvalidInput", 5)}, nil, "5.0%|(400 InvalidInput)", true},
		{"a status without a code", 0, results.Causes{failedBy(302, "", 40)}, nil, "100%|(302)", true},
		{"no reply", 10, results.Causes{failedBy(0, "Timeout", 30)}, nil, "75.0%|(Timeout)", true},
		{"500 and 503 are apart", 0, results.Causes{busy, failedBy(500, "InternalError", 50)}, nil, "50.0%|(500 InternalError)", true},
		{"two causes", 90, results.Causes{failedBy(0, "Timeout", 3), failedBy(400, "InvalidInput", 7)}, nil,
			"10.0%|(400 InvalidInput 7.0%, Timeout 3.0%)", true},
		{"three causes", 90, results.Causes{failedBy(0, "Timeout", 3), failedBy(400, "InvalidInput", 5), failedBy(501, "NotImplemented", 2)}, nil,
			"(400 InvalidInput 5.0%, Timeout 3.0%, and others)", true},
		{"one in a hundred is not many, and is told", 99, results.Causes{failedBy(400, "InvalidInput", 1)}, nil, "1.0%", false},
		{"of the reported phases one in a hundred and more", 98, bad, nil, "2.0%", true},
		{"however much went well before", 98, bad, results.Causes{{Class: results.Ok, Status: 200, Attempts: 300}}, "2.0%", true},
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
			if s.Causes.ClassAttempts(class) != of[0] || of[0] != causes.ClassAttempts(class)+prepared.ClassAttempts(class) {
				t.Errorf("seed %d: %d are %v by cause, %d by count; want %d", seed, s.Causes.ClassAttempts(class), class, of[0], causes.ClassAttempts(class)+prepared.ClassAttempts(class))
			}
			if s.PerOperation["get"].Causes.ClassAttempts(class) != of[1] || s.Phases[0].Causes.ClassAttempts(class) != of[1] || of[1] != causes.ClassAttempts(class) {
				t.Errorf("seed %d: of the reads %d are %v by cause, of the phase %d, by count %d; want %d", seed,
					s.PerOperation["get"].Causes.ClassAttempts(class), class, s.Phases[0].Causes.ClassAttempts(class), of[1], causes.ClassAttempts(class))
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
		checkSentences(t, row.name, limitsOf(record), row.words)
	}
	record := small(func(r *run) { r.manifest.Target, r.manifest.Emulator = "http://127.0.0.1:10002/devstoreaccount1", true }).record(t)
	record.Manifest.Operations[1].Filtered = true
	checkSentences(t, "an emulator does not tell, either", limitsOf(record), "of get are")
}

// limitsOf returns what a judged record does not show.
func limitsOf(record *results.Record) []string {
	return verdict.Narrate(record, verdict.Judge(record)).Limits
}
