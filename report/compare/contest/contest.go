package contest

import (
	"fmt"
	"slices"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// Contest is the result for several designs under the same events, as JSON. Units are part of
// the names, intervals are pairs of bounds, and null means no value. It shares no memory with
// the arms.
type Contest struct {
	// Verdict is the answer in sentences. Winner is the design that is shown to be better than
	// each other design, nil for none; no design wins if none holds the checks.
	Verdict string  `json:"verdict"`
	Winner  *string `json:"winner"`
	// State and Ok are those of the winner's checks, and does not hold if every design fails
	// one. Without a winner the state is cannot tell. Ok is nil without checks.
	State string `json:"state"`
	Ok    *bool  `json:"ok"`
	// Survives reports whether the model's other profile gives the same result, nil if it was
	// not tried; SurvivesSays is the sentence.
	Survives     *bool  `json:"survives_other_profile"`
	SurvivesSays string `json:"survives_says,omitempty"`

	Scenario string `json:"scenario"`
	// Target is the service that was used, Figures is measured (by a service) or modelled. Both
	// are empty if no arm ran.
	Target  string `json:"target"`
	Figures string `json:"figures"`
	Profile string `json:"profile"`
	Other   string `json:"other_profile"`
	// PartitionTarget is the limit of a partition in entities per second, 0 if unknown.
	PartitionTarget int64 `json:"partition_target,omitempty"`
	// Alpha limits how often two equal designs are reported as different; Tests divides it.
	Alpha float64 `json:"alpha"`
	Tests []Test  `json:"tests"`
	// Power lists the differences in the sustained rate that would have been found between the
	// first two designs; empty if there are too few runs.
	Power      []Power  `json:"power"`
	RestsOn    []string `json:"rests_on"`
	CannotTell []string `json:"cannot_tell"`
	// Ranking lists the designs, best first: those that ran, those that did not, and those that
	// cannot serve every operation.
	Ranking []Ranked `json:"ranking"`
	Repeat  string   `json:"repeat,omitempty"`
	// Price is nil without costs. Ended says why the contest ended early; the verdict begins
	// with it.
	Price *results.Price `json:"price,omitempty"`
	Ended string         `json:"ended_early,omitempty"`
	// Warnings are what the runs do not take into account, a sentence each.
	Warnings []string `json:"warnings,omitempty"`
}

// Test is a figure that orders designs, with its share of alpha.
type Test struct {
	Figure string  `json:"figure"`
	Alpha  float64 `json:"alpha"`
	// Resolution is the smallest difference that is shown, as a part of one.
	Resolution float64 `json:"resolution"`
}

// Power is how often such a contest would find a true difference.
type Power struct {
	Difference float64 `json:"difference_percent"`
	Found      float64 `json:"found_of_100"`
}

// Ranked is one design in its place.
type Ranked struct {
	// Rank is 1 plus the number of designs that are shown to be better; nil for a design that
	// did not run. Designs that cannot serve every operation share the last rank.
	Rank         *int       `json:"rank"`
	Design       string     `json:"design"`
	PartitionKey string     `json:"partition_key"`
	RowKey       string     `json:"row_key"`
	Copies       int        `json:"copies"`
	Order        string     `json:"order_of_keys"`
	Cannot       []Obstacle `json:"cannot,omitempty"`
	// Seeds are those of the runs. Doubtful counts the runs that are not valid, Invalid the
	// invalid ones, Limited those with a late generator.
	Seeds    []uint64 `json:"seeds"`
	Doubtful int      `json:"runs_not_valid"`
	Invalid  int      `json:"runs_invalid"`
	Limited  int      `json:"runs_client_limited"`

	Sustained *statistics.Estimate `json:"sustained_entities_per_second"`
	// Ratio is the sustained rate as a part of the first design's; nil for the first.
	Ratio *Effect `json:"sustained_to_first"`
	// Behind is "checks" or the figure that shows the design to be worse than the first; empty
	// if none does.
	Behind string               `json:"behind_by,omitempty"`
	Lost   *statistics.Estimate `json:"share_lost"`
	// Met is the share of the due operations that were served in time, of the worst operation;
	// nil for clients that wait.
	Met        *statistics.Estimate `json:"share_met"`
	WorstP99   *statistics.Estimate `json:"worst_p99_us"`
	Operations []RankedTiming       `json:"per_operation"`
	// Recovery covers the runs with a move and a recovery. Unrecovered counts the moves of all
	// runs without one, of Moves.
	Recovery    *statistics.Estimate `json:"recovery_s"`
	Moves       int                  `json:"moves"`
	Unrecovered int                  `json:"moves_not_recovered"`
	Fairness    *statistics.Estimate `json:"fairness_of_cold_partitions"`
	ColdServed  *statistics.Estimate `json:"share_served_of_cold_partitions"`
	Counted     *statistics.Estimate `json:"entities_counted_per_event"`
	Billed      *statistics.Estimate `json:"transactions_billed_per_event"`
	Throttled   *statistics.Estimate `json:"requests_throttled_per_event"`
	Stored      *statistics.Estimate `json:"bytes_stored_per_event"`
	// Cost is the price of a million events, Keeping that of storing their entities for a month.
	// Both are nil without a price.
	Cost     *float64 `json:"cost_per_million_events"`
	Keeping  *float64 `json:"cost_per_million_events_and_month"`
	Expected []Check  `json:"checks"`
	// State and Ok summarize the checks, empty and nil without checks.
	State string `json:"state,omitempty"`
	Ok    *bool  `json:"ok"`
	// Reason is one sentence made of Reasons, the most important first. Both are empty for a
	// design that is as good as the first and fails nothing.
	Reason  string   `json:"reason"`
	Reasons []Reason `json:"reasons"`
}

// Effect is a ratio with its 95% interval and the result of its test.
type Effect struct {
	Ratio    float64     `json:"ratio"`
	Interval *[2]float64 `json:"interval"`
	// P is Welch's of this pair, nil without a test.
	P     *float64 `json:"p"`
	Shown bool     `json:"shown"`
}

// RankedTiming is the response time of an operation in microseconds: medians over the runs,
// with the range of the p99.
type RankedTiming struct {
	Operation string    `json:"operation"`
	P50       *int64    `json:"p50_us"`
	P99       *int64    `json:"p99_us"`
	P99Range  *[2]int64 `json:"p99_range_us"`
}

// Reason is one fact that kept a design from being better. Fields that do not apply are zero
// or nil.
type Reason struct {
	// Kind is one of the constants below, Says its sentence.
	Kind      string `json:"kind"`
	Says      string `json:"says"`
	Operation string `json:"operation,omitempty"`
	// Table is as in the record, Partition the PartitionKey.
	Table     string  `json:"table,omitempty"`
	Partition *string `json:"partition_key,omitempty"`
	// FromSecond is the first second with throttling, since the start of the run.
	FromSecond *int64 `json:"from_s,omitempty"`
	// Demand is the maximum in entities per second, retries included, Target the limit. Share is
	// the partition's share of all demand between its first and last throttling.
	Demand float64 `json:"demand_entities_per_second,omitempty"`
	Target float64 `json:"target_entities_per_second,omitempty"`
	Share  float64 `json:"share_of_demand,omitempty"`
	// Counted and Returned are entities per operation, First is Counted of the first design.
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

// Check is a check of the scenario: Held of Runs runs with a result held, Untold runs had no
// result.
type Check struct {
	Expr   string `json:"expr"`
	Held   int    `json:"held"`
	Runs   int    `json:"runs"`
	Untold int    `json:"runs_untold"`
	// Observed is the value in the first run that failed, empty if none did.
	Observed string `json:"observed,omitempty"`
}

// fails reports whether the check failed in half of the runs or more. After fewer failures the
// check neither holds nor fails: the seeds disagree.
func (e *Check) fails() bool { return e.Held < e.Runs && 2*(e.Runs-e.Held) >= e.Runs+e.Untold }

// checkCounts counts the checks of a design that hold, those that fail, those with a result, and
// those without a result in some run.
type checkCounts struct{ Held, Failed, Known, Untold int }

func countChecks(list []Check) (n checkCounts) {
	for i := range list {
		one := &list[i]
		n.Known, n.Untold = n.Known+min(one.Runs, 1), n.Untold+min(one.Untold, 1)
		if one.Held == one.Runs && one.Runs > one.Untold {
			n.Held++
		} else if one.fails() {
			n.Failed++
		}
	}
	return n
}

// Checks counts the checks of the design.
func (one *Ranked) Checks() checkCounts { return countChecks(one.Expected) }

// mergeChecks returns each check with the number of runs that it held in.
func mergeChecks(trials []Trial) []Check {
	list := []Check{}
	for i := range trials {
		for k := range trials[i].Expected {
			one := &trials[i].Expected[k]
			at := slices.IndexFunc(list, func(e Check) bool { return e.Expr == one.Expr })
			if at < 0 {
				at, list = len(list), append(list, Check{Expr: one.Expr})
			}
			sum := &list[at]
			if !one.IsJudged() {
				sum.Untold++
			} else if sum.Runs++; one.Holds() {
				sum.Held++
			} else if sum.Held == sum.Runs-1 {
				sum.Observed = one.Value()
			}
		}
	}
	return list
}

// setState sets the state of a design's checks: all must hold in every run.
func (one *Ranked) setState() {
	switch n := one.Checks(); {
	case len(one.Expected) == 0:
	case n.Failed > 0:
		one.State, one.Ok = results.DoesNotHold, new(false)
	case n.Held == len(one.Expected) && n.Untold == 0:
		one.State, one.Ok = results.Holds, new(true)
	default:
		one.State = results.CannotTell
	}
}

// NoneHolds reports whether there are checks and every design fails one or cannot serve the
// scenario. A design in the state cannot tell may hold.
func (c *Contest) NoneHolds() bool {
	ran := 0
	for _, one := range c.Ranking {
		if len(one.Cannot) == 0 && one.State != results.DoesNotHold {
			return false
		}
		ran += min(len(one.Seeds), 1)
	}
	return ran > 0 && len(c.Ranking) > 1
}

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

// Options describes a contest. The zero value has no name, no price and [DefaultAlpha].
type Options struct {
	// Scenario is its name, Repeat the command that repeats the contest. Both may be empty.
	Scenario, Repeat string
	// Profile and Other name the model's profiles of the arms' Trials and Others; empty if
	// nothing is modelled.
	Profile, Other string
	// Alpha is how often a contest of equal designs may show a difference, 0 to below 0.5; 0
	// means DefaultAlpha.
	Alpha float64
	// Price is zero for a contest without costs.
	Price    results.Price
	Warnings []string
}

// DefaultAlpha is the default share of contests that may show a difference by chance.
const DefaultAlpha = 0.05

// Validate returns every fault.
func (o Options) Validate() (faults []error) {
	if !(o.Alpha >= 0 && o.Alpha < 0.5) {
		faults = append(faults, fmt.Errorf("alpha is %v; expected more than 0 and less than 0.5", o.Alpha))
	}
	return append(faults, o.Price.Validate()...)
}
