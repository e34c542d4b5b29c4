package azure

import (
	"strings"

	"loadgen/engine/entity"
)

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
