package rest_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/engine/model"
	"loadgen/engine/rest"

	"loadgen/engine/rest/resttest"
)

// aborts reports whether a request gets no reply at all.
func (s *service) aborts(method, target, body string, headers ...string) (aborted bool) {
	defer func() {
		if why := recover(); why != nil {
			aborted = errors.Is(why.(error), http.ErrAbortHandler)
		}
	}()
	s.Do(method, target, body, headers...)
	return false
}

func TestFaults(t *testing.T) {
	const full = `{"PartitionKey":"full","RowKey":"1"}`
	rule := func(kind engine.FaultKind, moment engine.FaultMoment, by time.Duration) *engine.FaultPlan {
		return &engine.FaultPlan{Rules: []engine.FaultRule{{Kind: kind, Moment: moment, By: by, KeyPrefix: "full",
			From: time.Second, To: 3 * time.Second, Share: engine.WholeShare}}}
	}
	for _, row := range []struct {
		name    string
		plan    *engine.FaultPlan
		lost    bool
		written bool
		leaves  time.Duration
	}{
		{"no plan", nil, false, true, time.Second},
		{"an empty plan", &engine.FaultPlan{}, false, true, time.Second},
		{"a request lost on its way", rule(engine.FaultDrop, engine.FaultBefore, 100*time.Millisecond), true, false, 1100 * time.Millisecond},
		{"a reply lost on its way", rule(engine.FaultDrop, engine.FaultAfter, 100*time.Millisecond), true, true, 1100 * time.Millisecond},
		{"a request refused", rule(engine.FaultRefuse, 0, 50*time.Millisecond), false, false, 1050 * time.Millisecond},
		{"a reply held back", rule(engine.FaultDelay, 0, 200*time.Millisecond), false, true, 1200 * time.Millisecond},
		{"a reply frozen", rule(engine.FaultFreeze, 0, 0), false, true, 3 * time.Second},
	} {
		s := withTable(t, resttest.Options{Rest: rest.Options{Faults: row.plan}})
		s.Clock.Set(time.Second)
		if got := s.aborts("POST", races, full); got != row.lost {
			t.Errorf("%s: lost = %v; want %v", row.name, got, row.lost)
		}
		if got := s.Clock.Now().Offset(); got != row.leaves {
			t.Errorf("%s: the reply leaves at %v; want %v", row.name, got, row.leaves)
		}
		want := engine.Counts{Requests: 2, Ok: 2, Entities: 1}
		if row.lost {
			want.Ok, want.Failed = 1, 1
		}
		if !row.written {
			want.Entities = 0
		}
		if !row.written && !row.lost {
			want.Ok, want.Throttled = 1, 1
		}
		if got := s.Counts(); got != want {
			t.Errorf("%s: Counts() = %+v; want %+v", row.name, got, want)
		}
		s.Clock.Set(4 * time.Second)
		status := 404
		if row.written {
			status = 200
		}
		s.Want(t, status, "GET", "/contoso/Races(PartitionKey='full',RowKey='1')", "")
	}
}

// The rule meets one partition, whatever the request looks like.
func TestFaultsGoByPartition(t *testing.T) {
	s := withTable(t, resttest.Options{Rest: rest.Options{Faults: &engine.FaultPlan{Rules: []engine.FaultRule{{Kind: engine.FaultDrop,
		Moment: engine.FaultBefore, KeyPrefix: "full", To: time.Hour, Share: engine.WholeShare}}}}})
	for _, row := range []struct {
		name, method, target, body string
		lost                       bool
		headers                    []string
	}{
		{"an insert", "POST", races, `{"PartitionKey":"full","RowKey":"1"}`, true, nil},
		{"an insert elsewhere", "POST", races, `{"PartitionKey":"half","RowKey":"1"}`, false, nil},
		{"a get", "GET", runner, "", true, nil},
		{"an upsert", "PUT", runner, "{}", true, nil},
		{"a delete", "DELETE", runner, "", true, []string{"If-Match: *"}},
		{"a transaction", "POST", "/contoso/$batch", deleteBatch, true, []string{batchType}},
		{"a transaction elsewhere", "POST", "/contoso/$batch", insertBatch("half", "2"), false, []string{batchType}},
		{"a query of the partition", "GET", races + "?$filter=PartitionKey%20eq%20'full'", "", true, nil},
		{"a query of them all", "GET", races, "", false, nil},
		{"a list of tables", "GET", "/contoso/Tables", "", false, nil},
		{"a bad request", "POST", races, "{", false, nil},
	} {
		if got := s.aborts(row.method, row.target, row.body, row.headers...); got != row.lost {
			t.Errorf("%s: lost = %v; want %v", row.name, got, row.lost)
		}
	}
}

// A share of the requests is a matter of the seed, and of nothing else.
func TestFaultsAreDrawnBySeed(t *testing.T) {
	draw := func() (lost []int) {
		s := newService(t, resttest.Options{Rest: rest.Options{Faults: &engine.FaultPlan{Rules: []engine.FaultRule{{Kind: engine.FaultDrop,
			Moment: engine.FaultAfter, To: time.Hour, Share: engine.WholeShare / 4}}}}})
		for i := range 200 {
			if s.aborts("GET", "/contoso/Tables", "") {
				lost = append(lost, i)
			}
		}
		return lost
	}
	first, second := draw(), draw()
	if len(first) < 30 || len(first) > 70 || len(first) != len(second) {
		t.Fatalf("lost %d and %d of 200; want a quarter, twice the same", len(first), len(second))
	}
	for i := range first {
		if first[i] != second[i] {
			t.Fatalf("lost %v and %v; want the same", first, second)
		}
	}
}

func TestASenderThatIsGoneIsAFailure(t *testing.T) {
	s := newService(t, resttest.Options{Profile: model.Documented})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	func() {
		defer func() { _ = recover() }()
		r := resttest.NewRequest("GET", runner, "").WithContext(ctx)
		s.ServeHTTP(httptest.NewRecorder(), r)
		t.Error("ServeHTTP returned; want the connection aborted")
	}()
	if got, want := s.Counts(), (engine.Counts{Requests: 1, Failed: 1}); got != want {
		t.Errorf("Counts() = %+v; want %+v", got, want)
	}
}

// Under a limit some are refused; handler, engine and sender agree on how many.
func TestRefusalsKeepTheBooks(t *testing.T) {
	s := withTable(t, resttest.Options{Profile: model.Documented, Settings: []string{"partition_target=100", "partition_burst=100ms", "time_spread=0"}})
	statuses := make(map[int]int64)
	for i := range 400 {
		// Ten at a time, and as much time as ten are allowed in a second.
		s.Clock.Set(time.Duration(i/10) * 50 * time.Millisecond)
		statuses[s.Do("GET", runner, "").Code]++
		statuses[s.Do("POST", "/contoso/$batch", insertBatch("full", "1", "2"), batchType).Code]++
	}
	got, engines := s.Counts(), s.Engine.Counts()
	if statuses[503] < 100 || statuses[404] < 10 || got.Throttled != statuses[503] {
		t.Errorf("statuses = %v, Counts() = %+v; want as many refused as 503s, and many", statuses, got)
	}
	if got.Requests != 801 || got.Requests != got.Ok+got.Throttled+got.Failed || got != engines {
		t.Errorf("Counts() = %+v, the engine's %+v; want 801 requests and the same", got, engines)
	}
}
