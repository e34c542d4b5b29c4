package results

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Generator describes the resources that sending the load took, and its delays: evidence for the reliability of other
// figures. For an embedded run it includes the engine, which runs in the same process.
type Generator struct {
	// Ceiling is the maximum rate before the run, nil if it was not measured.
	Ceiling *Ceiling `json:"ceiling"`
	// Cores is how many of the machine's the process may keep busy at once,
	// Workers the greatest number of attempts that it may have under way.
	Cores   int `json:"cores" merge:"sum"`
	Workers int `json:"workers" merge:"sum"`
	// CPUKnown reports that the system provides the CPU time of the process. Otherwise each CPU is 0.
	CPUKnown bool `json:"cpu_known"`
	// Seconds is the number of whole seconds that were observed, each in its line of intervals.ndjson. Pauses is the
	// total of the garbage collector's pauses.
	Seconds int64         `json:"seconds" merge:"max"`
	CPU     time.Duration `json:"cpu_ns" merge:"sum"`
	Pauses  time.Duration `json:"gc_pauses_ns" merge:"max"`
	// LongestPause is as exact as the runtime's histogram of them.
	LongestPause time.Duration `json:"longest_gc_pause_ns" merge:"max"`
	// StoodStill is for how long the process was not let run, longest at once.
	StoodStill   time.Duration `json:"stood_still_ns" merge:"max"`
	LongestStill time.Duration `json:"longest_stood_still_ns" merge:"max"`
	// Starved, GCCPU, RunQueue and Pressure are the sums over the seconds, see [Health]; the last two are nil if the
	// system does not provide them.
	Starved  time.Duration  `json:"starved_ns" merge:"max"`
	GCCPU    time.Duration  `json:"gc_cpu_ns" merge:"sum"`
	RunQueue *time.Duration `json:"run_queue_wait_ns" merge:"max"`
	Pressure *time.Duration `json:"cpu_pressure_ns" merge:"max"`
	// LeastFree is the minimum number of free workers while load was sent, nil if unknown.
	LeastFree *int64 `json:"least_free_workers" merge:"min"`
	// Goroutines and Heap, in bytes, are the greatest of any second.
	Goroutines int64 `json:"most_goroutines" merge:"max"`
	Heap       int64 `json:"most_heap_bytes" merge:"max"`
	// Busiest is the second of the run with the most CPU time, nil if none was observed.
	Busiest *Health `json:"busiest"`
}

// Ceiling is the result of sending as fast as possible: a closed loop on a target that answers at once.
type Ceiling struct {
	// Over is [OverNothing] or [OverHTTP].
	Over string `json:"over"`
	// Lanes is how many operations were under way at once.
	Lanes      int           `json:"lanes"`
	Operations int64         `json:"operations"`
	Took       time.Duration `json:"took_ns"`
	// CPU is the CPU time of the process meanwhile, including the answering side; 0 if unknown.
	CPU time.Duration `json:"cpu_ns"`
}

// The targets of a ceiling: a function that is called directly, and a server of this process on the loopback
// interface. Both answer 204 at once.
const (
	OverNothing = "null target"
	OverHTTP    = "null server"
)

// PerSecond returns the ceiling in operations per second, 0 if unknown.
func (c *Ceiling) PerSecond() float64 {
	if c == nil || c.Took <= 0 {
		return 0
	}
	return float64(c.Operations) / c.Took.Seconds()
}

// CPUMicros returns the CPU time of an operation in microseconds, 0 if unknown.
func (c *Ceiling) CPUMicros() float64 {
	if c == nil || c.Operations <= 0 {
		return 0
	}
	return float64(c.CPU) / float64(time.Microsecond) / float64(c.Operations)
}

// Health is the state of the generator in one whole second of the run, see [Generator].
type Health struct {
	Second int64 `json:"second"`
	// Lasted is the time over which CPU and pauses were measured: a second, or more if the process stood still at its
	// end.
	Lasted       time.Duration `json:"lasted_ns" merge:"max" follow:"sum"`
	CPU          time.Duration `json:"cpu_ns" merge:"sum" follow:"sum"`
	Pauses       time.Duration `json:"gc_pauses_ns" merge:"max" follow:"sum"`
	LongestPause time.Duration `json:"longest_gc_pause_ns" merge:"max" follow:"max"`
	// StoodStill is of this second alone.
	StoodStill time.Duration `json:"stood_still_ns" merge:"max" follow:"sum"`
	// Starved is for how long something was due and no worker was free to send it.
	Starved time.Duration `json:"starved_ns" merge:"max" follow:"sum"`
	// RunQueue is the total time for which threads of the process were runnable without a CPU, Pressure the time for
	// which anything on the machine waited for one. They are nil if the system does not provide them.
	RunQueue *time.Duration `json:"run_queue_wait_ns" merge:"max" follow:"sum"`
	Pressure *time.Duration `json:"cpu_pressure_ns" merge:"max" follow:"sum"`
	// GCCPU is the CPU time of the garbage collector that the load could have used. The runtime reports it at the end
	// of a collection.
	GCCPU time.Duration `json:"gc_cpu_ns" merge:"sum" follow:"sum"`
	// FreeWorkers is the minimum number of free workers, nil if no load was sent.
	FreeWorkers *int64 `json:"free_workers" merge:"min" follow:"min"`
	Goroutines  int64  `json:"goroutines" merge:"sum" follow:"max"`
	Heap        int64  `json:"heap_bytes" merge:"sum" follow:"max"`
	// Unanswered are the stretches of the second in which attempts were in flight and none was answered although the
	// process ran, in order: those of at least 50 ms, including the time before the second. One that continues has its
	// next part in the next second.
	Unanswered []Stretch `json:"unanswered,omitempty"`
}

// Stretch is a part of a run in which nothing was answered, from an instant to
// another, with the greatest number of attempts that waited at its end.
type Stretch struct {
	From    time.Duration `json:"from_ns"`
	To      time.Duration `json:"to_ns"`
	Waiting int64         `json:"waiting"`
}

// Share returns the busy part of the given number of cores in the second, 0 if unknown.
func (v *Health) Share(cores int) float64 {
	if v == nil || v.Lasted <= 0 || cores <= 0 {
		return 0
	}
	return float64(v.CPU) / float64(v.Lasted) / float64(cores)
}

// Health records the state of the generator in a whole second, in the line of that second. It does nothing if the line
// was written already.
func (r *Recorder) Health(v Health) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v.Second >= r.rows.first {
		r.rows.rowAt(time.Duration(v.Second) * time.Second).Generator = &v
	}
}

// combined returns the health of two generators in a second (how is "merge"), or of a generator in consecutive seconds
// ("follow"). Nil means unknown.
func (v *Health) combined(other *Health, how string) *Health {
	if v == nil || other == nil {
		return cmp.Or(v, other)
	}
	sum := *v
	combine(&sum, other, how)
	sum.Unanswered = slices.Concat(v.Unanswered, other.Unanswered)
	slices.SortStableFunc(sum.Unanswered, func(a, b Stretch) int { return cmp.Compare(a.From, b.From) })
	return &sum
}

// Capture describes traffic of others that a server observed: its partitions, its queries, the order of its keys, and
// the requests that were not carried out. Requests count attempts; entities count by the documented rule. Every list
// is bounded, and has a count of the omitted ones.
type Capture struct {
	Requests int64 `json:"requests"`
	Entities int64 `json:"entities_counted"`
	// Billed is how many of Requests the service bills; 0 in records of earlier builds.
	Billed int64 `json:"billed,omitempty"`
	// Unnamed is how many requests carried no id of the client's, so that a
	// retry of theirs counts as an operation of its own. Forgotten is how many
	// throttled or failed operations were given up before their time, for want of
	// room: a later retry of theirs did likewise.
	Unnamed   int64 `json:"requests_without_client_id"`
	Forgotten int64 `json:"operations_forgotten"`
	// Delayed is how many requests became known after their second was written,
	// and count in a later one.
	Delayed int64 `json:"requests_delayed"`
	// ThrottledByPartition and ThrottledByAccount are the throttled requests by what
	// throttled them.
	ThrottledByPartition int64 `json:"throttled_by_partition"`
	ThrottledByAccount   int64 `json:"throttled_by_account"`

	// Partitions are those with the most demanded entities, in descending order. PartitionsTold is the number of
	// partitions that were distinguished at the end; PartitionsDropped how often one was replaced by another.
	Partitions        []ObservedPartition `json:"partitions"`
	PartitionsTold    int64               `json:"partitions_told_apart"`
	PartitionsDropped int64               `json:"partitions_dropped"`
	// Shapes are the queries that counted most entities, most first.
	Shapes        []QueryShape `json:"query_shapes"`
	ShapesTold    int64        `json:"query_shapes_told_apart"`
	ShapesDropped int64        `json:"query_shapes_dropped"`
	// Orders describe the order of the inserted keys of each table, in descending order of inserts.
	Orders        []KeyOrder `json:"key_orders"`
	TablesDropped int64      `json:"tables_dropped"`
	// Answers are the requests that were not carried out normally, by status and code, in descending order.
	// AnswersOver is the number of those with codes above the bound.
	Answers     []Answer `json:"answers"`
	AnswersOver int64    `json:"answers_over"`
}

// ObservedPartition is the traffic of one partition: one PartitionKey of one
// table. A page of a query counts as a request in each partition that it crosses.
type ObservedPartition struct {
	Table        string `json:"table"`
	PartitionKey string `json:"partition_key"`
	// Entities is counted since the partition was last added; before that it may have had up to Missed more. 0 means
	// that the count is exact.
	Entities int64 `json:"entities_counted"`
	Missed   int64 `json:"entities_missed_at_most"`
	// Demanded is Entities plus the entities that throttled requests asked for, counted with each attempt: it
	// determines the hottest partition.
	Demanded int64 `json:"entities_demanded"`
	Requests int64 `json:"requests"`
	// Throttled is the number of requests that the partition throttled, AccountThrottled of those that the account
	// throttled.
	Throttled        int64 `json:"throttled"`
	AccountThrottled int64 `json:"throttled_by_account"`
	// Failed is the number of requests that failed for other reasons than load.
	Failed int64 `json:"failed"`
	// Seconds is in how many seconds of the run the partition answered anything;
	// Typical is the median of the entities counted in each of them.
	Seconds int64   `json:"active_seconds"`
	Typical float64 `json:"typical_second_entities"`
	// Busiest is the maximum that was counted in one second, Offered the maximum that first attempts asked for in one,
	// including throttled ones.
	Busiest int64 `json:"busiest_second_entities"`
	Offered int64 `json:"busiest_second_offered_entities"`
	// Demand is the highest requested rate over any time, without what a burst of 100 ms covers, in
	// entities per second; 0 if its busiest second is within the target.
	Demand float64 `json:"demand_entities_per_second,omitempty"`
	// Saturation is the rate at which the partition saturates, by the rule for any load, of the seconds with the most
	// demand. SaturationInterval has the minimum and the maximum of these seconds. They are null and empty if no limit
	// shows, for the reason SaturationWhy.
	Saturation         *float64  `json:"saturation_entities_per_second"`
	SaturationInterval []float64 `json:"saturation_interval"`
	SaturationWhy      string    `json:"saturation_why,omitempty"`
	// Limited is the only limited group of operations, GET or PUT, and Free the other one; Saturation is that of
	// Limited. Both are empty if both groups meet the same limit.
	Limited string `json:"limited_group,omitempty"`
	Free    string `json:"free_group,omitempty"`
	// Together is how many other partitions were throttled in at least half of the seconds
	// in which this one was.
	Together int `json:"partitions_throttled_together,omitempty"`
}

// QueryShape describes queries that differ only in their literals.
type QueryShape struct {
	Table string `json:"table"`
	// Shape is the filter with its literals replaced, empty for none; Class is
	// how the documents rate it.
	Shape string `json:"shape"`
	Class string `json:"class"`
	// Requests is the number of pages, Throttled of those that were throttled.
	Requests  int64 `json:"requests"`
	Throttled int64 `json:"throttled"`
	// Scanned is the number of entities that pages counted since the shape was last added; before that it may have had
	// up to Missed more. Returned is the number of entities in replies.
	Scanned  int64 `json:"entities_scanned"`
	Missed   int64 `json:"entities_missed_at_most"`
	Returned int64 `json:"entities_returned"`
	// Density is Returned to Scanned, null if nothing was scanned.
	Density *float64 `json:"density"`
}

// KeyOrder is the order in which the keys of a table's inserted entities came. A key ascends if it is greater than all
// earlier keys except the last few, which may have been in flight at the same time; it descends if it is less than all
// of them.
type KeyOrder struct {
	Table string `json:"table"`
	// Partitions are the PartitionKeys that were inserted into and seemed new.
	Partitions Order `json:"partition_keys"`
	// Rows are the RowKeys, each compared within its own partition.
	Rows Order `json:"row_keys"`
	// Tail is the rate of inserts where new PartitionKeys follow one another, in entities per second, if it
	// exceeds the target of one partition; else 0. TailShare is the share of all inserts there.
	Tail      float64 `json:"tail_entities_per_second,omitempty"`
	TailShare float64 `json:"tail_share,omitempty"`
}

// Order counts keys by how they came. The first of all has no order and is not
// among them.
type Order struct {
	Keys       int64 `json:"keys"`
	Ascending  int64 `json:"ascending"`
	Descending int64 `json:"descending"`
}

// The words for how new keys come: each is the greatest so far; each is the least;
// several take turns at one end; all fall on one place, which moves; or there is but
// one place.
const (
	AppendOnly   = "append-only"
	PrependOnly  = "prepend-only"
	HotTail      = "one hot tail of several buckets"
	MovingPoint  = "one moving point"
	OnePartition = "one partition"
)

// tailsWord follows the number of tails.
const tailsWord = " tails"

// Tails returns the word for new keys that fall on a number of moving places at a time.
func Tails(n int) string { return strconv.Itoa(n) + tailsWord }

// TailsOf returns the number of such a word, 0 of any other.
func TailsOf(order string) int {
	number, tails := strings.CutSuffix(order, tailsWord)
	if n, err := strconv.Atoi(number); tails && err == nil {
		return n
	}
	return 0
}

// An order has a name from this number of keys on, if this share of them goes one way.
const (
	minKeys   = 20
	onlyShare = 0.9
)

// Add counts other keys, too.
func (o *Order) Add(other Order) {
	o.Keys += other.Keys
	o.Ascending += other.Ascending
	o.Descending += other.Descending
}

// Way returns [AppendOnly] or [PrependOnly] for an order that goes one way, empty for
// any other.
func (o Order) Way() string {
	switch most := onlyShare * float64(o.Keys); {
	case o.Keys < minKeys:
		return ""
	case float64(o.Ascending) >= most:
		return AppendOnly
	case float64(o.Descending) >= most:
		return PrependOnly
	default:
		return ""
	}
}

// Answer is how many requests were answered so.
type Answer struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	// Class is the class of such an attempt in the reports: a 404, 409 or 412 is ok, since only the application knows
	// what it expects.
	Class    string `json:"class"`
	Requests int64  `json:"requests"`
	// Tableless is the number of requests that named no table.
	Tableless int64 `json:"without_table"`
}

// ProblemKind is a cause for which traffic is not sound.
type ProblemKind string

// The kinds of [Problem].
const (
	// ProblemPartition is a partition at its limit, or whose demand exceeds the target of one.
	ProblemPartition ProblemKind = "partition"
	// ProblemQuery is a query that scans far more entities than it returns.
	ProblemQuery ProblemKind = "query"
	// ProblemKeyOrder is a table whose new PartitionKeys all ascend or all descend.
	ProblemKeyOrder ProblemKind = "key order"
	// ProblemRetries are retries that follow too quickly.
	ProblemRetries ProblemKind = "retries"
	// ProblemFailures are requests that fail for other reasons than load.
	ProblemFailures ProblemKind = "failures"
	// ProblemAccount is an account that throttles.
	ProblemAccount ProblemKind = "account"
)

// Problem is a cause for which captured traffic is not sound.
type Problem struct {
	Kind ProblemKind `json:"kind"`
	// Share is the share of the entities counted for a partition, a query and a key order, and of the requests
	// otherwise.
	Share float64 `json:"share"`
	// Table, PartitionKey and Shape name the subject of the problem.
	Table        string `json:"table,omitempty"`
	PartitionKey string `json:"partition_key,omitempty"`
	Shape        string `json:"query_shape,omitempty"`
}

// What a search for the highest rate can be of.
const (
	// LimitPartition is the limit of one PartitionKey.
	LimitPartition = "partition"
	// LimitAccount is the limit of an account whose partitions share the load.
	LimitAccount = "account"
)

// The outcomes of a step of a search: the rate held, or the criterion by which it did not. If the generator was too
// slow, dropped or was late, the step says nothing about the target.
const (
	LimitHeld      = "held"
	LimitThrottled = "throttled"
	LimitFailed    = "failed"
	LimitP99       = "p99"
	LimitQueued    = "queueing"
	LimitClient    = "client-limited"
)

// If more than this share of the operations is sent this long after their intended instants, the generator and not the
// target was measured. A partition saves up the allowance of a tenth of a second: requests that are this late get the
// same answer, later ones are another load.
const (
	MaxHeldBackShare = 0.01
	HeldBackAfter    = 100 * time.Millisecond
	// MaxFirstThrottledShare is the maximum share of throttled first attempts in a step's last half if its rate holds.
	MaxFirstThrottledShare = 0.005
	// MaxHeldBackSeconds is the share of the seconds of a step that may have more such
	// operations before it is another load as a whole.
	MaxHeldBackSeconds = 0.02
)

// Limit is a search for the highest rate that holds: its parameters, its steps, and the resulting interval.
type Limit struct {
	// Of is [LimitPartition] or [LimitAccount], Partitions how many the load was
	// spread over.
	Of         string `json:"of"`
	Partitions int    `json:"partitions"`
	// MaxThrottled is the maximum share of throttled first attempts, and of otherwise failed ones. MaxP99 is the
	// maximum p99 of the response time in microseconds, null if there is none.
	MaxThrottled float64 `json:"max_throttled_share"`
	MaxP99       *int64  `json:"max_response_p99_us"`
	// From is the first rate, UpTo the highest that may be tried.
	From float64 `json:"from_operations_per_second"`
	UpTo float64 `json:"up_to_operations_per_second"`
	// StepSeconds is the minimum length of a step, BurstSeconds the allowance that the target saves up while idle, in
	// seconds, 0 if unknown.
	StepSeconds  float64 `json:"step_s"`
	BurstSeconds float64 `json:"burst_s"`
	// Held is the highest rate that held, null if none did, NotHeld the lowest higher rate that did not, null if there
	// is none, and By the reason.
	Held    *float64 `json:"highest_held_operations_per_second"`
	NotHeld *float64 `json:"lowest_not_held_operations_per_second"`
	By      string   `json:"not_held_by"`
	// Finished reports that the interval is narrow enough and both of its ends were confirmed, or that a bound of the
	// rates was reached.
	Finished bool `json:"finished"`
	// Entities is the cost of the search: entities counted by all of its attempts, including those of an interrupted
	// step.
	Entities int64 `json:"entities_counted"`
	// Sporadic is the share of first attempts that is refused at every rate. It fails no rate.
	Sporadic float64     `json:"sporadic_share,omitempty"`
	Steps    []LimitStep `json:"steps"`
}

// LimitStep is one rate that was tried.
type LimitStep struct {
	// Phase names the record's phase.
	Phase string  `json:"phase"`
	Rate  float64 `json:"operations_per_second"`
	// Offered are the entities due per second.
	Offered float64 `json:"offered_entities_per_second"`
	Seconds float64 `json:"length_s"`
	// Scheduled operations became due; Dropped of them were never sent, and HeldBack were sent more than
	// [HeldBackAfter] late.
	Scheduled int64 `json:"scheduled"`
	Dropped   int64 `json:"dropped"`
	HeldBack  int64 `json:"over_100_ms_late"`
	// ThrottledShare and FailedShare are of the first attempts.
	ThrottledShare float64 `json:"throttled_share"`
	FailedShare    float64 `json:"failed_share"`
	// P99 is that of the response times of successful operations, null if there are too few.
	P99 *int64 `json:"response_p99_us"`
	// QueueGrowth is the growth of the queue in front of the target during the step, Answered the
	// number of operations that succeeded during it, ServiceMean the mean service time of first
	// attempts in microseconds.
	QueueGrowth int64 `json:"queue_growth"`
	Answered    int64 `json:"answered"`
	ServiceMean int64 `json:"service_mean_us"`
	// Entities is the number counted by the step's attempts, and by the load that drained the target before it, which
	// no other figure includes.
	Entities int64  `json:"entities_counted"`
	Outcome  string `json:"outcome"`
}

// ClientLimited reports whether the generator rather than the target ended the search.
func (l *Limit) ClientLimited() bool { return l.NotHeld != nil && l.By == LimitClient }

// Step returns the last step that tried a rate, nil if none did or the rate is nil. It shares the limit's memory.
func (l *Limit) Step(rate *float64) *LimitStep {
	for i := len(l.Steps) - 1; rate != nil && i >= 0; i-- {
		if l.Steps[i].Rate == *rate {
			return &l.Steps[i]
		}
	}
	return nil
}

// Clone returns a copy of a part of a record that shares no memory. It goes by way of JSON.
func Clone[T any](value T) (other T) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &other)
	}
	if err != nil {
		panic("results: a part of a record that is no JSON: " + err.Error())
	}
	return other
}

// Limit records the current state of a search, in place of the earlier one, until [Recorder.Finish]. It keeps a copy.
func (r *Recorder) Limit(l *Limit) { r.UpdateRecord(func(of *Record) { of.Limit = Clone(l) }) }
