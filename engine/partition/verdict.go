package partition

import "time"

// Place is the destination of a request. The engine numbers accounts and tables; tables
// of different accounts have different numbers, too.
type Place struct {
	Account      uint32
	Table        uint32
	PartitionKey string
}

// Demand is the cost of a request.
type Demand struct {
	// Entities is the number that it counts. A query demands one, and is charged for the
	// others after it has run.
	Entities int64
	// BytesIn is the size of its entities, Received its own size on the wire; 0 if
	// unknown.
	BytesIn, Received int64
	// Sends is the size of its reply if known; otherwise it is charged later.
	Sends int64
	// Read reports that its reply has entities; their bytes are charged later.
	Read bool
	// Timeout is the timeout of its client; 0, like a longer one, means the timeout of
	// the service.
	Timeout time.Duration
}

// Kind is the decision of admission.
type Kind uint8

// The kinds of verdict. All except Admitted and TimedOut refuse at once.
const (
	Admitted Kind = iota
	// PartitionBusy refuses because the PartitionKey is over its limit.
	PartitionBusy
	// AccountBusy refuses because the account is over its limit.
	AccountBusy
	// RangeBusy refuses because the range of the PartitionKey is over its limit, or has
	// too many requests waiting.
	RangeBusy
	// ServerBusy refuses because the server of that range is over its limit.
	ServerBusy
	// Moving refuses because that range is being handed over.
	Moving
	// TimedOut is the result of a wait longer than the timeout.
	TimedOut
	// IngressBusy and EgressBusy refuse because the account is over its limit of bytes
	// received or sent.
	IngressBusy
	EgressBusy
)

// Kinds is the number of kinds of verdict.
const Kinds = int(EgressBusy) + 1

// String returns the kind in words.
func (k Kind) String() string {
	return [Kinds]string{"admitted", "partition busy", "account busy", "range busy", "server busy",
		"moving", "timed out", "ingress busy", "egress busy"}[k]
}

// Verdict is the result of admission for a request. It has few fields, so that the compiler keeps it in registers.
type Verdict struct {
	Kind Kind
	// Wait is the time of the request in addition to [Times]: while its range moves, for
	// a redirection, in the queue and in the pipeline. After a timeout it is the whole
	// time at the service.
	Wait time.Duration
	// Performed reports that a request timed out after its work began: a write takes
	// effect.
	Performed bool
	// Redirected reports that it went to the previous server of the range.
	Redirected bool
}
