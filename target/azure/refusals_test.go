package azure

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/results"
)

func TestLimits(t *testing.T) {
	for _, row := range []struct {
		sentence string
		status   int
		code     entity.Code
		message  string
		want     string
	}{
		{"the account's requests", 503, "ServerBusy", "Operations per second is over the account limit.\nRequestId:1", "account"},
		{"what the account takes in", 503, "ServerBusy", "Ingress is over the account limit.", "ingress"},
		{"what the account gives out", 503, "ServerBusy", "Egress is over the account limit.", "egress"},
		{"a partition server", 503, "ServerBusy", "The server is currently unable to receive requests. Please retry your request.", "partition"},
		{"a partition server, by its other sentence", 503, "ServerBusy", "The server is busy.", "partition"},
		{"an operation that was not finished", 500, "OperationTimedOut", "Operation could not be completed within the specified time.", "time"},
		{"a gateway that waited", 504, "", "", "time"},
		{"request units of Cosmos DB", 429, "TooManyRequests", "Request rate is large.", "request units"},
		{"a fault of the service", 500, "InternalError", "The server encountered an internal error.", "internal"},
		{"a refusal that says nothing", 503, "", "", "unsaid"},
	} {
		assert.Equalf(t, row.want, serviceLimit(row.status, row.code, row.message), "%s: serviceLimit", row.sentence)
	}
}

// Of attempts that are drawn, from many goroutines, all refusals are counted, and the ten
// slowest are the ten slowest: sorting all of them says which.
func TestABookKeepsTheSlowestAndCountsAll(t *testing.T) {
	const workers, each = 8, 500
	var book refusalLog
	var under sync.WaitGroup
	drawn := make([]results.SaidRequest, workers*each)
	for w := range workers {
		chance := rand.New(rand.NewPCG(31, uint64(w)))
		under.Go(func() {
			for n := range each {
				one := &drawn[w*each+n]
				one.At, one.RequestID = time.Duration(n), fmt.Sprint(w, n)
				one.Took = time.Duration(chance.Int64N(int64(time.Second)))
				one.Status = []int{200, 204, 404, 503, 500, 429}[chance.IntN(6)]
				if book.notable(one.Status, one.Took) {
					book.add(*one, "run", uint64(n), "")
				}
			}
		})
	}
	under.Wait()
	said := book.report(0)
	slices.SortFunc(drawn, func(a, b results.SaidRequest) int { return cmp.Compare(b.Took, a.Took) })
	require.Len(t, said.Slowest, 10, "slow requests that are kept")
	for i, one := range said.Slowest {
		assert.Equalf(t, drawn[i].Took, one.Took, "the slowest number %d took", i)
	}
	refused := map[int]int64{}
	for _, one := range drawn {
		refused[one.Status]++
	}
	for _, one := range said.Refusals {
		assert.Truef(t, isRefusal(one.Status) && one.Count == refused[one.Status] && len(one.First) == 4,
			"%d: %d are counted, %d kept; want %d, and 4", one.Status, one.Count, len(one.First), refused[one.Status])
	}
	assert.Truef(t, len(said.Refusals) == 3 && said.Dropped == 0,
		"%d kinds, %d dropped; want 3 and none", len(said.Refusals), said.Dropped)
}

// What a service may make up does not grow without bound, and what is left out is counted.
func TestABookIsBounded(t *testing.T) {
	var book refusalLog
	for n := range 1000 {
		book.add(results.SaidRequest{Status: 503, Code: fmt.Sprint("Code", n)}, "run", uint64(n), "")
	}
	said := book.report(0)
	var counted int64
	for _, one := range said.Refusals {
		counted += one.Count
	}
	assert.Truef(t, len(said.Refusals) <= 24 && counted+said.Dropped == 1000,
		"%d kinds of %d, %d dropped; want 24 at most, of 1000 in all", len(said.Refusals), counted, said.Dropped)
}
