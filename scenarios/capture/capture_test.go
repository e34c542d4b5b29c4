package capture_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/capture"
)

// hot offers one partition so many requests in each of some seconds, of which it
// serves the first so many, and 30 others a little.
func hot(s *scene, offered, serves, seconds int) {
	for second := range seconds {
		begin := time.Duration(second) * time.Second
		for i := range offered {
			r := get(begin+time.Duration(i)*900*ms/time.Duration(offered), "races", "2011 Full")
			if i >= serves {
				r = throttled(r)
			}
			s.saw(r)
		}
		for i := range 30 {
			s.saw(get(begin+time.Duration(i)*30*ms, "races", fmt.Sprintf("2011 other %02d", i)))
		}
	}
}

func TestHotPartitionIsNamedWithExactCounts(t *testing.T) {
	s := open(t, capture.Options{})
	hot(s, 400, 200, 6)
	record := s.end()
	o := record.Capture
	twoHundred := 200.0
	want := results.ObservedPartition{Table: "races", PartitionKey: "2011 Full", Entities: 1200, Demanded: 2400, Requests: 2400, Throttled: 1200,
		Seconds: 6, Typical: 200, Busiest: 200, Offered: 400, Saturation: &twoHundred, SaturationInterval: []float64{200, 200}}
	assert.Empty(t, cmp.Diff(want, o.Partitions[0]), "the hottest partition differs (-want +got):\n")
	assert.Truef(t, o.PartitionsTold == 31 && o.PartitionsDropped == 0 && len(o.Partitions) == 20,
		"%d partitions told apart, %d dropped, %d kept; want 31, 0, 20", o.PartitionsTold, o.PartitionsDropped, len(o.Partitions))
	if got := o.Partitions[1]; got.PartitionKey != "2011 other 00" || got.Entities != 6 || got.Saturation != nil {
		t.Errorf("the second partition = %+v; want the first of the equal ones, with 6 entities and no saturation", got)
	}
	assert.Truef(t, o.ThrottledByPartition == 1200 && o.ThrottledByAccount == 0,
		"throttled by partitions %d, by the account %d; want 1,200 and 0", o.ThrottledByPartition, o.ThrottledByAccount)
	summary := verdict.Judge(record)
	assert.Truef(t, summary.Saturation != nil && *summary.Saturation == 200 && summary.Hottest.Key == "2011 Full" && summary.Validity == results.Valid,
		"the summary saturates at %v, names %+v and is %s", summary.Saturation, summary.Hottest, summary.Validity)
	assert.Truef(t, strings.Contains(summary.Verdict, `"2011 Full"`) && summary.State == results.NotSound,
		"%s: Verdict = %q; want %s, and the partition named", summary.State, summary.Verdict, results.NotSound)
	// Whatever became of single operations: of thousands that are served one that fails says nothing.
	s = open(t, capture.Options{})
	hot(s, 400, 400, 6)
	s.saw(answered(get(6*time.Second, "races", "2011 Full"), entity.InvalidInput))
	if got := verdict.Judge(s.end()); got.State != results.Sound {
		t.Errorf("one 400 among thousands: %s, for %q; want %s", got.State, got.Verdict, results.Sound)
	}
}

// A partition that serves next to nothing because it refuses nearly all is the
// hottest, however many others serve more, and however little room there is.
func TestHottestIsWhatMostIsDemandedOf(t *testing.T) {
	for _, places := range []int{capture.DefaultPartitions, 40} {
		s := open(t, capture.Options{Partitions: places})
		for i := range 200 {
			for range 6 {
				s.saw(get(time.Duration(i)*ms, "races", fmt.Sprintf("calm %03d", i)))
			}
			r := get(time.Duration(i)*ms, "races", "2011 Full")
			if i >= 5 {
				r = throttled(r)
			}
			s.saw(r)
		}
		record := s.end()
		if p := record.Capture.Partitions[0]; p.PartitionKey != "2011 Full" || p.Entities+p.Missed < 5 || p.Demanded < 160 {
			t.Errorf("with %d places the hottest partition = %+v; want the one that throttled 195 of 200", places, p)
		}
		assert.Containsf(t, verdict.Judge(record).Verdict, `"2011 Full"`, "with %d places the verdict", places)
	}
}

// The account's refusals are not the partition's.
func TestAccountIsToldFromPartition(t *testing.T) {
	s := open(t, capture.Options{})
	s.loads([][2]int{{5, 5}, {5, 5}, {5, 5}, {5, 5}}, throttledByAccount)
	o := s.end().Capture
	p := o.Partitions[0]
	assert.Truef(t, o.ThrottledByAccount == 20 && o.ThrottledByPartition == 0 && p.Throttled == 0 && p.AccountThrottled == 20 && p.Saturation == nil,
		"throttled %+v, of the partition %+v; want 20 by the account alone", o, p)
}

func TestSaturationIsThatOfAnyLoad(t *testing.T) {
	for _, row := range []struct {
		name string
		// Of each second: how many are served, how many throttled.
		seconds   [][2]int
		want, why string
	}{
		{"a limit serves the same, whatever is asked", [][2]int{{20, 9}, {20, 15}, {20, 12}, {20, 30}, {20, 10}, {20, 22}}, "20 [20 20]", ""},
		{"two seconds are no evidence", [][2]int{{20, 9}, {20, 9}}, "none", "throttling in only 2 s"},
		{"a blip among many is none", [][2]int{{20, 0}, {20, 0}, {20, 0}, {10, 10}, {11, 9}, {9, 11}, {20, 0}, {20, 0}, {20, 0}}, "none", "throttling in only 3 s"},
		{"three that are all there was are", [][2]int{{20, 9}, {20, 15}, {20, 12}}, "20 [20 20]", ""},
		{"a share of any load is sporadic", slices.Repeat([][2]int{{10, 1}, {20, 2}, {40, 4}, {80, 8}, {100, 10}, {60, 6}}, 2), "none", "sporadic throttling"},
		{"a partition that serves nothing is out", [][2]int{{0, 9}, {0, 9}, {0, 9}, {0, 9}, {0, 9}, {0, 9}}, "none", "an outage"},
	} {
		s := open(t, capture.Options{})
		s.loads(row.seconds, throttled)
		p := s.end().Capture.Partitions[0]
		got := "none"
		if p.Saturation != nil {
			got = fmt.Sprint(*p.Saturation, " ", p.SaturationInterval)
		}
		assert.Truef(t, got == row.want && strings.Contains(p.SaturationWhy, row.why) && (p.SaturationWhy == "") == (row.why == ""),
			"%s: saturation of %v = %s, for %q; want %s, for %q", row.name, row.seconds, got, p.SaturationWhy, row.want, row.why)
	}
}

// What failed, or was throttled by the account, was not served: it says nothing of which
// share a partition takes.
func TestFailuresAreNotServed(t *testing.T) {
	for _, beside := range []int{0, 30} {
		s := open(t, capture.Options{})
		for second, load := range slices.Repeat([]int{10, 20, 40, 80, 100, 60}, 2) {
			at := func(i int) accesslog.Observed {
				return get(time.Duration(second)*time.Second+time.Duration(i)*4*ms, "t", "p")
			}
			for i := range load {
				r := at(i)
				if i%5 == 4 {
					r = throttled(r)
				}
				s.saw(r)
			}
			for i := range beside {
				s.saw(throttledByAccount(at(load + i)))
				r := answered(at(load+i), entity.InvalidInput)
				r.Counted = 0
				s.saw(r)
			}
		}
		p := s.end().Capture.Partitions[0]
		assert.Truef(t, strings.Contains(p.SaturationWhy, "sporadic throttling: the same share"),
			"beside %d failures a second, and as many throttled by the account, saturation = %v, for %q; want that a fifth is throttled whatever is asked", beside, p.Saturation, p.SaturationWhy)
	}
}

// A long run's median comes from a part of its seconds, which is spread over all
// of them.
func TestTypicalSecondOfALongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 2,400 seconds")
	}
	s := open(t, capture.Options{})
	const seconds = 2400
	s.loads(append(slices.Repeat([][2]int{{4, 0}}, seconds*5/9), slices.Repeat([][2]int{{9, 0}}, seconds-seconds*5/9)...), nil)
	p := s.end().Capture.Partitions[0]
	assert.Truef(t, p.Seconds == seconds && p.Typical == 4 && p.Busiest == 9,
		"%d seconds, typically %v, at most %d; want %d, 4 and 9", p.Seconds, p.Typical, p.Busiest, seconds)
}

func TestScansAreNamedByShapeWithExactDensity(t *testing.T) {
	s := open(t, capture.Options{})
	for i := range 20 {
		at := clock.Instant(i) * 100 * ms
		s.saw(accesslog.Observed{Arrived: at, EndToEnd: 50 * ms, Verb: entity.Query, Table: "races", PartitionKey: "Full", HasPartition: true,
			Status: 200, Counted: 1000, Returned: 10, Shape: "PartitionKey eq ? and Price gt ?", Class: "partition scan"})
		s.saw(accesslog.Observed{Arrived: at, EndToEnd: 50 * ms, Verb: entity.Query, Table: "races", Status: 200, Counted: 30, Returned: 30,
			Spans: []accesslog.Span{{PartitionKey: "Full", Counted: 10}, {PartitionKey: "Half", Counted: 20}}, Class: "table scan"})
	}
	s.saw(throttled(accesslog.Observed{Arrived: 2100 * ms, Verb: entity.Query, Table: "races", Class: "table scan"}))
	o := s.end().Capture
	sparse, whole := 0.01, 1.0
	want := []results.QueryShape{
		{Table: "races", Shape: "PartitionKey eq ? and Price gt ?", Class: "partition scan", Requests: 20, Scanned: 20_000, Returned: 200, Density: &sparse},
		{Table: "races", Class: "table scan", Requests: 21, Throttled: 1, Scanned: 600, Returned: 600, Density: &whole},
	}
	assert.Empty(t, cmp.Diff(want, o.Shapes), "the shapes differ (-want +got):\n")
	var got []string
	for _, p := range o.Partitions {
		got = append(got, fmt.Sprint(p.PartitionKey, " ", p.Entities, " ", p.Requests, " ", p.Busiest))
	}
	// Requests that end from 0.05 s to 0.95 s: ten in each second.
	assert.Empty(t, cmp.Diff([]string{"Full 20200 40 10100", "Half 400 20 200"}, got),
		"the partitions that were crossed differ (-want +got):\n")
}

func TestAnswersAreCountedByCode(t *testing.T) {
	forbidden := accesslog.Observed{Arrived: ms, EndToEnd: ms, Status: 403, Code: entity.AuthenticationFailed}
	batch := answered(insert(3*ms, "t", "p", "r"), entity.EntityAlreadyExists)
	batch.Verb, batch.Status = entity.Batch, 202
	lost := get(4*ms, "t", "p")
	lost.Status = 0
	record := observe(t, capture.Options{}, forbidden, forbidden, forbidden, answered(get(3*ms, "t", "p"), entity.ResourceNotFound),
		answered(insert(3*ms, "t", "p", "r"), entity.InvalidInput), batch, lost)
	want := []results.Answer{
		{Status: 403, Code: "AuthenticationFailed", Class: "failed", Requests: 3, Tableless: 3},
		{Status: 200, Class: "failed", Requests: 1},
		{Status: 400, Code: "InvalidInput", Class: "failed", Requests: 1},
		{Status: 404, Code: "ResourceNotFound", Class: "ok", Requests: 1},
		{Status: 409, Code: "EntityAlreadyExists", Class: "ok", Requests: 1},
	}
	assert.Empty(t, cmp.Diff(want, record.Capture.Answers), "the answers differ (-want +got):\n")
	if all := record.Total(results.Everything); all.Handled != 2 || all.Failed != 5 || all.Ok != 2 {
		t.Errorf("ok %d, handled %d, failed %d; want 2, 2 and 5", all.Ok, all.Handled, all.Failed)
	}
}

func TestCodesBeyondTheBoundAreCounted(t *testing.T) {
	s := open(t, capture.Options{})
	for i := range 200 {
		s.saw(answered(get(ms, "t", "p"), entity.Code(fmt.Sprint("Code", i))))
	}
	if o := s.end().Capture; len(o.Answers) != 128 || o.AnswersOver != 72 {
		t.Errorf("%d codes and %d requests beyond; want 128 and 72", len(o.Answers), o.AnswersOver)
	}
}

func TestPhaseRunsFromTheFirstArrivalToTheLastReply(t *testing.T) {
	s := open(t, capture.Options{})
	// Nothing for ten minutes.
	require.NoError(t, s.observer.Advance(10*time.Minute))
	s.saw(get(10*time.Minute, "t", "p"))
	s.saw(get(10*time.Minute+9*time.Second, "t", "p"))
	record := s.end()
	phase := record.Phases[0]
	assert.Truef(t, phase.Name == capture.Phase && phase.Begin == 10*time.Minute && phase.End == 10*time.Minute+9*time.Second+3*ms+1 && phase.Reported,
		"the phase is %q from %v to %v", phase.Name, phase.Begin, phase.End)
	assert.Len(t, record.Intervals, 10, "seconds are written, and none of the ten minutes")
}

// A slow request arrived in a second that has long been written, and ends in its
// own.
func TestSlowAndLateRequestsLeaveTheBooksClosed(t *testing.T) {
	s := open(t, capture.Options{Hold: 2 * time.Second})
	for i := range 60 {
		at := time.Duration(i) * time.Second
		slow := get(max(0, at-30*time.Second), "t", "p")
		slow.EndToEnd = min(at, 30*time.Second)
		s.saw(slow)
		// One that is seen a little after others that ended later.
		s.saw(get(max(0, at-time.Second), "t", "q"))
		// And one whose clock went back.
		s.saw(accesslog.Observed{Arrived: clock.Instant(at), EndToEnd: -time.Hour, Verb: entity.Get, Table: "t", Status: 200})
	}
	s.saw(get(-time.Second, "t", "p"))
	record := s.end()
	assert.Truef(t, record.Misplaced == 0 && record.Capture.Delayed == 1,
		"%d counts are misplaced and %d requests delayed; want only the last request, which ended before the start, delayed",
		record.Misplaced, record.Capture.Delayed)
	response := results.QuantilesOf(record.Phases[0].Kinds[0].Response)
	assert.Truef(t, *response.Max >= 29_900_000 && *response.Max <= 30_100_000,
		"the longest response took %d µs; want 30 s", *response.Max)
}

func TestEmptyRunsAndTheEnd(t *testing.T) {
	s := open(t, capture.Options{})
	record := s.end()
	assert.Truef(t, len(record.Phases) == 0 && record.Capture.Requests == 0,
		"a run without traffic has %d phases; want none", len(record.Phases))
	if got := verdict.Judge(record); got.Validity != results.Valid || got.State != results.CannotTell {
		t.Errorf("it is %s: %q", got.Validity, got.Verdict)
	}
	late := get(ms, "t", "p")
	s.observer.Saw(&late)
	assert.NoError(t, errors.Join(s.observer.Advance(time.Hour), s.observer.End()), "Advance and End after the end")
}

// The server uses a request's memory again.
func TestNothingOfARequestIsKept(t *testing.T) {
	s := open(t, capture.Options{})
	room := make([]byte, 16)
	view := func(text string) string {
		copy(room, text)
		return unsafe.String(&room[0], len(text))
	}
	for i := range 40 {
		key := fmt.Sprintf("key%05d", i)
		r := named(insert(time.Duration(i)*10*ms, "t", view(key), "r"), "")
		s.saw(r)
		copy(room, strings.Repeat("x", 16))
	}
	q := accesslog.Observed{Arrived: ms, EndToEnd: ms, Verb: entity.Query, Status: 200, Counted: 9}
	q.Table = view("races")
	q.Shape, q.Class, q.ClientRequestID = q.Table, q.Table, q.Table
	q.Spans = []accesslog.Span{{PartitionKey: q.Table, Counted: 9}}
	s.saw(throttled(q))
	copy(room, strings.Repeat("x", 16))
	o := s.end().Capture
	assert.EqualValues(t, 39, o.Orders[0].Partitions.Ascending, "keys ascended")
	text := fmt.Sprint(o.Partitions, o.Shapes, o.Orders)
	assert.Truef(t, !strings.Contains(text, "xxx") && strings.Contains(text, "races"),
		"the observation holds a request's memory: %s", text)
}

func TestManyGoroutinesAreCountedOnce(t *testing.T) {
	s := open(t, capture.Options{Partitions: 8, Shapes: 4, Retries: 16})
	const senders, each = 8, 500
	var wait sync.WaitGroup
	for sender := range senders {
		for i := range each {
			r := sent(sender, i)
			s.count(&r)
			s.last = max(s.last, r.EndTime().Offset())
		}
		wait.Go(func() {
			for i := range each {
				r := sent(sender, i)
				s.observer.Saw(&r)
				if i%50 == 0 {
					assert.NoError(t, s.observer.Advance(r.EndTime().Offset()-2*time.Second), "Advance")
				}
			}
		})
	}
	wait.Wait()
	s.end()
}

// sent is request i of a sender, of every kind there is.
func sent(sender, i int) accesslog.Observed {
	rng := rand.New(rand.NewPCG(uint64(sender), uint64(i)))
	at := time.Duration(i) * 4 * ms
	r := insert(at, "t", fmt.Sprint("p", rng.IntN(30)), fmt.Sprint(i))
	switch rng.IntN(5) {
	case 0:
		r = get(at, "t", "p")
	case 1:
		r = throttled(r)
	case 2:
		r = answered(r, entity.InvalidInput)
	case 3:
		r.Verb, r.Spans = entity.Query, []accesslog.Span{{PartitionKey: "a", Counted: 1}, {PartitionKey: "b", Counted: 2}}
		r.Shape, r.Counted = fmt.Sprint("shape", rng.IntN(9)), 3
	}
	if rng.IntN(2) == 0 {
		r.ClientRequestID = fmt.Sprint("id", sender, rng.IntN(20))
	}
	return r
}
