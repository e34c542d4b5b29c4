package azure

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
)

// The limits of the lists of refused and slow requests.
const (
	maxRefusals = 24
	maxFirst    = 4
	maxSlowest  = 10
)

// refusalLog records refused and slow requests. The zero value is ready, it is safe for concurrent use, and
// it copies strings.
type refusalLog struct {
	mu   sync.Mutex
	said results.Said
	// floor is the minimum time of the slowest requests in nanoseconds, 0 while there is room.
	floor atomic.Int64
}

// notable reports whether an attempt has to be recorded.
func (b *refusalLog) notable(status int, took time.Duration) bool {
	return isRefusal(status) || int64(took) > b.floor.Load()
}

// isRefusal reports whether a status is a temporary refusal.
func isRefusal(status int) bool { return status == 429 || status >= 500 }

// add records an attempt with the message of its reply. The client's request id is runID-number.
func (b *refusalLog) add(r results.SaidRequest, runID string, number uint64, message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	slow := len(b.said.Slowest) < maxSlowest || int64(r.Took) > b.floor.Load()
	refusal := b.count(&r, message)
	few := refusal != nil && len(refusal.First) < maxFirst
	if !slow && !few {
		return
	}
	r.PartitionKey, r.RequestID, r.Code = strings.Clone(r.PartitionKey), strings.Clone(r.RequestID), strings.Clone(r.Code)
	r.ClientRequestID = runID + "-" + strconv.FormatUint(number, 10)
	if few {
		refusal.First = append(refusal.First, r)
	}
	if slow {
		place, _ := slices.BinarySearchFunc(b.said.Slowest, r, func(one, other results.SaidRequest) int { return cmp.Compare(other.Took, one.Took) })
		b.said.Slowest = slices.Insert(b.said.Slowest, place, r)
		b.said.Slowest = b.said.Slowest[:min(len(b.said.Slowest), maxSlowest)]
		if len(b.said.Slowest) == maxSlowest {
			b.floor.Store(int64(b.said.Slowest[maxSlowest-1].Took))
		}
	}
}

// count counts a refused request, and returns the refusals of its kind; nil for other requests and for kinds above the limit.
func (b *refusalLog) count(r *results.SaidRequest, message string) *results.Refusal {
	if !isRefusal(r.Status) {
		return nil
	}
	limit := serviceLimit(r.Status, entity.Code(r.Code), message)
	known := slices.IndexFunc(b.said.Refusals, func(one results.Refusal) bool {
		return one.Status == r.Status && one.Code == r.Code && one.Limit == limit
	})
	switch {
	case known >= 0:
	case len(b.said.Refusals) == maxRefusals:
		b.said.Dropped++
		return nil
	default:
		known = len(b.said.Refusals)
		b.said.Refusals = append(b.said.Refusals, results.Refusal{Status: r.Status, Code: strings.Clone(r.Code), Limit: limit, Message: strings.Clone(message)})
	}
	b.said.Refusals[known].Count++
	return &b.said.Refusals[known]
}

// report returns a copy, whose times count from a time of the clock.
func (b *refusalLog) report(since time.Duration) *results.Said {
	b.mu.Lock()
	defer b.mu.Unlock()
	shifted := func(list []results.SaidRequest) []results.SaidRequest {
		list = slices.Clone(list)
		for i := range list {
			list[i].At -= since
		}
		return list
	}
	said := &results.Said{Refusals: slices.Clone(b.said.Refusals), Dropped: b.said.Dropped, Slowest: shifted(b.said.Slowest)}
	for i := range said.Refusals {
		said.Refusals[i].First = shifted(said.Refusals[i].First)
	}
	return said
}

// sentences are parts of messages in lower case, and the limits that they name, see [results.Refusal]. The first match counts.
var sentences = [...]struct{ says, limit string }{
	{"operations per second is over the account limit", "account"},
	{"ingress is over the account limit", "ingress"},
	{"egress is over the account limit", "egress"},
	{"request rate is large", "request units"},
	{"currently unable to receive requests", "partition"},
	{"the server is busy", "partition"},
}

// serviceLimit returns the limit of a refusal by its status, code and first line of the message, after the
// service's documented texts: a partition is a busy partition server or a range that moves, time is an operation that
// timed out, and request units are those of Cosmos DB.
func serviceLimit(status int, code entity.Code, message string) string {
	message = strings.ToLower(message)
	for _, one := range sentences {
		if strings.Contains(message, one.says) {
			return one.limit
		}
	}
	switch {
	case code == entity.OperationTimedOut, status == 504:
		return "time"
	case status == 429:
		return "request units"
	case status == 500:
		return "internal"
	default:
		return "unsaid"
	}
}
