package told

import (
	"strings"

	"loadgen/engine/entity"
)

// Limit is what a refusal says that it is for.
type Limit string

// The limits. Account, Ingress and Egress are the account's own; Partition is a partition
// server that is busy, or a range that moves; Time is an operation that was not finished in
// time; RequestUnits are those of Cosmos DB. Internal is a fault of the service. Unsaid is what
// says none of these.
const (
	Account      Limit = "account"
	Ingress      Limit = "ingress"
	Egress       Limit = "egress"
	Partition    Limit = "partition"
	Time         Limit = "time"
	RequestUnits Limit = "request units"
	Internal     Limit = "internal"
	Unsaid       Limit = "unsaid"
)

// sentences are what messages say of a limit, in small letters. The first that one holds counts.
var sentences = [...]struct {
	says  string
	limit Limit
}{
	{"operations per second is over the account limit", Account},
	{"ingress is over the account limit", Ingress},
	{"egress is over the account limit", Egress},
	{"request rate is large", RequestUnits},
	{"currently unable to receive requests", Partition},
	{"the server is busy", Partition},
}

// LimitOf returns what a refusal is for, of a status, a code and the first line of a
// message, by the service's documented sentences.
func LimitOf(status int, code entity.Code, message string) Limit {
	message = strings.ToLower(message)
	for _, one := range sentences {
		if strings.Contains(message, one.says) {
			return one.limit
		}
	}
	switch {
	case code == entity.OperationTimedOut, status == 504:
		return Time
	case status == 429:
		return RequestUnits
	case status == 500:
		return Internal
	default:
		return Unsaid
	}
}
