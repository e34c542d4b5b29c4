package results

import (
	"encoding/json"
	"time"
)

// Phase is a stretch of the run by the intended instants of its operations: a
// preparation, or one step of the peak.
type Phase struct {
	// Name is shown to people and unique in the run; Stage groups the steps of
	// one stretch of load.
	Name  string `json:"name" merge:"same"`
	Stage string `json:"stage" merge:"same"`
	// Begin and End bound the intended instants, in nanoseconds since the
	// start of the run. A closed-loop phase ends when its work is done.
	Begin time.Duration `json:"begin_ns"`
	End   time.Duration `json:"end_ns"`
	// Rate is the offered load in operations per second, 0 in a closed loop.
	Rate float64 `json:"rate,omitempty"`
	// Varying says that the rate is the mean of one that changes.
	Varying bool `json:"varying,omitempty" merge:"same"`
	// Unplanned says that the end was not known as the phase began: its LastHalf is all of
	// it.
	Unplanned bool `json:"unplanned,omitempty" merge:"same"`
	// Reported phases are what the verdict rests on.
	Reported bool `json:"reported" merge:"same"`
	// Kinds has one entry for each kind of operation of the manifest.
	Kinds []KindStats `json:"kinds"`
	// Partitions are the entities counted for successes in the partitions that had
	// most in a second or over the whole phase, those with the busiest second first: see
	// [KeptPartitions]. Unlike all other counts they are of the attempts
	// that ended while the phase lasted, so that no partition seems to have
	// served more per second than it did.
	Partitions []PartitionStats `json:"partitions,omitempty"`
	// PartitionsOver is how many entities fell to partitions beyond the bound
	// on how many are told apart.
	PartitionsOver int64 `json:"partitions_over,omitempty"`
	// Offered are the entities that operations on a single partition were due to
	// touch, each told at its first attempt, in the partitions chosen and ordered in the
	// same way: of the operations due in the phase. It is nil in the record of a run
	// that did not come to its end. OfferedOver is how many fell to
	// partitions beyond the bound, PartitionsHit how many were told apart.
	Offered       []PartitionStats `json:"offered_partitions"`
	OfferedOver   int64            `json:"offered_over,omitempty"`
	PartitionsHit int64            `json:"partitions_hit,omitempty"`
	// Shares are the partitions that were told apart, by how much they were offered.
	Shares []SharesClass `json:"shares,omitempty"`
	// Accounts has the load of each account, where the run is over several.
	Accounts []AccountStats `json:"accounts,omitempty"`
}

// Seconds returns the planned length of the phase in seconds.
func (p *Phase) Seconds() float64 { return (p.End - p.Begin).Seconds() }

// PartitionStats is the load of one partition in a phase.
type PartitionStats struct {
	// Table is what the name of the partition's table adds to that of the test table.
	Table    string `json:"table,omitempty"`
	Key      string `json:"key"`
	Entities int64  `json:"entities"`
	// Busiest is the most entities of any second, whole ones counted from the begin of
	// the phase: a lower bound where AtLeast, because what belongs to a second came
	// over a minute later.
	Busiest int64 `json:"busiest_second_entities"`
	AtLeast bool  `json:"at_least,omitempty"`
}

func (s *PartitionStats) place() place { return place{s.Table, s.Key} }

// PartitionName returns how people are told of a partition: by its key, and by what the
// name of its table adds to that of the test table if that is another. What it returns
// holds whatever the two do.
func PartitionName(table, key string) string {
	if table == "" {
		return key
	}
	return key + " (table " + table + ")"
}

// KindStats is what one kind of operation came to in one phase. Operations
// belong to the phase of their intended instant, attempts to their operation's.
type KindStats struct {
	Counts
	// LastHalf is of the operations due in the last half of the phase, whenever they
	// end; of all where its end was not known when they were recorded.
	LastHalf Cohort `json:"last_half"`

	// Response is of successful operations, Lost of the others, from the
	// intended instant to the end of the last attempt. Service is of single
	// attempts by their class.
	Response *Histogram `json:"response"`
	Lost     *Histogram `json:"lost"`
	Service  ByClass    `json:"service"`
}

// ByClass is a histogram for each class, at the class, and nil where that is none.
type ByClass [classes]*Histogram

// MarshalJSON implements [json.Marshaler]: the three in their order.
func (b ByClass) MarshalJSON() ([]byte, error) { return json.Marshal(b[Ok:]) }

// UnmarshalJSON implements [json.Unmarshaler].
func (b *ByClass) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, (*[classes - Ok]*Histogram)(b[Ok:]))
}

// Cohort is the operations that were due in some part of a phase, and what became of
// them, whenever that was.
type Cohort struct {
	Counts
}

// cohortLayout is what a record holds of a cohort.
var cohortLayout = LayoutOf[Cohort]("scheduled=due sent succeeded first_attempts_throttled offered_entities served_entities")

// MarshalJSON implements [json.Marshaler].
func (c Cohort) MarshalJSON() ([]byte, error) { return cohortLayout.Encode(c) }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Cohort) UnmarshalJSON(text []byte) error {
	var read struct {
		Counts
		Due int64 `json:"due"`
	}
	err := json.Unmarshal(text, &read)
	c.Counts, c.Scheduled = read.Counts, read.Due
	return err
}

// inLastHalf says whether an operation due then counts in LastHalf.
func (p *Phase) inLastHalf(intended time.Duration) bool {
	return intended >= p.Begin+(p.End-p.Begin)/2
}

func newKindStats() KindStats {
	k := KindStats{Response: NewHistogram(), Lost: NewHistogram()}
	for c := Ok; c < classes; c++ {
		k.Service[c] = NewHistogram()
	}
	return k
}

// Billed returns how many of the attempts are billed transactions: those that the target
// met and did not throttle. Of attempts that the sender knows to have met no reply alone it
// takes that the target met them.
func (k *KindStats) Billed() int64 { return k.Attempts - k.Throttled - k.Kept }

// Add adds the counts and histograms of other to k, which may be the zero
// value.
func (k *KindStats) Add(other *KindStats) {
	if k.Response == nil {
		empty := newKindStats()
		k.Response, k.Lost, k.Service = empty.Response, empty.Lost, empty.Service
	}
	k.Count(other)
	k.Response.Merge(other.Response)
	k.Lost.Merge(other.Lost)
	for c := range k.Service {
		k.Service[c].Merge(other.Service[c])
	}
}

// Count adds the counts of other to k, and none of its histograms.
func (k *KindStats) Count(other *KindStats) {
	k.Counts.Add(&other.Counts)
	k.LastHalf.Add(&other.LastHalf.Counts)
}
