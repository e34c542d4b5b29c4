package results

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// The validities of a run.
const (
	Valid   = "valid"
	Partial = "partial"
	Invalid = "invalid"
)

// The states of a run, and of other answers.
const (
	Holds       = "holds"
	DoesNotHold = "does not hold"
	Saturates   = "saturates"
	CannotTell  = "cannot tell"
	// Of captured traffic.
	Sound    = "sound"
	NotSound = "not sound"
)

// Summary is for scripts: the object of `--format json` and of run.json. Units are in the names; a quantile of too few
// durations is null. Counts cover the whole run, including preparation, so that they can be compared with the target's
// own; rates and quantiles cover the reported phases.
type Summary struct {
	Scenario  string   `json:"scenario"`
	Target    string   `json:"target"`
	Start     string   `json:"start"`
	Profile   string   `json:"profile"`
	Seed      uint64   `json:"seed"`
	Started   string   `json:"started"`
	DurationS float64  `json:"duration_s"`
	Validity  string   `json:"validity"`
	Reasons   []string `json:"reasons"`
	// UserBound names the workers that the user chose if they were the limit, empty if they were not.
	UserBound string `json:"user_bound,omitempty"`
	// ClientLimited lists where the generator fell short of the offered load, which affects the figures. Limits of the
	// target are not included.
	ClientLimited []string `json:"client_limited"`
	// State is one of the states above: whether the offered load is sustained. Ok is the answer to the question,
	// including checks: null if nothing was asked, or it is unknown.
	State string `json:"state"`
	Ok    *bool  `json:"ok"`
	// PeakState is the state of the target rate, left out without one. State is then the same.
	PeakState string `json:"peak_state,omitempty"`

	Scheduled  int64 `json:"scheduled"`
	Sent       int64 `json:"sent"`
	Dropped    int64 `json:"dropped"`
	Late       int64 `json:"late"`
	Operations int64 `json:"operations"`
	Attempts   int64 `json:"attempts"`
	OkAttempts int64 `json:"ok_attempts"`
	Throttled  int64 `json:"throttled"`
	Failed     int64 `json:"failed"`
	// ShareThrottled is of the attempts of the reported phases, null if there are none.
	ShareThrottled *float64 `json:"share_throttled_reported"`
	// Causes are those of throttled and failed attempts, in descending order.
	Causes           Causes `json:"causes,omitempty"`
	EntitiesCounted  int64  `json:"entities_counted"`
	EntitiesReturned int64  `json:"entities_returned"`

	// Saturation is null if no step was throttled enough.
	Saturation         *float64  `json:"saturation_entities_per_second"`
	SaturationInterval []float64 `json:"saturation_interval"`
	// SaturationSeconds is the number of whole seconds of evidence. Throttling describes each stretch of load,
	// SaturationWhy why there is no saturation.
	SaturationSeconds int64             `json:"saturation_seconds"`
	SaturationWhy     string            `json:"saturation_why,omitempty"`
	Throttling        []Throttling      `json:"throttling"`
	Hottest           *HottestPartition `json:"hottest_partition"`

	Response   Quantiles    `json:"response_us"`
	Service    Quantiles    `json:"service_us"`
	Lag        LagQuantiles `json:"lag_us"`
	RetryWaits Quantiles    `json:"retry_waits_us"`

	Phases       []PhaseSummary              `json:"phases"`
	PerOperation map[string]OperationSummary `json:"per_operation"`
	Checks       []Check                     `json:"checks"`
	// Balance is the result of load balancing, left out without any.
	Balance *Balance `json:"balance,omitempty"`
	// Limit is the result of the search for the highest rate that holds, left out without one.
	Limit *Limit `json:"limit,omitempty"`
	// Audit is the result of verifying the writes, left out without one.
	Audit *Audit `json:"audit,omitempty"`
	// Counters are those of workflows, Invariants the conditions on the data that they left; both are left out if
	// there are none.
	Counters   []Counter   `json:"counters,omitempty"`
	Invariants []Invariant `json:"invariants,omitempty"`
	// Soundness is the state of captured traffic, Problems the causes for which it is not sound, in descending order
	// of their share; both are left out for other runs.
	Soundness string    `json:"soundness,omitempty"`
	Problems  []Problem `json:"problems,omitempty"`
	// Killed is known of a run that was not closed, left out for any other. The counts above are then those of its
	// whole seconds.
	Killed  *Killed `json:"killed,omitempty"`
	Verdict string  `json:"verdict"`
}

// Killed describes the whole seconds of a run that was not closed: it was killed, or is still running.
type Killed struct {
	// Seconds is how many whole seconds there are.
	Seconds int64 `json:"whole_seconds"`
	// Tables may be left at the target.
	Tables []string      `json:"tables_perhaps_left,omitempty"`
	Phases []KilledPhase `json:"phases"`
}

// KilledPhase is a phase of such a run: the seconds that begin in it, and their mean rates.
type KilledPhase struct {
	Name       string  `json:"name"`
	Seconds    int64   `json:"whole_seconds"`
	Due        float64 `json:"operations_due_per_second"`
	Served     float64 `json:"served_entities_per_second"`
	Throttled  int64   `json:"throttled"`
	Failed     int64   `json:"failed"`
	Attempts   int64   `json:"attempts"`
	Operations int64   `json:"operations"`
}

// HottestPartition is the partition that counted most in a whole second of a reported
// phase.
type HottestPartition struct {
	Table string `json:"table,omitempty"`
	Key   string `json:"key"`
	// EntitiesPerSecond is of that second, a lower bound if AtLeast; Mean is over the phase.
	EntitiesPerSecond float64 `json:"entities_per_second"`
	Mean              float64 `json:"mean_entities_per_second"`
	AtLeast           bool    `json:"at_least,omitempty"`
}

// Throttling describes the throttling of a stretch of load.
type Throttling struct {
	Stage string `json:"stage"`
	// Kind is none, limit, changing, sporadic, brief, outage, carried by retries, bursts, some partitions,
	// or limit or sporadic.
	Kind string `json:"kind"`
	// Share is of the attempts of the stretch.
	Share float64 `json:"share_of_attempts"`
	// Seconds is the number of seconds with 1% of their attempts throttled, between two seconds of the run.
	Seconds int   `json:"seconds"`
	From    int64 `json:"from_second"`
	To      int64 `json:"to_second"`
	// Rate is the saturation of the stretch, null without a limit.
	Rate     *float64  `json:"entities_per_second"`
	Interval []float64 `json:"interval"`
}

// LagQuantiles are the delays of the generator, in microseconds.
type LagQuantiles struct {
	P50 *int64 `json:"p50"`
	P90 *int64 `json:"p90"`
	P99 *int64 `json:"p99"`
	Max *int64 `json:"max"`
}

// PhaseSummary is one reported phase. Offered, served and the share lost, settled, are of
// the operations due in its last half; all else is of the whole phase.
type PhaseSummary struct {
	Name string `json:"name"`
	// Holds reports whether the phase holds its rate, null if unknown because of Why.
	Holds *bool  `json:"holds"`
	Why   string `json:"why,omitempty"`
	// ClientLimited reports that the generator sent more than 1 % of the phase over 5 ms late, or dropped some, which
	// affects response times. Holds is still known if each second was sent within 100 ms.
	ClientLimited bool    `json:"client_limited"`
	Offered       float64 `json:"offered_entities_per_second"`
	Served        float64 `json:"served_entities_per_second"`
	// Throughput is the mean of what was served in each settled second, with its 95 % interval; both are left out if
	// there are too few seconds.
	Throughput         *float64  `json:"throughput_entities_per_second,omitempty"`
	ThroughputInterval []float64 `json:"throughput_interval,omitempty"`
	ThrottledPerSecond float64   `json:"throttled_per_second"`
	ShareLost          *float64  `json:"share_lost"`
	// ShareLostSettled is of the operations due in the last half.
	ShareLostSettled *float64                         `json:"share_lost_settled"`
	Causes           Causes                           `json:"causes,omitempty"`
	PerOperation     map[string]PhaseOperationSummary `json:"per_operation"`
}

// PhaseOperationSummary is one kind of operation in one reported phase.
type PhaseOperationSummary struct {
	Offered            float64  `json:"offered_entities_per_second"`
	Served             float64  `json:"served_entities_per_second"`
	ThrottledPerSecond float64  `json:"throttled_per_second"`
	ShareLost          *float64 `json:"share_lost"`
	// ShareLostSettled is of the operations due in the last half.
	ShareLostSettled     *float64  `json:"share_lost_settled"`
	AttemptsPerOperation *float64  `json:"tries_per_operation"`
	Response             Quantiles `json:"response_us"`
	Service              Quantiles `json:"service_us"`
}

// OperationSummary is one kind of operation over the whole run.
type OperationSummary struct {
	Operations int64     `json:"operations"`
	Attempts   int64     `json:"attempts"`
	OkAttempts int64     `json:"ok_attempts"`
	Throttled  int64     `json:"throttled"`
	Failed     int64     `json:"failed"`
	Causes     Causes    `json:"causes,omitempty"`
	Response   Quantiles `json:"response_us"`
	Service    Quantiles `json:"service_us"`
}

// Summary returns the summary of a kind of operation.
func (k *KindStats) Summary() OperationSummary {
	s := OperationSummary{Operations: k.Operations, Attempts: k.Attempts, OkAttempts: k.Ok, Throttled: k.Throttled, Failed: k.Failed,
		Causes: k.Causes.Frequent()}
	if k.Response != nil {
		s.Response, s.Service = QuantilesOf(k.Response), QuantilesOf(k.Service[Ok])
	}
	return s
}

// Count enters the counts of the whole run.
func (s *Summary) Count(all *Counts) {
	s.Scheduled, s.Sent, s.Dropped, s.Late = all.Scheduled, all.Sent, all.Dropped, all.Late
	s.Operations, s.Attempts, s.OkAttempts, s.Throttled, s.Failed = all.Operations, all.Attempts, all.Ok, all.Throttled, all.Failed
	s.EntitiesCounted, s.EntitiesReturned, s.Causes = all.Counted, all.Returned, all.Causes.Frequent()
}

// Check is a condition on the run. It is a value, and safe for concurrent use.
type Check struct {
	Expr string `json:"expr"`
	// Observed is the observed value in words, or that it is unknown.
	Observed string `json:"observed"`
	// Ok is null if the check is inconclusive because of Why: it neither passes nor fails.
	Ok  *bool  `json:"ok"`
	Why string `json:"why,omitempty"`
}

// IsJudged reports whether the check could be judged.
func (c *Check) IsJudged() bool { return c.Ok != nil }

// Holds reports whether the check was judged and holds.
func (c *Check) Holds() bool { return c.Ok != nil && *c.Ok }

// Fails reports whether the check was judged and does not hold.
func (c *Check) Fails() bool { return c.Ok != nil && !*c.Ok }

// Result returns the result of the check in one or two words, the same in every report.
func (c *Check) Result() string {
	switch {
	case c.Holds():
		return "holds"
	case c.Fails():
		return "FAILS"
	default:
		return "cannot tell"
	}
}

// Observation returns the observed value, and why it is unknown.
func (c *Check) Observation() string {
	if c.Why == "" {
		return c.Value()
	}
	return c.Value() + ": " + c.Why
}

// Value returns what was observed, as reports write it: without the space that records have before a percent sign.
func (c *Check) Value() string { return strings.ReplaceAll(c.Observed, " %", "%") }

// HeldOf returns how many checks hold of how many that could be judged.
func HeldOf(list []Check) (held, told int) {
	for i := range list {
		if list[i].IsJudged() {
			told++
		}
		if list[i].Holds() {
			held++
		}
	}
	return held, told
}

// Event is something that happened at an instant: a line of events.ndjson.
type Event struct {
	// At is in nanoseconds since the start of the run.
	At int64 `json:"at_ns"`
	// What is the kind of event, one of the constants below.
	What string `json:"event"`
	// Phase names the phase that began or ended.
	Phase string `json:"phase,omitempty"`
	// Text is one line for a person.
	Text string `json:"text,omitempty"`
	// Decision is the decision of load balancing, nil for other kinds.
	Decision *Decision `json:"decision,omitempty"`
	// Saved is a continuation token that was saved, nil for other kinds.
	Saved *SavedToken `json:"saved,omitempty"`
}

// SavedToken is the continuation token of the last page that a query has read, with which it can be continued.
type SavedToken struct {
	Name      string `json:"name"`
	Operation string `json:"operation"`
	// Token is its text; empty after the last page.
	Token string `json:"token"`
}

// Saved returns the tokens that were saved, by their names in order: of each name what
// was saved last. The slice is the caller's.
func (r *Record) Saved() []SavedToken {
	last := make(map[string]SavedToken)
	for i := range r.Events {
		if one := r.Events[i].Saved; one != nil {
			last[one.Name] = *one
		}
	}
	var list []SavedToken
	for _, name := range slices.Sorted(maps.Keys(last)) {
		list = append(list, last[name])
	}
	return list
}

// The kinds of event.
const (
	StageBegins  = "stage-begins"
	StageEnds    = "stage-ends"
	PhaseBegins  = "phase-begins"
	PhaseEnds    = "phase-ends"
	Interrupted  = "interrupted"
	VerdictTold  = "verdict"
	TokenSaved   = "token-saved"
	RangeSplit   = "split"
	SizeSplit    = "size-split"
	RangeMoved   = "move"
	RangesMerged = "merge"
	// RangeKept is an overloaded range that load balancing did not change.
	RangeKept = "kept"
)

// Decision is one step of load balancing and its reasons. Loads are averages in entities per second; values that do
// not apply are zero.
type Decision struct {
	Table string `json:"table"`
	// Range is the range acted on, Other the range that a split made or a merge removed; ranges are numbered in the
	// order in which they are created.
	Range uint64 `json:"range"`
	Other uint64 `json:"other,omitempty"`
	// Key is the boundary that a split made or a merge took away, or the first
	// PartitionKey of a range that moves or is kept.
	Key string `json:"key"`
	// From is the server that had the range, To the server that has it now.
	From int `json:"from_server"`
	To   int `json:"to_server"`
	// Until is when all of the range is served again, since the start of the run.
	Until time.Duration `json:"until_ns"`
	// Reason is the reason in words.
	Reason string `json:"reason"`
	// Overloaded is for how long the range or its server had been so, or both
	// ranges of a merge quiet.
	Overloaded time.Duration `json:"lasted_ns"`
	Offered    int64         `json:"offered_entities_per_second"`
	Served     int64         `json:"served_entities_per_second"`
	// Share is the part of the load, or of the bytes, below the boundary, in
	// thousandths.
	Share int64 `json:"share_below_permille,omitempty"`
	// FromLoad and ToLoad are the servers' loads before the range moved.
	FromLoad int64 `json:"from_entities_per_second,omitempty"`
	ToLoad   int64 `json:"to_entities_per_second,omitempty"`
	// Ranges is how many there are in all, afterwards.
	Ranges int `json:"ranges"`
}

// Balanced reports whether the event changed the ranges: a split, a move or a merge.
func (e *Event) Balanced() bool {
	switch e.What {
	case RangeSplit, SizeSplit, RangeMoved, RangesMerged:
		return e.Decision != nil
	default:
		return false
	}
}

// Spread is load on several partitions at once, for the manifest.
type Spread struct {
	Partitions int `json:"partitions"`
	// Rate is the operations per second of each of them in an open loop, Clients
	// and Think are a closed one.
	Rate    float64       `json:"rate,omitempty" merge:"sum"`
	Clients int           `json:"clients,omitempty" merge:"sum"`
	Think   time.Duration `json:"think_ns,omitempty"`
}

// KeyTail has the attempts at one PartitionKey in the last part of the load.
type KeyTail struct {
	Key       string `json:"key"`
	Attempts  int64  `json:"attempts"`
	Throttled int64  `json:"throttled"`
}

// Rival is the outcome of the same run under another profile of the model.
type Rival struct {
	Profile string `json:"profile"`
	// Outcome is as in [Balance], Throttled and Relieved likewise.
	Outcome   string   `json:"outcome"`
	Throttled *float64 `json:"throttled_from_s"`
	Relieved  *float64 `json:"relieved_at_s"`
	// Saturation is as in [Summary].
	Saturation *float64 `json:"saturation_entities_per_second"`
}

// The outcomes of a load.
const (
	// LoadHeld is a load without significant throttling, LoadRelieved one that was throttled until load balancing had
	// spread it, LoadThrottled one that was throttled to its end.
	LoadHeld      = "held"
	LoadRelieved  = "relieved"
	LoadThrottled = "throttled"
)

// Balance is the result of load balancing, as a verdict summarizes it.
type Balance struct {
	Outcome string `json:"outcome"`
	// Throttled is when the load was first throttled, Relieved when it was last throttled, in seconds since it began;
	// nil if never.
	Throttled *float64 `json:"throttled_from_s"`
	Relieved  *float64 `json:"relieved_at_s"`
	Splits    int      `json:"splits"`
	Moves     int      `json:"moves"`
	Merges    int      `json:"merges"`
	// Elsewhere is how many of these it did while nothing was measured: in a warm-up, or
	// while the table was read back.
	Elsewhere int `json:"outside_of_measured_load,omitempty"`
	// Ranges is the number of ranges at the end, 0 without any decision.
	Ranges int `json:"ranges"`
	// StillThrottled are the PartitionKeys throttled at the end of the load.
	StillThrottled []string `json:"still_throttled_keys"`
	// Survives reports whether another profile has the same outcome, nil if none was tried.
	Survives *bool `json:"survives_other_profile"`
}

// CounterName is the name of a workflow's counter, and its operation of the scenario.
type CounterName struct {
	Operation string `json:"operation"`
	Name      string `json:"name"`
}

// Counter is how often operations of the whole run came upon something.
type Counter struct {
	CounterName
	Count int64 `json:"count"`
}

// NewCounters returns counts in the order of their names.
func NewCounters(counts map[CounterName]int64) []Counter {
	list := make([]Counter, 0, len(counts))
	for name, count := range counts {
		list = append(list, Counter{name, count})
	}
	slices.SortFunc(list, Counter.compare)
	return list
}

func (c Counter) compare(other Counter) int {
	return cmp.Or(cmp.Compare(c.Operation, other.Operation), cmp.Compare(c.Name, other.Name))
}

// Invariant is a condition on the data that a run leaves behind, and its result.
type Invariant struct {
	// Name is the condition in words.
	Name string `json:"name"`
	// Looked is at how many things was looked, Faults in how many it does not hold, of
	// which Examples name some.
	Looked   int64    `json:"looked"`
	Faults   int64    `json:"violations"`
	Examples []string `json:"examples,omitempty"`
}

// Counters records the counters of workflows, before [Recorder.Finish].
func (r *Recorder) Counters(list []Counter) { r.UpdateRecord(func(of *Record) { of.Counters = list }) }

// SharesOf returns the partitions of a phase by how much they were offered, in ascending order,
// with what each was served; nil for a phase of no length. Partitions with nothing due are left out. The caller passes
// the partitions in a repeatable order, so that the sums of shares are the same to the last bit.
func SharesOf(seconds float64, offered []PartitionStats, served func(*PartitionStats) int64) []SharesClass {
	if seconds <= 0 {
		return nil
	}
	// The classes by the bits of the whole entities per second: 0 for less than one.
	var classes [65]SharesClass
	for i := range offered {
		one := &offered[i]
		if one.Entities <= 0 {
			continue
		}
		served := served(one)
		length := bits.Len64(uint64(min(float64(one.Entities)/seconds, 1<<62)))
		c := &classes[length]
		if length > 0 {
			c.From = 1 << (length - 1)
		}
		share := min(1, float64(served)/float64(one.Entities))
		c.Partitions++
		c.Offered += one.Entities
		c.Served += served
		c.Shares += share
		c.Squares += share * share
	}
	return slices.DeleteFunc(classes[:], func(c SharesClass) bool { return c.Partitions == 0 })
}

// Audit is the result of reading the writes of a run back.
type Audit struct {
	// Writes is the number of operations that wrote with an id = Acknowledged + Unknown + Absent. The outcome of an
	// unknown write is in no reply. An absent one failed after throttled retries, or lost a conflict with another
	// writer.
	Writes       int64 `json:"writes"`
	Acknowledged int64 `json:"acknowledged"`
	Unknown      int64 `json:"unknown"`
	Absent       int64 `json:"absent"`
	// Own409, Own412 and Own404 are retries that were refused because an earlier
	// attempt had succeeded: of an insert, a conditional write, a deletion.
	Own409 int64 `json:"own_409"`
	Own412 int64 `json:"own_412"`
	Own404 int64 `json:"own_404"`
	// ForeignConflicts are replies with 409, 412 or 404 caused by another writer.
	ForeignConflicts int64 `json:"foreign_conflicts"`
	// Keys is the number of watched entities; ReadBack of them were read after the
	// run. Unwatched is the number of entity writes above the maximum that is watched.
	Keys      int64 `json:"keys"`
	ReadBack  int64 `json:"read_back"`
	Unwatched int64 `json:"unwatched"`
	// Lost is the number of acknowledged writes that are missing although nothing can
	// have replaced them; Doubled is how many times too often counters were raised.
	Lost    int64 `json:"lost"`
	Doubled int64 `json:"doubled"`
	// Blind is how many of Lost the run itself may have overwritten, because it wrote the entity
	// without a condition (If-Match: *).
	Blind int64 `json:"blind,omitempty"`
	// Overwritten is the number of entities whose last writer is unknown to the run.
	Overwritten int64 `json:"overwritten"`
	// Examples name some of the entities at fault, in the order in which they were
	// read.
	Examples []AuditExample `json:"examples"`
}

// AuditExample is an entity that differs from what was acknowledged.
type AuditExample struct {
	PartitionKey string `json:"partition_key"`
	RowKey       string `json:"row_key"`
	Fault        string `json:"fault"`
}

// MaxAuditExamples is how many entities an [Audit] names at most.
const MaxAuditExamples = 10

// Sound reports whether nothing that was read back is lost or doubled.
func (a *Audit) Sound() bool { return a == nil || a.Lost == 0 && a.Doubled == 0 }

// IsComplete reports whether the table kept every acknowledged write, except those that the run may have overwritten itself.
func (a *Audit) IsComplete() bool { return a == nil || a.Lost == a.Blind && a.Doubled == 0 }

// PolicyContest compares several retry policies under the same trouble: the document of `loadgen backoff contest
// --format json`.
type PolicyContest struct {
	Verdict string `json:"verdict"`
	// Trouble is what the policies met, Clients the number of clients, and OperationsPerSecondEachClient the mean rate
	// of each.
	Trouble                       string  `json:"trouble"`
	Clients                       int     `json:"clients"`
	OperationsPerSecondEachClient float64 `json:"operations_per_second_each_client"`
	Seed                          uint64  `json:"seed"`
	// LeadS, TroubleS and TailS are how long operations became due before, in and
	// after the trouble, in seconds.
	LeadS    float64 `json:"lead_s"`
	TroubleS float64 `json:"trouble_s"`
	TailS    float64 `json:"tail_s"`
	// Policies are the best first.
	Policies []PolicyTrial `json:"policies"`
}

// PolicyTrial is the result of one retry policy. Caught operations became due during the trouble.
type PolicyTrial struct {
	Policy string `json:"policy"`
	Caught int64  `json:"operations_caught"`
	// Lost of the caught operations did not succeed. Withheld operations, of all due ones, were never sent because of
	// a limiter.
	Lost        int64   `json:"operations_lost"`
	Withheld    int64   `json:"operations_withheld"`
	LostPercent float64 `json:"lost_percent"`
	// LostDoubt is the half-width of the 95 % interval of LostPercent by chance
	// alone, in percent.
	LostDoubt float64 `json:"lost_percent_doubt"`
	// Goodput is entities served per second from the trouble's begin to the last
	// arrival.
	Goodput              float64 `json:"goodput"`
	AttemptsPerOperation float64 `json:"tries_per_operation"`
	// AmplificationByChance is (1 − p^(R+1))/(1 − p) with the measured share p of
	// throttled attempts and R retries: what attempts per operation would be if each
	// attempt were throttled by chance.
	AmplificationByChance float64 `json:"amplification_by_chance"`
	// DrainS is how long after the trouble's end the last caught operation ended,
	// in seconds.
	DrainS float64 `json:"drain_s"`
	// Added are quantiles of the time that the trouble added to the response times of caught operations that
	// succeeded, in milliseconds; null if too few did.
	Added AddedQuantiles `json:"added_ms"`
	// PeakRetries is the most retries sent within any 100 ms.
	PeakRetries int `json:"peak_retries_100ms"`
	// Fairness is Jain's index over the clients' shares of caught operations that succeeded: 1 if all are equal, 1/n
	// if one of n has all; null if none succeeded.
	Fairness *float64 `json:"fairness"`
	// Duplicates are retries answered 404, 409 or 412: they may have met their own
	// success.
	Duplicates int64 `json:"duplicate_effects"`
	// RetriesPer100ms counts the retries sent, from the trouble's begin on, until
	// the last; at most 6,000 values.
	RetriesPer100ms []int64 `json:"retries_per_100ms"`
}

// AddedQuantiles are in milliseconds.
type AddedQuantiles struct {
	P50 *float64 `json:"p50"`
	P95 *float64 `json:"p95"`
	P99 *float64 `json:"p99"`
}

// RetrySchedule is the schedule of a retry policy for an operation whose attempts all fail at once: the document of
// `loadgen backoff show --format json`.
type RetrySchedule struct {
	Policy  string `json:"policy"`
	Retries int    `json:"retries"`
	// ElapsedS is how long after the first attempt there are retries, in seconds; 0 for any time.
	ElapsedS float64 `json:"elapsed_s,omitempty"`
	// Formula is the rule in one line, Codes the codes that are retried, Source the source of both.
	Formula string `json:"formula"`
	Codes   string `json:"codes"`
	Source  string `json:"source"`
	// Waits are those of the first retries. Flat is a sentence about the waits without spread, after which clients
	// that failed together retry together; empty if all waits are spread.
	Waits []RetryWait `json:"waits"`
	Flat  string      `json:"flat"`
}

// RetryWait is the wait before one retry, in seconds; the sums are since the first
// failure.
type RetryWait struct {
	Retry     int     `json:"retry"`
	LeastS    float64 `json:"least_s"`
	MeanS     float64 `json:"mean_s"`
	GreatestS float64 `json:"greatest_s"`
	// The sums are over this wait and those before it: minimum, mean and maximum for a policy with independent waits.
	SumLeastS    float64 `json:"sum_least_s"`
	SumMeanS     float64 `json:"sum_mean_s"`
	SumGreatestS float64 `json:"sum_greatest_s"`
}
