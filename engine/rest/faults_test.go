package rest_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
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
		name          string
		plan          *engine.FaultPlan
		lost, written bool
		leaves        time.Duration
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
		assert.Equalf(t, row.lost, s.aborts("POST", races, full), "%s: lost", row.name)
		assert.Equalf(t, row.leaves, s.Clock.Now().Offset(), "%s: the reply leaves at", row.name)
		bit := map[bool]int64{true: 1}
		lost, throttled := bit[row.lost], bit[!row.lost && !row.written]
		want := engine.Counts{Requests: 2, Ok: 2 - lost - throttled, Throttled: throttled, Failed: lost, Entities: bit[row.written]}
		assert.Equalf(t, want, s.Counts(), "%s: Counts()", row.name)
		s.Clock.Set(4 * time.Second)
		s.Want(t, map[bool]int{false: 404, true: 200}[row.written], "GET", "/contoso/Races(PartitionKey='full',RowKey='1')", "")
	}
}

// A quarter of the requests is lost, the same ones for the same seed.
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
	first := draw()
	assert.InDelta(t, 50, len(first), 27, "lost of 200")
	assert.Equal(t, first, draw())
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
		assert.Equalf(t, row.lost, s.aborts(row.method, row.target, row.body, row.headers...), "%s: lost", row.name)
	}
}
