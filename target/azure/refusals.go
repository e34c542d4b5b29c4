package azure

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// NotedRequest describes one attempt for the service's support.
type NotedRequest struct {
	// At is the time of sending, Took the time to the first byte of the reply.
	At   clock.Instant
	Took time.Duration
	Verb entity.Verb
	// Table and PartitionKey are the operation's, PartitionKey empty for none or several.
	Table, PartitionKey string
	Status              int
	Code                entity.Code
	// ID is the service's request id (x-ms-request-id), empty for none; Number is the operation's.
	ID     string
	Number uint64
}

// Refusal counts refused requests with the same status, code and limit.
type Refusal struct {
	Status int
	Code   entity.Code
	Limit  ServiceLimit
	// Message is that of the first request, Count the number of requests.
	Message string
	Count   int64
	// First are the first requests.
	First []NotedRequest
}

// RefusalReport lists refused and slow requests.
type RefusalReport struct {
	// Refusals are in descending order of their counts; Dropped counts requests of kinds above the limit.
	Refusals []Refusal
	Dropped  int64
	// Slowest are the slowest requests, the slowest first.
	Slowest []NotedRequest
}

// The limits of a report.
const (
	maxRefusals = 24
	maxFirst    = 4
	maxSlowest  = 10
)

// RefusalLog records refused and slow requests. The zero value is ready, it is safe for concurrent use, and
// it copies strings.
type RefusalLog struct {
	mu   sync.Mutex
	said RefusalReport
	// floor is the minimum time of the slowest requests in nanoseconds, 0 while there is room.
	floor atomic.Int64
}

// Notable reports whether an attempt has to be recorded.
func (b *RefusalLog) Notable(status int, took time.Duration) bool {
	return IsRefusal(status) || int64(took) > b.floor.Load()
}

// IsRefusal reports whether a status is a temporary refusal.
func IsRefusal(status int) bool { return status == 429 || status >= 500 }

// Add records an attempt with the message of its reply.
func (b *RefusalLog) Add(r NotedRequest, message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	refused := IsRefusal(r.Status)
	slow := len(b.said.Slowest) < maxSlowest || int64(r.Took) > b.floor.Load()
	var of *Refusal
	if refused {
		limit := ServiceLimitOf(r.Status, r.Code, message)
		known := slices.IndexFunc(b.said.Refusals, func(one Refusal) bool {
			return one.Status == r.Status && one.Code == r.Code && one.Limit == limit
		})
		switch {
		case known >= 0:
			of = &b.said.Refusals[known]
			of.Count++
		case len(b.said.Refusals) == maxRefusals:
			b.said.Dropped++
		default:
			b.said.Refusals = append(b.said.Refusals, Refusal{Status: r.Status, Code: entity.Code(strings.Clone(string(r.Code))),
				Limit: limit, Message: strings.Clone(message), Count: 1})
			of = &b.said.Refusals[len(b.said.Refusals)-1]
		}
	}
	few := of != nil && len(of.First) < maxFirst
	if !slow && !few {
		return
	}
	r.Table, r.PartitionKey = strings.Clone(r.Table), strings.Clone(r.PartitionKey)
	r.ID, r.Code = strings.Clone(r.ID), entity.Code(strings.Clone(string(r.Code)))
	if few {
		of.First = append(of.First, r)
	}
	if slow {
		place, _ := slices.BinarySearchFunc(b.said.Slowest, r, func(one, other NotedRequest) int { return cmp.Compare(other.Took, one.Took) })
		b.said.Slowest = slices.Insert(b.said.Slowest, place, r)
		if len(b.said.Slowest) > maxSlowest {
			b.said.Slowest = b.said.Slowest[:maxSlowest]
		}
		if len(b.said.Slowest) == maxSlowest {
			b.floor.Store(int64(b.said.Slowest[maxSlowest-1].Took))
		}
	}
}

// Report returns a copy of the report.
func (b *RefusalLog) Report() RefusalReport {
	b.mu.Lock()
	defer b.mu.Unlock()
	said := RefusalReport{Refusals: slices.Clone(b.said.Refusals), Dropped: b.said.Dropped, Slowest: slices.Clone(b.said.Slowest)}
	for i := range said.Refusals {
		said.Refusals[i].First = slices.Clone(said.Refusals[i].First)
	}
	slices.SortStableFunc(said.Refusals, func(a, b Refusal) int { return cmp.Compare(b.Count, a.Count) })
	return said
}

// ServiceLimit is the limit that a refusal names.
type ServiceLimit string

// The limits. Account, ingress and egress are the account's; partition is a busy partition server or a range
// that moves; time is an operation that timed out; request units are those of Cosmos DB. Internal is a fault
// of the service.
const (
	LimitAccount      ServiceLimit = "account"
	LimitIngress      ServiceLimit = "ingress"
	LimitEgress       ServiceLimit = "egress"
	LimitPartition    ServiceLimit = "partition"
	LimitTime         ServiceLimit = "time"
	LimitRequestUnits ServiceLimit = "request units"
	LimitInternal     ServiceLimit = "internal"
	LimitUnknown      ServiceLimit = "unsaid"
)

// sentences are parts of messages in lower case, and their limits. The first match counts.
var sentences = [...]struct {
	says  string
	limit ServiceLimit
}{
	{"operations per second is over the account limit", LimitAccount},
	{"ingress is over the account limit", LimitIngress},
	{"egress is over the account limit", LimitEgress},
	{"request rate is large", LimitRequestUnits},
	{"currently unable to receive requests", LimitPartition},
	{"the server is busy", LimitPartition},
}

// ServiceLimitOf returns the limit of a refusal by its status, code and first line of the message, after the
// service's documented texts.
func ServiceLimitOf(status int, code entity.Code, message string) ServiceLimit {
	message = strings.ToLower(message)
	for _, one := range sentences {
		if strings.Contains(message, one.says) {
			return one.limit
		}
	}
	switch {
	case code == entity.OperationTimedOut, status == 504:
		return LimitTime
	case status == 429:
		return LimitRequestUnits
	case status == 500:
		return LimitInternal
	default:
		return LimitUnknown
	}
}
