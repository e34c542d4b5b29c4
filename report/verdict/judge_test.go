package verdict_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
)

func TestSummaryCountsTheWholeRun(t *testing.T) {
	r := &run{manifest: manifest(), serves: 100, rates: []int{80, 200}, seconds: 4, retries: 1, dropped: 50, failed: 33, late: 40}
	record := r.record(t)
	all := record.Total(results.Everything)
	s := verdict.Judge(record)
	got := []int64{s.Scheduled, s.Sent, s.Dropped, s.Late, s.Operations, s.Attempts, s.OkAttempts, s.Throttled, s.Failed,
		s.EntitiesCounted, s.EntitiesReturned}
	want := []int64{all.Scheduled, all.Sent, all.Dropped, all.Late, all.Operations, all.Attempts, all.Ok, all.Throttled,
		all.Failed, all.Counted, all.Returned}
	assert.Equal(t, want, got, "counts")
	assert.Falsef(t, slices.Contains(got, 0), "counts are %v; want a run in which none is 0", got)
	sum := results.OperationSummary{}
	for _, kind := range s.PerOperation {
		sum.Operations += kind.Operations
		sum.Attempts += kind.Attempts
		sum.OkAttempts += kind.OkAttempts
		sum.Throttled += kind.Throttled
		sum.Failed += kind.Failed
	}
	if diff := cmp.Diff(results.OperationSummary{Operations: all.Operations, Attempts: all.Attempts, OkAttempts: all.Ok,
		Throttled: all.Throttled, Failed: all.Failed}, sum); diff != "" {
		t.Errorf("per_operation does not sum to the run (-record +sum):\n%s", diff)
	}
	head := []any{s.Scenario, s.Target, s.Start, s.Profile, s.Seed, s.Started, s.DurationS}
	assert.Equal(t, []any{"stress", "in-process", "warm", "documented", uint64(1), "2011-11-06T14:40:00Z", 14.0}, head,
		"head")
}

func TestQuantilesAreOfReportedPhases(t *testing.T) {
	r := stress()
	r.retries = 1
	record := r.record(t)
	s := verdict.Judge(record)
	measured := record.Total(results.Reported)
	assert.Equal(t, results.QuantilesOf(measured.Response), s.Response, "response")
	assert.Equal(t, []int64{4001, 4001}, []int64{*s.Service.P50, *s.Service.Max}, "the 4 ms of ok attempts")
	assert.Truef(t, s.RetryWaits.P50 != nil && *s.RetryWaits.P50/1000 == 1000,
		"RetryWaits = %+v; want a second", s.RetryWaits)
	record.Phases[0].Reported, record.Phases[1].Reported = false, false
	if s := verdict.Judge(record); s.Response.Max != nil || len(s.Phases) != 0 || s.Hottest != nil || s.Saturation != nil {
		t.Errorf("without reported phases response is %+v, phases %v; want none", s.Response, s.Phases)
	}
}

// The share that is throttled is of the reported phases, whatever a warm-up met.
func TestThrottledShareIsOfTheReportedPhases(t *testing.T) {
	record := &results.Record{Validity: results.Valid, Duration: time.Minute, Manifest: results.Manifest{Operations: []results.Kind{{Name: "get"}}}}
	for i, throttled := range []int64{60, 30, 0} {
		begin := time.Duration(i) * 10 * time.Second
		record.Phases = append(record.Phases, results.Phase{Name: fmt.Sprint(i), Begin: begin, End: begin + 10*time.Second, Rate: 10, Reported: i > 0,
			Kinds: []results.KindStats{{Counts: results.Counts{Scheduled: 100, Sent: 100, Operations: 100, Attempts: 100, Ok: 100 - throttled, Throttled: throttled}}}})
	}
	for phases, want := range map[int]*float64{3: new(.15), 2: new(.3), 1: nil} {
		part := *record
		part.Phases = part.Phases[:phases]
		assert.Equalf(t, want, verdict.Judge(&part).ShareThrottled, "of %d phases the share throttled", phases)
	}
}

func TestTheHottestPartitionOfTheSummary(t *testing.T) {
	record := &results.Record{Validity: results.Valid, Duration: time.Minute, Phases: []results.Phase{
		{Name: "long", End: 20 * time.Second, Reported: true, PartitionsOver: 900,
			Partitions: []results.PartitionStats{{Table: "ByState", Key: "full", Entities: 2000, Busiest: 190}}}}}
	want := &results.HottestPartition{Table: "ByState", Key: "full", EntitiesPerSecond: 190, Mean: 100, AtLeast: true}
	assert.Equal(t, want, verdict.Judge(record).Hottest, "Hottest")
}

func TestJudgeLeavesTheRecordAlone(t *testing.T) {
	record := stress().record(t)
	before := fmt.Sprintf("%+v", record)
	text, _ := json.Marshal(record)
	s := verdict.Judge(record)
	s.Reasons = append(s.Reasons, "more")
	verdict.Findings(record)
	after, _ := json.Marshal(record)
	assert.True(t, fmt.Sprintf("%+v", record) == before && string(after) == string(text), "Judge changed the record")
}
