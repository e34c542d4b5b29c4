package told_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target/azure/told"
)

func TestLimits(t *testing.T) {
	for _, row := range []struct {
		sentence string
		status   int
		code     entity.Code
		message  string
		want     told.Limit
	}{
		{"the account's requests", 503, "ServerBusy", "Operations per second is over the account limit.\nRequestId:1", told.Account},
		{"what the account takes in", 503, "ServerBusy", "Ingress is over the account limit.", told.Ingress},
		{"what the account gives out", 503, "ServerBusy", "Egress is over the account limit.", told.Egress},
		{"a partition server", 503, "ServerBusy", "The server is currently unable to receive requests. Please retry your request.", told.Partition},
		{"a partition server, by its other sentence", 503, "ServerBusy", "The server is busy.", told.Partition},
		{"an operation that was not finished", 500, "OperationTimedOut", "Operation could not be completed within the specified time.", told.Time},
		{"a gateway that waited", 504, "", "", told.Time},
		{"request units of Cosmos DB", 429, "TooManyRequests", "Request rate is large.", told.RequestUnits},
		{"request units, without a message", 429, "", "", told.RequestUnits},
		{"a fault of the service", 500, "InternalError", "The server encountered an internal error.", told.Internal},
		{"a refusal that says nothing", 503, "", "", told.Unsaid},
	} {
		if got := told.LimitOf(row.status, row.code, row.message); got != row.want {
			t.Errorf("%s: LimitOf = %s; want %s", row.sentence, got, row.want)
		}
	}
}

// Of attempts that are drawn, from many goroutines, all refusals are counted, and the ten
// slowest are the ten slowest: sorting all of them says which.
func TestABookKeepsTheSlowestAndCountsAll(t *testing.T) {
	const workers, each = 8, 500
	var book told.Book
	var under sync.WaitGroup
	all := make([][]time.Duration, workers)
	refused := make([]map[int]int64, workers)
	for w := range workers {
		chance := rand.New(rand.NewPCG(31, uint64(w)))
		refused[w] = make(map[int]int64)
		under.Go(func() {
			for n := range each {
				took := time.Duration(chance.Int64N(int64(time.Second)))
				status := []int{200, 204, 404, 503, 500, 429}[chance.IntN(6)]
				all[w] = append(all[w], took)
				if told.Refuses(status) {
					refused[w][status]++
				}
				if book.Notable(status, took) {
					book.Take(told.Request{At: clock.Instant(n), Took: took, Status: status, ID: fmt.Sprint(w, n)}, "")
				}
			}
		})
	}
	under.Wait()
	said := book.Said()
	want := slices.Concat(all...)
	slices.Sort(want)
	slices.Reverse(want)
	if len(said.Slowest) != 10 {
		t.Fatalf("%d are kept; want 10", len(said.Slowest))
	}
	for i, one := range said.Slowest {
		if one.Took != want[i] {
			t.Errorf("the slowest number %d took %v; want %v", i, one.Took, want[i])
		}
	}
	for _, one := range said.Refusals {
		var sum int64
		for w := range workers {
			sum += refused[w][one.Status]
		}
		if one.Count != sum || len(one.First) != 4 {
			t.Errorf("%d: %d are counted, %d kept; want %d, and 4", one.Status, one.Count, len(one.First), sum)
		}
	}
	if len(said.Refusals) != 3 || said.Dropped != 0 {
		t.Errorf("%d kinds, %d dropped; want 3 and none", len(said.Refusals), said.Dropped)
	}
}

// What a service may make up does not grow without bound, and what is left out is counted.
func TestABookIsBounded(t *testing.T) {
	var book told.Book
	for n := range 1000 {
		book.Take(told.Request{Status: 503, Code: entity.Code(fmt.Sprint("Code", n))}, "")
	}
	said := book.Said()
	var counted int64
	for _, one := range said.Refusals {
		counted += one.Count
	}
	if len(said.Refusals) > 24 || counted+said.Dropped != 1000 {
		t.Errorf("%d kinds of %d, %d dropped; want 24 at most, of 1000 in all", len(said.Refusals), counted, said.Dropped)
	}
}
