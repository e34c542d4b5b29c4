package contest

import "loadgen/results"

// Arm is one design with its runs.
type Arm struct {
	// Design is its name, PartitionKey and RowKey its templates, Copies the number of additional
	// keys of each entity.
	Design               string
	PartitionKey, RowKey string
	Copies               int
	// Cannot lists the operations that the design cannot serve; such an arm has no runs.
	Cannot []Obstacle
	// Order is how new PartitionKeys arrive, as results names it: append-only, spread and so
	// on; empty if unknown.
	Order string
	// Trials are its runs under the scenario's profile, Others those under the other profile;
	// empty if that was not tried.
	Trials, Others []Trial
	// Record is that of the first run, for the reasons and the heat map; nil for none.
	Record *results.Record
}

// Obstacle is an operation that a design cannot serve, with the reason.
type Obstacle struct {
	Operation string `json:"operation"`
	Why       string `json:"why"`
}

// Trial is the result of one run of a design.
type Trial struct {
	Seed     uint64
	Validity string
	// Late means that the generator was late in a measured step, so that Sustained and
	// Operations do not depend on the design alone.
	Late bool
	// Sustained is the entities per second that were served in time, as the application counts:
	// without copies, and without entities that a query scans and does not return. Lost is the
	// share of the offered operations that were never served, 0 to 1.
	Sustained, Lost float64
	// Met is the share of the due operations that were served in time, of the worst operation;
	// nil for clients that wait.
	Met *float64
	// Operations are the response times, in the order of the scenario.
	Operations []OperationTrial
	// Moves counts the ranges that load balancing split, moved or merged under the measured
	// load, Unrecovered the moves after which the load was never served as before. Recovery is
	// the maximum of the others in seconds, nil for none.
	Moves, Unrecovered int
	Recovery           *float64
	// Fairness is Jain's index over the partitions that were offered less than half of the
	// target, 1 if all were served alike. ColdServed is the mean share that they were served.
	// Both are nil for fewer than two, or if none was served.
	Fairness, ColdServed *float64
	// Events counts the operations sent in the measured phases, Served those that succeeded. The
	// others are per success: entities counted by Azure's rule, transactions billed without
	// throttled requests, throttled requests, and bytes stored. All are 0 without a success.
	Events, Served                             int64
	Counted, Billed, ThrottledRequests, Stored float64
	// Expected are the checks of the scenario, in its order.
	Expected []results.Check
}

// OperationTrial is the response time of one operation, in microseconds; a quantile of too few
// durations is nil.
type OperationTrial struct {
	Name     string
	P50, P99 *int64
}
