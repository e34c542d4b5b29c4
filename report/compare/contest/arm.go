package contest

import "loadgen/results"

// Arm is one design and what came of it.
type Arm struct {
	// Design is its name, PartitionKey and RowKey its templates, Copies how many further
	// homes each entity has.
	Design               string
	PartitionKey, RowKey string
	Copies               int
	// Cannot are the operations that the design cannot serve; an arm with one was not run.
	Cannot []Obstacle
	// Order says in a word how new PartitionKeys come: "append-only", "prepend-only",
	// "spread", "one partition", or empty where that is not known.
	Order string
	// Trials are its runs under the scenario's own profile, Others under the other one of
	// documented and headroom; none where that was not tried.
	Trials, Others []Trial
	// Record is that of its first run, for the reason and the heat map; nil where it was
	// not run.
	Record *results.Record
}

// Obstacle is an operation that a design cannot serve, and why, as a sentence.
type Obstacle struct {
	Operation string `json:"operation"`
	Why       string `json:"why"`
}

// Price is what is paid, in whatever currency, per million billed transactions and per
// GiB and month of stored entities. BillRefused says that throttled requests are billed, too.
type Price struct {
	PerMillion  float64 `json:"per_million_transactions"`
	PerGiBMonth float64 `json:"per_gib_and_month"`
	BillRefused bool    `json:"throttled_are_billed"`
}

// Trial is what one run of a design came to.
type Trial struct {
	Seed     uint64
	Validity string
	// Late says that the generator was late where rates and response times come from, so
	// that Sustained and Operations are not the design's alone.
	Late bool
	// Sustained is the entities per second, of the application's own counting, that were
	// served within what it needs: what a copy adds, and what a query scans and does not
	// return, is not among them. Lost is the share of the offered operations that was not
	// served at all, 0 to 1.
	Sustained, Lost float64
	// Met is the share of the operations due that were served within what they need, of the
	// operation that fares worst: nil where they are not due at instants of their own, as with
	// clients that wait.
	Met *float64
	// Operations are the response times by operation, in the order of the scenario.
	Operations []OperationTrial
	// Moves is how often load balancing split, moved or merged ranges under the measured
	// load, Unrecovered after how many of them it was never served as before. Recovery is
	// how long that took of the others, in seconds, at worst; nil where there is none.
	Moves, Unrecovered int
	Recovery           *float64
	// Fairness is Jain's index over the partitions that were offered less than half the
	// target, 1 where all were served alike, ColdServed the share of what it was offered
	// that one of them was served on the average: it is what tells of all being hurt
	// alike. Nil where there were fewer than two, or nothing of theirs was served.
	Fairness, ColdServed *float64
	// Events is how many operations of the measured phases were sent, Served how many of
	// them succeeded. The others are per one that did, so that a design is no cheaper for
	// what it loses: entities counted by Azure's documented rule, transactions billed, and bytes
	// stored. Throttled requests are apart. All are 0 where none succeeded.
	Events, Served                             int64
	Counted, Billed, ThrottledRequests, Stored float64
	// Expected says for each check of the scenario, in its order, whether it held.
	Expected []results.Check
}

// OperationTrial is the response time of one operation, in microseconds; a quantile that
// rests on too few durations is nil.
type OperationTrial struct {
	Name     string
	P50, P99 *int64
}
