package verdict_test

import (
	"slices"
	"strings"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
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
	for _, row := range []struct {
		name     string
		record   *results.Record
		alter    func(*results.Record)
		validity string
		says     []string
	}{
		{"an interval has two ends, a criterion, a target, steps and a price", searched(2000, 2020, results.LimitThrottled, throttled...), nil,
			results.Valid, []string{`The limit of the partition "` + fullKey + `" lies between 2,000 operations/s, which held, and 2,020/s, ` +
				"where 0.649 % of the first attempts were throttled and at most 0.5 % may be; Azure's documented target is 2,000 entities/s. " +
				"The search took 2 steps of 10s or more and counted 40,200 entities."}},
		{"a response time is told beside its bound", searched(900, 910, results.LimitP99, tried(900, 0, 49_000, results.LimitHeld), tried(910, 0, 61_000, results.LimitP99)),
			func(r *results.Record) { r.Limit.MaxP99 = new(int64); *r.Limit.MaxP99 = 50_000 },
			results.Valid, []string{"and 910/s, where the response p99 was 61.0 ms and may be 50.0 ms"}},
		{"a p99 that nobody can tell", searched(900, 910, results.LimitP99, tried(900, 0, 1, results.LimitHeld), results.LimitStep{Rate: 910, Outcome: results.LimitP99}), nil,
			results.Valid, []string{"too few operations succeeded to tell their p99"}},
		{"failures are no refusals", searched(900, 910, results.LimitFailed, tried(900, 0, 1, results.LimitHeld), results.LimitStep{Rate: 910, FailedShare: .25, Outcome: results.LimitFailed}), nil,
			results.Valid, []string{"25 % of the first attempts failed for other reasons than load"}},
		{"operations of several entities are told in both", searched(200, 202, results.LimitThrottled, results.LimitStep{Rate: 200, Offered: 2000, Outcome: results.LimitHeld}, tried(202, .1, 1, results.LimitThrottled)), nil,
			results.Valid, []string{"between 200 operations/s (2,000 entities/s), which held"}},
		{"a search that found no rate to fail", searched(8000, 0, "", tried(8000, 0, 1, results.LimitHeld)), nil,
			results.Valid, []string{"holds at least 8,000 operations/s, the highest rate that was tried"}},
		{"a search that found no rate to hold", searched(0, 2, results.LimitThrottled, tried(2, 1, 1, results.LimitThrottled)), nil,
			results.Valid, []string{"does not hold even 2 operations/s: 100 % of the first attempts were throttled"}},
		{"a generator that drops", searched(4000, 8000, results.LimitClient, tried(4000, 0, 1, results.LimitHeld), results.LimitStep{Rate: 8000, Scheduled: 80_000, Dropped: 5, Outcome: results.LimitClient}), nil,
			results.Valid, []string{"holds at least 4,000 operations/s, client-limited: at 8,000 operations/s the generator was the limit, and not the target."}},
		{"a generator that is late", searched(4000, 8000, results.LimitClient, tried(4000, 0, 1, results.LimitHeld), results.LimitStep{Rate: 8000, Scheduled: 80_000, HeldBack: 8000, Outcome: results.LimitClient}), nil,
			results.Valid, []string{"client-limited: at 8,000 operations/s the generator was the limit"}},
		{"a generator that can send nothing", searched(0, 2, results.LimitClient, results.LimitStep{Rate: 2, Scheduled: 1100, Dropped: 1100, Outcome: results.LimitClient}), nil,
			results.Valid, []string{"was not tried by any rate that the generator could send"}},
		{"what the generator could not send beyond the answer takes nothing from it",
			searched(2000, 2020, results.LimitThrottled, append([]results.LimitStep{{Rate: 8000, Scheduled: 80_000, Dropped: 5, Outcome: results.LimitClient}}, throttled...)...), nil,
			results.Valid, []string{"lies between 2,000 operations/s, which held, and 2,020/s"}},
		{"an account is told with its partitions and its own target", searched(2000, 2020, results.LimitThrottled, throttled...),
			func(r *results.Record) {
				r.Limit.Of, r.Limit.Partitions, r.Manifest.PartitionKey = results.LimitAccount, 12, ""
			},
			results.Valid, []string{"The limit of the account with its load on 12 partitions lies between", "; Azure's documented target is 20,000 entities/s"}},
		{"another target is not the documents'", searched(2000, 2020, results.LimitThrottled, throttled...),
			func(r *results.Record) { r.Manifest.Targets.Partition = 500 },
			results.Valid, []string{"; the model's target is 500 entities/s, not Azure's documented 2,000."}},
		{"a target that is not known", searched(2000, 2020, results.LimitThrottled, throttled...),
			func(r *results.Record) {
				r.Manifest.Target, r.Manifest.Targets = "https://races.example.net", results.Targets{}
			},
			results.Valid, []string{"; no target is known."}},
		{"a search that was stopped says how far it came", searched(1000, 0, "", tried(1000, 0, 1, results.LimitHeld)),
			func(r *results.Record) {
				r.Validity, r.Reasons, r.Limit.Finished = results.Partial, []string{"the run was interrupted"}, false
			},
			results.Partial, []string{"This run is partial: the run was interrupted.", "holds at least 1,000 operations/s", "; the search did not come to its end."}},
		{"a search that gave up says so", searched(1000, 2000, results.LimitThrottled, throttled...),
			func(r *results.Record) { r.Limit.Finished = false },
			results.Valid, []string{"; the steps contradicted one another until the search gave up."}},
		{"a search that came to nothing", searched(0, 0, ""),
			func(r *results.Record) { r.Validity, r.Limit.Finished = results.Partial, false },
			results.Partial, []string{"No rate was tried to the end of its step."}},
		{"a record that lacks its steps", searched(1000, 2000, results.LimitThrottled, results.LimitStep{Outcome: "broken"}), nil,
			results.Valid, []string{"a step that is not in the record did not hold"}},
	} {
		if row.alter != nil {
			row.alter(row.record)
		}
		s := verdict.Judge(row.record)
		if s.Validity != row.validity {
			t.Errorf("%s: validity = %s %v; want %s", row.name, s.Validity, s.Reasons, row.validity)
		}
		for _, part := range row.says {
			if !strings.Contains(s.Verdict, part) {
				t.Errorf("%s: the verdict is\n%s\nwant in it\n%s", row.name, s.Verdict, part)
			}
		}
		if s.Limit == nil || s.Limit == row.record.Limit {
			t.Errorf("%s: the summary's limit is %p; want a copy of the record's", row.name, s.Limit)
		}
	}
}

func TestFindingsAndLimitsOfASearch(t *testing.T) {
	dropped := results.LimitStep{Rate: 8000, Scheduled: 80_000, Dropped: 5, Outcome: results.LimitClient}
	record := searched(2000, 2020, results.LimitThrottled, dropped, tried(2000, 0, 1, results.LimitHeld), tried(2020, .1, 1, results.LimitThrottled))
	const beyond = "At 8,000 operations/s the generator was the limit; the answer does not rest on that step."
	if found := verdict.Findings(record); !slices.Contains(found, beyond) {
		t.Errorf("Findings = %q; want %q among them", found, beyond)
	}
	for _, sentence := range []string{
		"Each rate was offered for 10s or little more: what gives in after longer load is not seen.",
		"Throttled attempts were not tried again: an application that retries adds to its own load.",
		"What an idle target saves up (100ms of its allowance) is drained by half a second at 1.5 times the rate before each step; " +
			"that half second is not judged.",
	} {
		if limits := verdict.Limits(record); !slices.Contains(limits, sentence) {
			t.Errorf("Limits = %q; want %q among them", limits, sentence)
		}
	}
	record.Limit.MaxP99 = new(int64(50_000))
	const carried = "What an idle target saves up (100ms of its allowance) can carry a step of 10s by 1.0 % of its rate."
	if limits := verdict.Limits(record); !slices.Contains(limits, carried) {
		t.Errorf("Limits of a search that asks for a p99 = %q; want %q among them", limits, carried)
	}
	record.Manifest.Retry, record.Manifest.Start, record.Limit.BurstSeconds = "short", "cold", 0
	limits := strings.Join(verdict.Limits(record), "\n")
	for part, want := range map[string]bool{"beside retries by the policy short": true, "The table was new": true, "saves up": false} {
		if strings.Contains(limits, part) != want {
			t.Errorf("Limits = %q; holds %q is not %v", limits, part, want)
		}
	}
}
