package capture_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/rest"
	"loadgen/results"
	"loadgen/scenarios/capture"
)

// counted sums up what became of the operations of a run.
func counted(record *results.Record) string {
	all := record.Total(results.Everything)
	return fmt.Sprintf("%d attempts of %d operations, %d succeeded, %d waits",
		all.Attempts, all.Operations, all.Succeeded, record.RetryWaits.Count())
}

func TestRetriesAreKnownByTheirID(t *testing.T) {
	first := named(insert(0, "t", "p", "r"), "one")
	again := named(insert(500*ms, "t", "p", "r"), "one")
	third := named(insert(1500*ms, "t", "p", "r"), "one")
	other := named(insert(500*ms, "t", "p", "other"), "one")
	lost := first
	lost.Status = 0
	late := named(insert(200*time.Second, "t", "p", "r"), "one")
	long := named(first, strings.Repeat("i", 257))
	for _, row := range []struct {
		name     string
		requests []rest.Seen
		want     string
	}{
		{"without an id each is an operation", []rest.Seen{throttled(named(first, "")), named(again, "")},
			"2 attempts of 2 operations, 1 succeeded, 0 waits"},
		{"a throttled one that comes again is the same", []rest.Seen{throttled(first), again},
			"2 attempts of 1 operations, 1 succeeded, 1 waits"},
		{"as often as it comes", []rest.Seen{throttled(first), throttled(again), third},
			"3 attempts of 1 operations, 1 succeeded, 2 waits"},
		{"one that is given up ends all the same", []rest.Seen{throttled(first), throttled(again)},
			"2 attempts of 1 operations, 0 succeeded, 1 waits"},
		{"a failed one may come again", []rest.Seen{answered(first, entity.InternalError), again},
			"2 attempts of 1 operations, 1 succeeded, 1 waits"},
		{"so may one whose reply was lost", []rest.Seen{lost, again},
			"2 attempts of 1 operations, 1 succeeded, 1 waits"},
		{"one that succeeded does not", []rest.Seen{first, again},
			"2 attempts of 2 operations, 2 succeeded, 0 waits"},
		{"nor one that was told it exists", []rest.Seen{answered(first, entity.EntityAlreadyExists), again},
			"2 attempts of 2 operations, 2 succeeded, 0 waits"},
		{"another request under the same id is another", []rest.Seen{throttled(first), other},
			"2 attempts of 2 operations, 1 succeeded, 0 waits"},
		{"a retry after the window is another", []rest.Seen{throttled(first), late},
			"2 attempts of 2 operations, 1 succeeded, 0 waits"},
		{"an id that is too long is none", []rest.Seen{throttled(long), named(again, long.ClientRequestID)},
			"2 attempts of 2 operations, 1 succeeded, 0 waits"},
		{"one that comes before the first reply waits no time", []rest.Seen{throttled(first), named(insert(ms, "t", "p", "r"), "one")},
			"2 attempts of 1 operations, 1 succeeded, 0 waits"},
	} {
		s := open(t, capture.Options{})
		for _, r := range row.requests {
			s.saw(r)
			if err := s.observer.Advance(r.Done.Offset()); err != nil {
				t.Fatal(err)
			}
		}
		record := s.end()
		if got := counted(record); got != row.want {
			t.Errorf("%s: %s; want %s", row.name, got, row.want)
		}
		if all := record.Total(results.Everything); all.Retries != all.Attempts-all.Operations {
			t.Errorf("%s: %d of %d attempts of %d operations are retries; want all but the first of each",
				row.name, all.Retries, all.Attempts, all.Operations)
		}
	}
}

func TestResponseIsFromTheFirstArrivalToTheLastReply(t *testing.T) {
	s := open(t, capture.Options{})
	for i := range 20 {
		at := time.Duration(i) * time.Second
		id := fmt.Sprint("op", i)
		s.saw(named(throttled(insert(at, "t", "p", fmt.Sprint(i))), id))
		s.saw(named(insert(at+700*ms, "t", "p", fmt.Sprint(i)), id))
	}
	record := s.end()
	all := record.Total(results.Everything)
	response, service := results.QuantilesOf(all.Response), results.QuantilesOf(all.Service[results.Ok])
	for _, row := range []struct {
		what      string
		got, want int64
	}{{"response", *response.P50, 704_000}, {"service", *service.P50, 4_000},
		{"wait", *results.QuantilesOf(record.RetryWaits).P50, 698_000}} {
		if off := row.got - row.want; off < -row.want/500 || off > row.want/500 {
			t.Errorf("the median %s is %d µs; want %d", row.what, row.got, row.want)
		}
	}
	if lost := all.Offered - all.Served; all.Offered != 20 || lost != 0 {
		t.Errorf("%d entities were offered and %d not served; want 20 and 0", all.Offered, lost)
	}
}

func TestForgottenOperationsAreCounted(t *testing.T) {
	s := open(t, capture.Options{Retries: 3})
	request := func(i int, at time.Duration) rest.Seen {
		return named(insert(at, "t", "p", fmt.Sprint(i)), fmt.Sprint("op", i))
	}
	for i := range 5 {
		s.saw(throttled(request(i, time.Duration(i)*10*ms)))
	}
	// The first two had to make room for the last two.
	for i := range 5 {
		s.saw(request(i, time.Second+time.Duration(i)*10*ms))
	}
	record := s.end()
	if got, want := counted(record), "10 attempts of 7 operations, 5 succeeded, 3 waits"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if got := record.Capture.Forgotten; got != 2 {
		t.Errorf("%d operations were forgotten; want 2", got)
	}
}

// What ends with its window does so on its own, in a second that is still open.
func TestOperationsEndWithTheirWindow(t *testing.T) {
	s := open(t, capture.Options{Window: 10 * time.Second, Hold: time.Second})
	s.saw(named(throttled(get(0, "t", "p")), "one"))
	s.last = time.Minute
	for at := time.Second; at < time.Minute; at += time.Second {
		if err := s.observer.Advance(at); err != nil {
			t.Fatal(err)
		}
	}
	record := s.end()
	if record.Misplaced != 0 {
		t.Errorf("%d counts are misplaced; want none", record.Misplaced)
	}
	for _, second := range record.Intervals {
		if want := int64(0); second.Operations != want && second.Second != 9 {
			t.Errorf("an operation ended in second %d; want it to be noted in second 9, the oldest that was open", second.Second)
		}
	}
	if lost := record.Phases[0].Kinds[0].Lost; lost.Max() != 2000 {
		t.Errorf("the operation took %d µs; want the 2 ms to its last reply", lost.Max())
	}
}

func TestRequestsWithoutAnIDAreCounted(t *testing.T) {
	s := open(t, capture.Options{})
	for i := range 7 {
		s.saw(named(get(0, "t", "p"), strings.Repeat("x", i%2)))
	}
	s.saw(named(get(0, "t", "p"), strings.Repeat("x", 257)))
	if got := s.end().Capture.Unnamed; got != 5 {
		t.Errorf("%d requests without an id; want 4, and the one whose id is too long", got)
	}
}

// A retry brings no more load than its operation already was.
func TestRetriesAreNotOfferedAgain(t *testing.T) {
	s := open(t, capture.Options{})
	for i := range 10 {
		r := insert(time.Duration(i)*10*ms, "t", "p", fmt.Sprint(i))
		s.saw(named(throttled(r), r.RowKey))
		r.Arrived, r.Done = r.Arrived+500*ms, r.Done+500*ms
		s.saw(named(r, r.RowKey))
	}
	if p := s.end().Capture.Partitions[0]; p.Offered != 10 || p.Busiest != 10 || p.Requests != 20 {
		t.Errorf("the partition = %+v; want 10 entities offered and counted by 20 requests", p)
	}
}
