package capture_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/document"
	"loadgen/report/live"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/capture"
)

// spoiled is the traffic of an application some of whose requests come to nothing, and
// what came of them, counted by hand.
type spoiled struct {
	record   *results.Record
	causes   results.Causes
	requests int64
	failed   int64
	// hot has the requests and the failed ones of the busiest partition.
	hot [2]int64
}

// spoil plays two seconds of traffic of two partitions at so many requests a second, of
// which such shares fail in each.
func spoil(t *testing.T, rng *rand.Rand, rate int, shares [2]float64) *spoiled {
	t.Helper()
	s := open(t, capture.Options{})
	counts := make(map[results.Cause]int64)
	var p spoiled
	codes := []entity.Code{entity.InvalidInput, entity.NotImplemented, entity.InternalError, entity.AuthenticationFailed, ""}
	for i := range 2 * rate {
		key := i % 4 / 3 // of four requests three go to the hot one
		r := get(time.Duration(i)*time.Second/time.Duration(rate), "races", []string{"Berlin", "Oslo"}[key])
		p.requests++
		if key == 0 {
			p.hot[0]++
		}
		switch failed := rng.Float64() < shares[key]; {
		case failed:
			code := codes[rng.IntN(len(codes))]
			if r = answered(r, code); code == "" {
				r.Status = 0 // it hung up
				counts[results.Cause{Code: "NoReply"}]++
			} else {
				r.Counted = 0
				counts[results.Cause{Status: code.Status(), Code: string(code)}]++
			}
			p.failed++
			if key == 0 {
				p.hot[1]++
			}
		case i%10 == 0:
			r = answered(r, entity.ResourceNotFound) // which an application may expect
		}
		s.saw(r)
	}
	for one, n := range counts {
		one.Class, one.Attempts = results.Failed, n
		p.causes = append(p.causes, one)
	}
	p.record = s.end()
	return &p
}

// Traffic of which more than a few percent fail says nothing of what a key bears, and
// says so with the share and the causes; other traffic does.
func TestTrafficThatFailsClaimsNothingOfTheKey(t *testing.T) {
	told := map[bool]int{}
	for seed := range uint64(resultstest.Cases(15, 40)) {
		rng := rand.New(rand.NewPCG(seed, 21))
		draw := []float64{0, 0.01, 0.02, 0.05, 0.1, 0.3, 0.58, 0.9, 1}
		shares := [2]float64{draw[rng.IntN(len(draw))], draw[rng.IntN(len(draw))]}
		p := spoil(t, rng, 100+rng.IntN(1000), shares)
		summary := verdict.Judge(p.record)
		unordered := cmpopts.SortSlices(func(a, b results.Cause) bool { return a.String() < b.String() })
		for name, got := range map[string]results.Causes{"phase": p.record.Phases[0].Kinds[0].Causes, "run": summary.Causes, "operation": summary.PerOperation["get"].Causes} {
			assert.Emptyf(t, cmp.Diff(p.causes, got, cmpopts.EquateEmpty(), unordered),
				"seed %d: the causes of the %s differ (-by hand +got):\n", seed, name)
		}
		share := float64(p.failed) / float64(p.requests)
		failing := share > 0.03 || float64(p.hot[1])/float64(p.hot[0]) > 0.03
		told[failing]++
		want := results.Sound
		if failing {
			want = results.NotSound
		}
		assert.Truef(t, summary.State == want,
			"seed %d: of %d requests %d failed, of those of the hot partition %v: %s, %q; want %s", seed, p.requests, p.failed,
			p.hot, summary.State, summary.Verdict, want)
		if failing {
			commonest := fmt.Sprint(p.record.Phases[0].Kinds[0].Causes[0])
			if !strings.Contains(summary.Verdict, document.Share(share)) || !strings.Contains(summary.Verdict, commonest) {
				t.Errorf("seed %d: %q does not name %s and %s", seed, summary.Verdict, document.Share(share), commonest)
			}
		}
		for _, seen := range p.record.Capture.Partitions {
			assert.Truef(t, seen.PartitionKey != "Berlin" || seen.Requests == p.hot[0] && seen.Failed == p.hot[1],
				"seed %d: Berlin has %d requests, %d failed; want %v", seed, seen.Requests, seen.Failed, p.hot)
		}
	}
	assert.Truef(t, told[true] >= 5 && told[false] >= 2, "%v of the drawn traffic failed; want enough of both", told)
}

// What was asked for in a second that one partition could not have served is a limit,
// whatever failed beside it.
func TestTrafficThatFailsAndIsTooMuchNeedsMoreKeys(t *testing.T) {
	p := spoil(t, rand.New(rand.NewPCG(1, 1)), 6000, [2]float64{0.1, 0.1})
	assert.Contains(t, verdict.Judge(p.record).Verdict, "spread it over at least 3 partitions",
		"a partition of 4,000 entities/s")
}

// A body for which there was no room is a failure with a status of its own, and nothing
// that a partition or the account throttled.
func TestCrowdedRequestsWereNotThrottled(t *testing.T) {
	s := open(t, capture.Options{})
	for i := range 300 {
		at := time.Duration(i) * 10 * time.Millisecond
		s.saw(get(at, "races", "Berlin"))
		if i%3 == 0 {
			s.saw(accesslog.Observed{Arrived: clock.Instant(at), Status: 503, Code: entity.ServerBusy, Crowded: true})
		}
	}
	record := s.end()
	if o := record.Capture; o.Requests != 400 || o.ThrottledByPartition != 0 || o.ThrottledByAccount != 0 {
		t.Errorf("of %d requests partitions throttled %d and the account %d; want nothing throttled of 400", o.Requests, o.ThrottledByPartition, o.ThrottledByAccount)
	}
	want := results.Causes{{Class: results.Failed, Status: 503, Code: "ServerBusy", Attempts: 100}}
	got := verdict.Judge(record).Causes
	assert.Truef(t, cmp.Equal(got, want), "causes = %v; want %v", got, want)
}

// A live view has the same counts as the record, and the load of partitions, also of those that a query touches.
func TestLiveViewHasTheCountsOfTheRecord(t *testing.T) {
	s, stats := open(t, capture.Options{}), live.New()
	stats.Read(s.recorder)
	met := make(map[string]bool)
	s.observer.Touched(func(_, key string) { met[key] = true })
	for i := range 10 {
		at := time.Duration(i) * 10 * time.Millisecond
		s.saw(insert(at, "races", "Full", fmt.Sprint(i)))
		s.saw(named(throttled(insert(at, "races", "Half", fmt.Sprint(i))), fmt.Sprint("id ", i)))
	}
	for i := range 10 {
		s.saw(named(insert(200*time.Millisecond, "races", "Half", fmt.Sprint(i)), fmt.Sprint("id ", i)))
	}
	s.saw(accesslog.Observed{Arrived: 300 * ms, EndToEnd: 10 * ms, Verb: entity.Query, Table: "races", Status: 200, Counted: 30, Returned: 1,
		Spans: []accesslog.Span{{PartitionKey: "Full", Counted: 10}, {PartitionKey: "Third", Counted: 20}}, Class: "table scan"})
	costliest := s.observer.Costliest(1)
	record := s.end()
	told, second := stats.Totals(), stats.Second(0)
	phase := record.Total(func(*results.Phase, results.Kind) bool { return true })
	assert.Truef(t, told.Scheduled == phase.Scheduled && told.Attempts == phase.Attempts && told.Ok == phase.Ok && told.Throttled == phase.Throttled && told.Operations == phase.Scheduled,
		"told of %+v; the record has %d operations and %d attempts, %d ok, %d throttled", told, phase.Scheduled, phase.Attempts, phase.Ok, phase.Throttled)
	heat := make(map[string][2]int64)
	for _, w := range second.Hottest {
		heat[w.Name()] = [2]int64{w.Served, w.Throttled}
	}
	want := map[string][2]int64{"Full (table races)": {20, 0}, "Half (table races)": {10, 10}, "Third (table races)": {20, 0}}
	for name, one := range want {
		assert.Truef(t, heat[name] == one, "the heat of %s is %v; want %v served and throttled", name, heat[name], one)
	}
	assert.Lenf(t, heat, len(want), "the heat is %v", heat)
	assert.Equal(t, map[string]bool{"Full": true, "Half": true, "Third": true}, met)
	assert.Truef(t, len(costliest) == 1 && (costliest[0] == record.Capture.Shapes[0] || costliest[0].Scanned == 30),
		"the costliest query is %+v; the record has %+v", costliest, record.Capture.Shapes)
}
