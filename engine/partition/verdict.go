package partition

import "time"

// Place is where a request goes. Accounts and tables are numbers that the
// engine gave out; no two tables have the same, whatever their accounts.
type Place struct {
	Account      uint32
	Table        uint32
	PartitionKey string
}

// Demand is what a request asks for.
type Demand struct {
	// Entities is how many it counts; a query, whose count is known after it has
	// run, asks for one and owes the rest.
	Entities int64
	// BytesIn is the size of the entities that it brings along, Received how long it was
	// itself on the wire; 0 where nobody says.
	BytesIn, Received int64
	// Sends is how long its reply will be, where that is known; else it is owed.
	Sends int64
	// Read says that its reply carries entities; how many bytes is known
	// afterwards, and owed.
	Read bool
	// Timeout is how long its sender waits; 0, like anything longer, stands for
	// the service's own timeout.
	Timeout time.Duration
}

// Kind is what admission decided.
type Kind uint8

// The kinds of verdict. What is neither Admitted nor TimedOut is refused at
// once.
const (
	Admitted Kind = iota
	// PartitionBusy refuses because the PartitionKey is over its limit.
	PartitionBusy
	// AccountBusy refuses because the account is over its limit.
	AccountBusy
	// RangeBusy refuses because the range that the PartitionKey lies in is over
	// its limit, or has too many requests waiting.
	RangeBusy
	// ServerBusy refuses because the server of that range is over its limit.
	ServerBusy
	// Moving refuses because that range is being handed over.
	Moving
	// TimedOut is a request that had to wait for longer than it may.
	TimedOut
	// IngressBusy and EgressBusy refuse because the account has more bytes coming
	// in, or going out, than it may.
	IngressBusy
	EgressBusy
)

// Kinds is how many kinds of verdict there are.
const Kinds = int(EgressBusy) + 1

// String returns the kind in words.
func (k Kind) String() string {
	return [Kinds]string{"admitted", "partition busy", "account busy", "range busy", "server busy",
		"moving", "timed out", "ingress busy", "egress busy"}[k]
}

// Verdict is what became of a request.
type Verdict struct {
	Kind Kind
	// Wait is the time that the request spends before and beyond what [Times]
	// says: held while its range moves, redirected, in the queue and in the
	// pipeline; of one that timed out, all of its time at the service.
	Wait time.Duration
	// Performed says of a request that timed out that its work had begun: a write
	// stays.
	Performed bool
	// Redirected says that it went to the server that had the range before.
	Redirected bool
	// Range and Server are where it went; 0 and 0 where every partition has a
	// server to itself.
	Range  uint64
	Server int
}
