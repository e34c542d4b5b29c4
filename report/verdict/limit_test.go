package verdict_test

import (
	"strings"
	"testing"

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
			fullKey + "|2,000 operations/s|2,020/s|0.649 %|0.5 %|2,000/s"},
		{"a response time is told beside its bound", searched(900, 910, results.LimitP99, tried(900, 0, 49_000, results.LimitHeld), tried(910, 0, 61_000, results.LimitP99)),
			func(r *results.Record) { r.Limit.MaxP99 = new(int64(50_000)) }, "910/s|61.0 ms|50.0 ms"},
		{"a p99 that nobody can tell", beside(900, 910, results.LimitP99, results.LimitStep{}), nil, "too few|p99"},
		{"failures are no refusals", beside(900, 910, results.LimitFailed, results.LimitStep{FailedShare: .25}), nil, "25 %|failed"},
		{"operations of several entities are told in both", searched(200, 202, results.LimitThrottled,
			results.LimitStep{Rate: 200, Offered: 2000, Outcome: results.LimitHeld}, tried(202, .1, 1, results.LimitThrottled)), nil,
			"200 operations/s (2,000 entities/s)"},
		{"no rate that fails", searched(8000, 0, "", tried(8000, 0, 1, results.LimitHeld)), nil, "at least 8,000 operations/s"},
		{"no rate that holds", searched(0, 2, results.LimitThrottled, tried(2, 1, 1, results.LimitThrottled)), nil, "even 2 operations/s|100 %"},
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
	checkSentences(t, "a search", verdict.Limits(record), "10s|100ms|1.5 times|not retried")
	record.Limit.MaxP99 = new(int64(50_000))
	checkSentences(t, "a search that asks for a p99", verdict.Limits(record), "100ms|rate of a step|1.0 %")
	record.Manifest.Retry, record.Manifest.Start, record.Limit.BurstSeconds = "short", "cold", 0
	checkSentences(t, "a search with retries at a new table", verdict.Limits(record), "policy short|The table was new|!saves up")
}

// Clients that wait offer no more than is answered: what they were served is told,
// and that it is no limit. Throttling of less than 1 % of the attempts of each second shows no
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
		{"a closed loop", []int{400}, closed, 1, "Clients that wait|200 entities/s|50.0 %|!no step", "Clients that wait|!no step"},
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
		{"nothing throttled", []int{50}, nil, 1, "0 % of the operations", ""},
		{"one in 201", []int{201}, nil, 1, "0.5 % lost", ""},
		{"two in 202", []int{202}, nil, 1, "1.0 % lost", ""},
	} {
		record := small(func(r *run) { r.rates = row.rates }).record(t)
		if row.change != nil {
			row.change(record)
		}
		if got := figure.Shown(record); len(got) != row.shown || row.shown > 0 && got[0].Closed() != (row.change != nil) {
			t.Errorf("%s: Shown = %d steps; want %d", row.name, len(got), row.shown)
		}
		resultstest.CheckWords(t, row.name, story(record), row.verdict)
		resultstest.CheckWords(t, row.name, strings.ReplaceAll(strings.Join(verdict.Limits(record), "\n"), "clients that", "Clients that"), row.limits)
	}
}
