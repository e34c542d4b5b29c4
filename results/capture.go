package results

import (
	"strconv"
	"strings"
)

// Capture is what a server saw of traffic that was not of this tool's
// making: where it went, what its queries read, in which order its keys came and
// what was not carried out. Requests count attempts; entities count by the
// documented rule. Every list is bounded, and says what it has no room for.
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

	// Partitions are those of which most entities were demanded, most first. Told
	// is how many were told apart at the end; Dropped is how often one had to make
	// room for another before that.
	Partitions        []ObservedPartition `json:"partitions"`
	PartitionsTold    int64               `json:"partitions_told_apart"`
	PartitionsDropped int64               `json:"partitions_dropped"`
	// Shapes are the queries that counted most entities, most first.
	Shapes        []QueryShape `json:"query_shapes"`
	ShapesTold    int64        `json:"query_shapes_told_apart"`
	ShapesDropped int64        `json:"query_shapes_dropped"`
	// Orders say how the inserted keys of each table came, most inserts first.
	Orders        []KeyOrder `json:"key_orders"`
	TablesDropped int64      `json:"tables_dropped"`
	// Answers are the requests that were not simply carried out, by status and
	// code, most first. AnswersOver are those of codes beyond the bound.
	Answers     []Answer `json:"answers"`
	AnswersOver int64    `json:"answers_over"`
}

// ObservedPartition is the traffic of one partition: one PartitionKey of one
// table. A page of a query counts as a request in each partition that it crosses.
type ObservedPartition struct {
	Table        string `json:"table"`
	PartitionKey string `json:"partition_key"`
	// Entities were counted since the partition was last taken in; before that
	// it may have had up to Missed more, 0 where the count is exact.
	Entities int64 `json:"entities_counted"`
	Missed   int64 `json:"entities_missed_at_most"`
	// Demanded is Entities and what the throttled requests asked for, those sent
	// again with each attempt: it says which partition is the hottest.
	Demanded int64 `json:"entities_demanded"`
	Requests int64 `json:"requests"`
	// Throttled are the requests that the partition throttled, AccountThrottled those
	// that the account did.
	Throttled        int64 `json:"throttled"`
	AccountThrottled int64 `json:"throttled_by_account"`
	// Failed are those that failed for other reasons than load.
	Failed int64 `json:"failed"`
	// Seconds is in how many seconds of the run the partition answered anything;
	// Typical is the median of the entities counted in each of them.
	Seconds int64   `json:"active_seconds"`
	Typical float64 `json:"typical_second_entities"`
	// Busiest is the most that was counted in one second, Offered the most that
	// was asked for in one by first attempts, throttled ones included.
	Busiest int64 `json:"busiest_second_entities"`
	Offered int64 `json:"busiest_second_offered_entities"`
	// Saturation is where the partition saturates, by the rule of any load: of the seconds
	// in which most was asked of it. SaturationInterval has the least and the greatest of
	// those that it rests on. They are null and empty where no limit shows, and
	// SaturationWhy says why none does.
	Saturation         *float64  `json:"saturation_entities_per_second"`
	SaturationInterval []float64 `json:"saturation_interval"`
	SaturationWhy      string    `json:"saturation_why,omitempty"`
	// Limited is the only group of operations that is limited, GET or PUT, and Free the other.
	// Saturation is then that of Limited. Both are empty if both groups meet the same limit.
	Limited string `json:"limited_group,omitempty"`
	Free    string `json:"free_group,omitempty"`
	// Together is how many other partitions were throttled in at least half of the seconds
	// in which this one was.
	Together int `json:"partitions_throttled_together,omitempty"`
}

// QueryShape is what queries that differ in nothing but their literals came to.
type QueryShape struct {
	Table string `json:"table"`
	// Shape is the filter with its literals replaced, empty for none; Class is
	// how the documents rate it.
	Shape string `json:"shape"`
	Class string `json:"class"`
	// Requests are pages, of which Throttled were throttled.
	Requests  int64 `json:"requests"`
	Throttled int64 `json:"throttled"`
	// Scanned is what the pages counted, since the shape was last taken in,
	// before which it may have been up to Missed more. Returned is what they held.
	Scanned  int64 `json:"entities_scanned"`
	Missed   int64 `json:"entities_missed_at_most"`
	Returned int64 `json:"entities_returned"`
	// Density is Returned to Scanned, null where nothing was scanned.
	Density *float64 `json:"density"`
}

// KeyOrder is the order in which the keys of a table's inserted entities came.
// A key ascends where it lies beyond all that came before it but for the last
// few, which may have been under way at the same time; it descends where it lies
// before all of them.
type KeyOrder struct {
	Table string `json:"table"`
	// Partitions are the PartitionKeys that were inserted into and seemed new.
	Partitions Order `json:"partition_keys"`
	// Rows are the RowKeys, each against those of its own partition.
	Rows Order `json:"row_keys"`
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

// Tails is the word for new keys that fall on so many places at a time, each of which
// moves on.
func Tails(n int) string { return strconv.Itoa(n) + tailsWord }

// TailsOf returns the number of such a word, 0 of any other.
func TailsOf(order string) int {
	number, tails := strings.CutSuffix(order, tailsWord)
	if n, err := strconv.Atoi(number); tails && err == nil {
		return n
	}
	return 0
}

// From so many keys of which such a share goes one way, an order is called so.
const (
	fewestKeys = 20
	onlyShare  = 0.9
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
	case o.Keys < fewestKeys:
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
	// Class is the fate of such an attempt in the word of the reports: a 404, 409
	// or 412 is ok, since only the application knows what it expects.
	Class    string `json:"class"`
	Requests int64  `json:"requests"`
	// Tableless are those of them that named no table.
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
	// Share is that of the entities counted of a partition, a query and a key order, and of the requests else.
	Share float64 `json:"share"`
	// Table, PartitionKey and Shape name what the problem is about.
	Table        string `json:"table,omitempty"`
	PartitionKey string `json:"partition_key,omitempty"`
	Shape        string `json:"query_shape,omitempty"`
}
