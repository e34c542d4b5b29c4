package contest

// Contest is what came of several designs under the same events. It is what JSON
// prints: units are in the names, intervals are pairs of bounds, and what is not told
// is null. It shares no memory with the arms.
type Contest struct {
	// Verdict is a sentence or a few. Winner is the design that is shown to be better
	// than each other, nil where none is, where none holds the checks, and where there was
	// nothing to rank.
	Verdict string  `json:"verdict"`
	Winner  *string `json:"winner"`
	// State and Ok are those of the winner's checks, and false where every design fails one. It cannot be
	// told where no design is shown to be the best, and Ok is nil where the scenario claims nothing.
	State string `json:"state"`
	Ok    *bool  `json:"ok"`
	// Survives says whether the other profile of the model gives the same verdict, nil
	// where it was not tried; SurvivesSays says it in words.
	Survives     *bool  `json:"survives_other_profile"`
	SurvivesSays string `json:"survives_says,omitempty"`

	Scenario string `json:"scenario"`
	// Target is where it ran, Figures how its figures came about: measured (by a
	// service) or modelled. Both are empty where no arm ran.
	Target  string `json:"target"`
	Figures string `json:"figures"`
	Profile string `json:"profile"`
	Other   string `json:"other_profile"`
	// PartitionTarget is how many entities per second one partition bears, 0 where that is not
	// known.
	PartitionTarget int64 `json:"partition_target,omitempty"`
	// Alpha bounds how often two designs that do not differ are told apart; Tests says how
	// it is divided.
	Alpha float64 `json:"alpha"`
	Tests []Test  `json:"tests"`
	// Power is which differences in the sustained rate would have been found between the
	// first two; empty where there are too few runs to find any.
	Power      []Power  `json:"power"`
	RestsOn    []string `json:"rests_on"`
	CannotTell []string `json:"cannot_tell"`
	// Ranking has the designs, best first: those that ran, those that did not, those
	// that cannot.
	Ranking []Ranked `json:"ranking"`
	Repeat  string   `json:"repeat,omitempty"`
	// Price is what costs were told at, nil where none were. Ended says in a sentence or two
	// that the contest did not come to its end, and why; the verdict begins with it.
	Price *Price `json:"price,omitempty"`
	Ended string `json:"ended_early,omitempty"`
}

// Test is one figure by which designs are told apart, and its share of alpha.
type Test struct {
	Figure string  `json:"figure"`
	Alpha  float64 `json:"alpha"`
	// Resolution is the least difference that is told: a part of one, of the share lost
	// a share itself.
	Resolution float64 `json:"resolution"`
}

// Power is how often a true difference would be found by such a contest.
type Power struct {
	Difference float64 `json:"difference_percent"`
	Found      float64 `json:"found_of_100"`
}

// Ranked is one design in its place.
type Ranked struct {
	// Rank is one more than how many designs are shown to be better, each pair by itself;
	// nil for one that did not run. Those that cannot share the last.
	Rank         *int       `json:"rank"`
	Design       string     `json:"design"`
	PartitionKey string     `json:"partition_key"`
	RowKey       string     `json:"row_key"`
	Copies       int        `json:"copies"`
	Order        string     `json:"order_of_keys"`
	Cannot       []Obstacle `json:"cannot,omitempty"`
	// Seeds are those of its runs; Doubtful how many of them were not valid, and Invalid
	// how many proved nothing at all. Limited is in how many the generator was late where
	// a figure comes from that designs are ranked by.
	Seeds    []uint64 `json:"seeds"`
	Doubtful int      `json:"runs_not_valid"`
	Invalid  int      `json:"runs_invalid"`
	Limited  int      `json:"runs_client_limited"`

	Sustained *Estimate `json:"sustained_entities_per_second"`
	// Ratio is the sustained rate as a part of that of the design in the first place;
	// nil for that itself.
	Ratio *Effect `json:"sustained_to_first"`
	// Behind is "checks" or names the figure by which it is told from the first, empty where
	// it is not.
	Behind string    `json:"behind_by,omitempty"`
	Lost   *Estimate `json:"share_lost"`
	// Met is the share of what was due that was served within what it needs, of the operation
	// that fares worst; nil where clients wait.
	Met        *Estimate      `json:"share_met"`
	WorstP99   *Estimate      `json:"worst_p99_us"`
	Operations []RankedTiming `json:"per_operation"`
	// Recovery is over the runs in which something moved and recovered, Unrecovered how
	// many moves of all runs the load never recovered from, of Moves.
	Recovery    *Estimate `json:"recovery_s"`
	Moves       int       `json:"moves"`
	Unrecovered int       `json:"moves_not_recovered"`
	Fairness    *Estimate `json:"fairness_of_cold_partitions"`
	ColdServed  *Estimate `json:"share_served_of_cold_partitions"`
	Counted     *Estimate `json:"entities_counted_per_event"`
	Billed      *Estimate `json:"transactions_billed_per_event"`
	Throttled   *Estimate `json:"requests_throttled_per_event"`
	Stored      *Estimate `json:"bytes_stored_per_event"`
	// Cost is of a million events, in the currency of the price; Keeping what their
	// entities cost a month. Nil without a price.
	Cost     *float64 `json:"cost_per_million_events"`
	Keeping  *float64 `json:"cost_per_million_events_and_month"`
	Expected []Check  `json:"checks"`
	// State and Ok are what the checks come to, left out and nil where there are none.
	State string `json:"state,omitempty"`
	Ok    *bool  `json:"ok"`
	// Reason is one sentence, empty for a design that did as well as any and failed in
	// nothing; Reasons is what it is made of, the heaviest first.
	Reason  string   `json:"reason"`
	Reasons []Reason `json:"reasons"`
}

// Estimate is a figure over the runs of a design: the mean with its 95 % interval, which
// is nil for a single run.
type Estimate struct {
	Mean     float64     `json:"mean"`
	Interval *[2]float64 `json:"interval"`
	Least    float64     `json:"least"`
	Greatest float64     `json:"greatest"`
	Runs     int         `json:"runs"`
}

// Effect is a ratio with its 95 % interval, and what the test made of it.
type Effect struct {
	Ratio    float64     `json:"ratio"`
	Interval *[2]float64 `json:"interval"`
	// P is Welch's of this pair, nil where nothing can be tested.
	P     *float64 `json:"p"`
	Shown bool     `json:"shown"`
}

// RankedTiming is the response time of an operation: medians over the runs, in
// microseconds, with the least and the greatest of them.
type RankedTiming struct {
	Operation string    `json:"operation"`
	P50       *int64    `json:"p50_us"`
	P99       *int64    `json:"p99_us"`
	P99Range  *[2]int64 `json:"p99_range_us"`
}

// Reason is one thing that kept a design from being better. What does not apply is zero
// or nil.
type Reason struct {
	// Kind is one of the constants below, Says its sentence.
	Kind      string `json:"kind"`
	Says      string `json:"says"`
	Operation string `json:"operation,omitempty"`
	// Table is as in the record, Partition the PartitionKey.
	Table     string  `json:"table,omitempty"`
	Partition *string `json:"partition_key,omitempty"`
	// FromSecond is when the partition was first throttled, since the start of the run.
	FromSecond *int64 `json:"from_s,omitempty"`
	// Demand is in entities per second, at its highest, retries included (without a heat
	// map what was first due in the busiest second), against
	// Target; Share is the partition's of all demand from when it was first throttled
	// until it was last.
	Demand float64 `json:"demand_entities_per_second,omitempty"`
	Target float64 `json:"target_entities_per_second,omitempty"`
	Share  float64 `json:"share_of_demand,omitempty"`
	// Counted and Returned are entities per operation, First what the first design counts.
	Counted  float64  `json:"counted_per_operation,omitempty"`
	Returned float64  `json:"returned_per_operation,omitempty"`
	First    *float64 `json:"first_counts_per_operation,omitempty"`
}

// The kinds of reason.
const (
	HotPartition = "hot-partition"
	OneEnd       = "one-end"
	AccountLimit = "account-limit"
	Scans        = "scans"
	CountsMore   = "counts-more"
	BillsMore    = "bills-more"
	Slow         = "slow"
	Unserved     = "unserved"
	CannotServe  = "cannot"
)
