package results

import (
	"encoding/json"
	"time"
)

// What a search for the highest rate can be of.
const (
	// LimitPartition is what one PartitionKey bears.
	LimitPartition = "partition"
	// LimitAccount is what an account bears whose partitions share the load.
	LimitAccount = "account"
)

// The outcomes of a step of a search: that its rate held, or the criterion by
// which it did not. What is too slow, dropped or late at the generator says
// nothing of the target, whatever else a step shows.
const (
	LimitHeld      = "held"
	LimitThrottled = "throttled"
	LimitFailed    = "failed"
	LimitP99       = "p99"
	LimitQueued    = "queueing"
	LimitClient    = "client-limited"
)

// The share of the operations that may be sent more than so long after their
// intended instants before the generator, and not the target, is what was
// measured. A partition saves up a tenth of a second's allowance: what arrives
// that much later meets the same answer, and what arrives later still was offered
// as another load than the one asked for.
const (
	MostHeldBack  = 0.01
	HeldBackAfter = 100 * time.Millisecond
	// MostFirstThrottled is the share of the first attempts of a step's last half that may be
	// throttled where its rate holds.
	MostFirstThrottled = 0.005
	// MostSecondsHeldBack is the share of the seconds of a step that may have more such
	// operations before it is another load as a whole.
	MostSecondsHeldBack = 0.02
)

// Limit is a search for the highest rate that holds: what was asked, the steps
// that were tried, and the interval that they leave.
type Limit struct {
	// Of is [LimitPartition] or [LimitAccount], Partitions how many the load was
	// spread over.
	Of         string `json:"of"`
	Partitions int    `json:"partitions"`
	// MaxThrottled is the greatest share of first attempts that may be throttled, and
	// of those that may fail otherwise. MaxP99 bounds the response time, in
	// microseconds; it is null where nothing was asked of it.
	MaxThrottled float64 `json:"max_throttled_share"`
	MaxP99       *int64  `json:"max_response_p99_us"`
	// From is the first rate, UpTo the highest that may be tried.
	From float64 `json:"from_operations_per_second"`
	UpTo float64 `json:"up_to_operations_per_second"`
	// StepSeconds is the least length of a step, BurstSeconds how much of a
	// second's allowance the target saves up while idle, 0 where that is not known.
	StepSeconds  float64 `json:"step_s"`
	BurstSeconds float64 `json:"burst_s"`
	// Held is the highest rate that held, null where none did, NotHeld the lowest
	// above it that did not, null where none did not, and By why it did not.
	Held    *float64 `json:"highest_held_operations_per_second"`
	NotHeld *float64 `json:"lowest_not_held_operations_per_second"`
	By      string   `json:"not_held_by"`
	// Finished says that the interval is as narrow as it was to become and that
	// both of its ends were confirmed, or that a bound of the rates was reached.
	Finished bool `json:"finished"`
	// Entities is what the search spent: entities counted by all of its attempts,
	// those of a step that was interrupted included.
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
	// Scheduled operations became due, of which Dropped were never sent and
	// HeldBack sent more than [HeldBackAfter] late.
	Scheduled int64 `json:"scheduled"`
	Dropped   int64 `json:"dropped"`
	HeldBack  int64 `json:"over_100_ms_late"`
	// ThrottledShare and FailedShare are of the first attempts.
	ThrottledShare float64 `json:"throttled_share"`
	FailedShare    float64 `json:"failed_share"`
	// P99 is of the response times of the operations that succeeded, null where
	// they are too few.
	P99 *int64 `json:"response_p99_us"`
	// QueueGrowth is the growth of the queue in front of the target during the step, Answered the
	// number of operations that succeeded during it, ServiceMean the mean service time of first
	// attempts in microseconds.
	QueueGrowth int64 `json:"queue_growth"`
	Answered    int64 `json:"answered"`
	ServiceMean int64 `json:"service_mean_us"`
	// Entities are those counted by the step's attempts, and by what drained the target
	// before it, which no other figure of the step is of.
	Entities int64  `json:"entities_counted"`
	Outcome  string `json:"outcome"`
}

// ClientLimited reports whether the search ended at what the generator, rather
// than the target, could do.
func (l *Limit) ClientLimited() bool { return l.NotHeld != nil && l.By == LimitClient }

// Step returns the last step that tried a rate, nil where none did or the rate is
// nil. It shares the limit's memory.
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

// Limit takes down what a search has come to so far, in place of what it had
// come to before, until [Recorder.Finish]. It keeps a copy.
func (r *Recorder) Limit(l *Limit) { r.Take(func(of *Record) { of.Limit = Clone(l) }) }
