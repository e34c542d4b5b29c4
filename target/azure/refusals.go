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

// NotedRequest is one attempt, as the service's support would ask for it.
type NotedRequest struct {
	// At is when the attempt was sent, Took how long the first byte of its reply was awaited.
	At   clock.Instant
	Took time.Duration
	Verb entity.Verb
	// Table and PartitionKey are what it was about, the latter empty for none.
	Table, PartitionKey string
	Status              int
	Code                entity.Code
	// ID is what the service calls the request (x-ms-request-id), empty where it does not say;
	// Number is the operation's, by which it is called here.
	ID     string
	Number uint64
}

// Refusal is one way in which the service refused: the same status, code and limit.
type Refusal struct {
	Status int
	Code   entity.Code
	Limit  ServiceLimit
	// Message is the first one that came with it, Count how often it came.
	Message string
	Count   int64
	// First are the first few.
	First []NotedRequest
}

// RefusalReport is what a service has said so far.
type RefusalReport struct {
	// Refusals are in the order of their counts, the greatest first; Dropped is how many
	// more were of yet another kind.
	Refusals []Refusal
	Dropped  int64
	// Slowest are those whose reply came last, the slowest first.
	Slowest []NotedRequest
}

// The bounds of what is kept.
const (
	mostRefusals = 24
	mostFirst    = 4
	mostSlowest  = 10
)

// RefusalLog takes down what a service says. The zero value is ready, and it is safe for
// concurrent use. Its strings are copies: what it is given may be used again.
type RefusalLog struct {
	mu   sync.Mutex
	said RefusalReport
	// floor is the least time, in nanoseconds, that is still among the slowest; 0 while
	// there is room.
	floor atomic.Int64
}

// Notable reports whether an attempt is to be taken down.
func (b *RefusalLog) Notable(status int, took time.Duration) bool {
	return IsRefusal(status) || int64(took) > b.floor.Load()
}

// IsRefusal reports whether a status is one with which a service says that it cannot now.
func IsRefusal(status int) bool { return status == 429 || status >= 500 }

// Take takes an attempt down, with the message of its reply.
func (b *RefusalLog) Take(r NotedRequest, message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	refused := IsRefusal(r.Status)
	slow := len(b.said.Slowest) < mostSlowest || int64(r.Took) > b.floor.Load()
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
		case len(b.said.Refusals) == mostRefusals:
			b.said.Dropped++
		default:
			b.said.Refusals = append(b.said.Refusals, Refusal{Status: r.Status, Code: entity.Code(strings.Clone(string(r.Code))),
				Limit: limit, Message: strings.Clone(message), Count: 1})
			of = &b.said.Refusals[len(b.said.Refusals)-1]
		}
	}
	few := of != nil && len(of.First) < mostFirst
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
		if len(b.said.Slowest) > mostSlowest {
			b.said.Slowest = b.said.Slowest[:mostSlowest]
		}
		if len(b.said.Slowest) == mostSlowest {
			b.floor.Store(int64(b.said.Slowest[mostSlowest-1].Took))
		}
	}
}

// Said returns what was said so far.
func (b *RefusalLog) Said() RefusalReport {
	b.mu.Lock()
	defer b.mu.Unlock()
	said := RefusalReport{Refusals: slices.Clone(b.said.Refusals), Dropped: b.said.Dropped, Slowest: slices.Clone(b.said.Slowest)}
	for i := range said.Refusals {
		said.Refusals[i].First = slices.Clone(said.Refusals[i].First)
	}
	slices.SortStableFunc(said.Refusals, func(a, b Refusal) int { return cmp.Compare(b.Count, a.Count) })
	return said
}

// ServiceLimit is what a refusal says that it is for.
type ServiceLimit string

// The limits. Account, Ingress and Egress are the account's own; Partition is a partition
// server that is busy, or a range that moves; Time is an operation that was not finished in
// time; RequestUnits are those of Cosmos DB. Internal is a fault of the service. Unsaid is what
// says none of these.
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

// sentences are what messages say of a limit, in small letters. The first that one holds counts.
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

// ServiceLimitOf returns what a refusal is for, of a status, a code and the first line of a
// message, by the service's documented sentences.
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
