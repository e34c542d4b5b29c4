package results

import (
	"encoding/json"
	"time"
)

// Record is the stored data of a run.
type Record struct {
	SchemaVersion int      `json:"schema_version"`
	Manifest      Manifest `json:"manifest"`
	// Validity is Partial until the run has ended.
	Validity string   `json:"validity"`
	Reasons  []string `json:"reasons"`
	// EndedBy is what ended the run early, empty for nothing or if unknown.
	EndedBy EndedBy `json:"ended_by,omitempty"`
	// Duration is from the start of the run to its end.
	Duration time.Duration `json:"duration_ns"`
	Phases   []Phase       `json:"phases"`
	Minutes  []Minute      `json:"minutes"`
	// Lag is how long after its intended instant each first attempt of a
	// reported phase was sent; RetryWaits is how long its operations waited
	// before each retry.
	Lag        *Histogram `json:"lag"`
	RetryWaits *Histogram `json:"retry_waits"`
	// LimitWaits has the delays of attempts of reported phases by rate limits, nil for none.
	LimitWaits *Histogram `json:"limit_waits,omitempty"`
	// Target has the counts of the target itself, nil if it has none.
	Target *TargetCounts `json:"target_counts"`
	// Connections has the cost of connections, nil without a network.
	Connections *Connections `json:"connections,omitempty"`
	// Said has the reports of a remote service on its own state, nil for any other run.
	Said *Said `json:"service_said,omitempty"`
	// Generator describes the sending process, nil if it was not observed: in virtual time, and in a server.
	Generator *Generator `json:"generator,omitempty"`
	// Capture describes traffic of others that a server observed, nil if the run sent its own.
	Capture *Capture `json:"capture,omitempty"`
	// Tail has the attempts of the last part of the load by PartitionKey, in descending order of throttled ones.
	Tail []KeyTail `json:"tail,omitempty"`
	// Rival is the same run under another profile, nil for none.
	Rival *Rival `json:"rival,omitempty"`
	// Limit is the search for the highest rate that holds, nil for none.
	Limit *Limit `json:"limit,omitempty"`
	// Audit is the result of verifying the writes, nil if they were not verified.
	Audit *Audit `json:"audit,omitempty"`
	// Counters are those of workflows in the whole run, by operation and name; Invariants the conditions on the data
	// that they left.
	Counters   []Counter   `json:"counters,omitempty"`
	Invariants []Invariant `json:"invariants,omitempty"`
	// Heat is the load by partition and time, nil if it was not recorded.
	Heat *Heat `json:"heat,omitempty"`
	// Misplaced is how many counts arrived after their second had been written
	// and were put into a later one.
	Misplaced int64    `json:"misplaced"`
	Summary   *Summary `json:"summary"`

	// Intervals and Events are the lines of the two other files.
	Intervals []Interval `json:"-"`
	Events    []Event    `json:"-"`
	// Cut reports that one of these files ends in the middle of a line.
	Cut bool `json:"-"`
}

// EndedBy is a cause that ends a run early, by which a remedy is chosen.
type EndedBy string

// The causes: a budget of the scenario (stop_on), and a target that does not answer or
// cannot be prepared.
const (
	EndedByStopOn EndedBy = "stop_on"
	EndedByTarget EndedBy = "target"
)

// Minute is the response time of the operations that succeeded within a minute
// of the run.
type Minute struct {
	Minute   int64      `json:"minute"`
	Response *Histogram `json:"response"`
}

// UnmarshalJSON implements [json.Unmarshaler]. It keeps the histogram packed: a run of days has thousands of minutes.
func (m *Minute) UnmarshalJSON(text []byte) error {
	var read struct {
		Minute   int64
		Response *histogramJSON
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*m = Minute{Minute: read.Minute}
	if of := read.Response; of != nil {
		m.Response = new(Histogram)
		own, err := m.Response.decode(of)
		if err != nil {
			return err
		}
		if own {
			m.Response = &Histogram{count: of.Count, over: of.Over, packed: of.HDR}
		}
	}
	return nil
}

// TargetCounts are the counts of a target itself: Requests that arrived = Ok + Throttled + Failed, and the Entities
// that count against the documented targets.
type TargetCounts struct {
	Requests  int64 `json:"requests"`
	Ok        int64 `json:"ok"`
	Throttled int64 `json:"throttled"`
	Failed    int64 `json:"failed"`
	Entities  int64 `json:"entities"`
}

// Plus returns the sum of the counts and a multiple of others.
func (c TargetCounts) Plus(more TargetCounts, times int64) TargetCounts {
	AddTimes(&c, &more, times)
	return c
}

// Connections are the connections of a run's client, and what they took.
type Connections struct {
	// Opened is how many were opened, Reused how many attempts went over one
	// that was open already.
	Opened int64 `json:"opened" merge:"sum"`
	Reused int64 `json:"reused" merge:"sum"`
	// HTTP2 is the number of attempts over HTTP/2, where several share a connection.
	HTTP2 int64 `json:"http2,omitempty" merge:"sum"`
	// Lookups of a host's name, Connects and Handshakes (TLS) come with the
	// time that they took.
	Lookups    Spell `json:"dns_lookups" merge:"each"`
	Connects   Spell `json:"connects" merge:"each"`
	Handshakes Spell `json:"tls_handshakes" merge:"each"`
	// FirstByte is from when an attempt has a connection to the first byte of
	// its reply.
	FirstByte Spell `json:"first_byte" merge:"each"`
}

// Add adds other connections to the sum.
func (c *Connections) Add(more *Connections) { combine(c, more, "merge") }

// Said has the reports of a remote service on its own state under load.
type Said struct {
	// ClockAhead is how far its clock is ahead of this machine's, to a second or so; of
	// several accounts the greatest.
	ClockAhead time.Duration `json:"clock_ahead_ns"`
	// Refusals are by status, code and limit, in descending order; Dropped is the number of refusals of further kinds.
	Refusals []Refusal `json:"refusals,omitempty"`
	Dropped  int64     `json:"refusals_dropped,omitempty"`
	// Slowest are the attempts whose reply was longest in coming, the slowest first.
	Slowest []SaidRequest `json:"slowest,omitempty"`
}

// Refusal is one way in which a service refused attempts.
type Refusal struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	// Limit is the subject of the limit by the message: account, ingress, egress, partition, time, request units,
	// internal, or unsaid.
	Limit   string `json:"limit"`
	Message string `json:"message"`
	Count   int64  `json:"count"`
	// First are the first few of them.
	First []SaidRequest `json:"first,omitempty"`
}

// SaidRequest is one attempt, as the service's support would ask for it.
type SaidRequest struct {
	// At is since the start of the run, Took from when the attempt had a connection to the
	// first byte of its reply.
	At           time.Duration `json:"at_ns"`
	Took         time.Duration `json:"took_ns"`
	Verb         string        `json:"verb"`
	PartitionKey string        `json:"partition_key"`
	Status       int           `json:"status"`
	Code         string        `json:"code,omitempty"`
	// RequestID is the id of the service (x-ms-request-id), empty if it has none; ClientRequestID that of the run.
	RequestID       string `json:"x_ms_request_id"`
	ClientRequestID string `json:"x_ms_client_request_id"`
}

// Spell is something that was waited for again and again.
type Spell struct {
	Count int64         `json:"count" merge:"sum"`
	Total time.Duration `json:"total_ns" merge:"sum"`
	Max   time.Duration `json:"max_ns" merge:"max"`
}

// Total returns the sum over every phase of the kinds of operation for which
// want returns true, to be read only: the histograms of a single kind are the record's own.
func (r *Record) Total(want func(p *Phase, kind Kind) bool) KindStats {
	var all []*KindStats
	r.eachKind(want, func(k *KindStats) { all = append(all, k) })
	if len(all) == 1 {
		return *all[0]
	}
	sum := newKindStats()
	for _, one := range all {
		sum.Add(one)
	}
	return sum
}

// Counts returns the counts of [Record.Total] without the histograms, which take most of
// the time to add.
func (r *Record) Counts(want func(p *Phase, kind Kind) bool) (sum KindStats) {
	r.eachKind(want, sum.Count)
	return sum
}

// eachKind calls do with every kind of operation of a phase for which want returns true.
func (r *Record) eachKind(want func(p *Phase, kind Kind) bool, do func(*KindStats)) {
	for p := range r.Phases {
		for k := range r.Phases[p].Kinds {
			if want(&r.Phases[p], r.Manifest.Operations[k]) {
				do(&r.Phases[p].Kinds[k])
			}
		}
	}
}

// Everything is the choice of [Record.Total] that leaves nothing out.
func Everything(*Phase, Kind) bool { return true }

// Reported is the choice of [Record.Total] that takes the reported phases.
func Reported(p *Phase, _ Kind) bool { return p.Reported }

// Phase is a stretch of the run by the intended instants of its operations: a
// preparation, or one step of the peak.
type Phase struct {
	// Name is unique in the run; Stage groups the steps of one stretch of load.
	Name  string `json:"name" merge:"same"`
	Stage string `json:"stage" merge:"same"`
	// Begin and End bound the intended instants, in nanoseconds since the
	// start of the run. A closed-loop phase ends when its work is done.
	Begin time.Duration `json:"begin_ns"`
	End   time.Duration `json:"end_ns"`
	// Rate is the offered load in operations per second, 0 in a closed loop.
	Rate float64 `json:"rate,omitempty"`
	// Varying reports that Rate is the mean of a changing rate.
	Varying bool `json:"varying,omitempty" merge:"same"`
	// Unplanned reports that the end was not known when the phase began; its LastHalf is then all of it.
	Unplanned bool `json:"unplanned,omitempty" merge:"same"`
	// Reported phases are the basis of the verdict.
	Reported bool `json:"reported" merge:"same"`
	// Kinds has one entry for each kind of operation of the manifest.
	Kinds []KindStats `json:"kinds"`
	// Partitions are those with the most entities counted for successes in a second or over the whole phase, in
	// descending order of their busiest second: see [KeptPartitions]. Unlike all other counts they include only
	// attempts that ended within the phase, so that no partition seems to have served more per second than it did.
	Partitions []PartitionStats `json:"partitions,omitempty"`
	// PartitionsOver is the number of entities in partitions above the maximum that is distinguished.
	PartitionsOver int64 `json:"partitions_over,omitempty"`
	// Offered are the entities that operations on a single partition, due in the phase, were to touch, each counted at
	// its first attempt, in partitions selected and sorted in the same way. It is nil in the record of a run that did
	// not end. OfferedOver is the number in partitions above the maximum, PartitionsHit the number of distinguished
	// partitions.
	Offered       []PartitionStats `json:"offered_partitions"`
	OfferedOver   int64            `json:"offered_over,omitempty"`
	PartitionsHit int64            `json:"partitions_hit,omitempty"`
	// Shares are the distinguished partitions by how much they were offered.
	Shares []SharesClass `json:"shares,omitempty"`
	// Accounts has the load of each account of a run over several.
	Accounts []AccountStats `json:"accounts,omitempty"`
}

// Seconds returns the planned length of the phase in seconds.
func (p *Phase) Seconds() float64 { return (p.End - p.Begin).Seconds() }

// PartitionStats is the load of one partition in a phase.
type PartitionStats struct {
	// Table is the suffix that the name of the partition's table adds to that of the test table.
	Table    string `json:"table,omitempty"`
	Key      string `json:"key"`
	Entities int64  `json:"entities"`
	// Busiest is the maximum of entities in a second, counted from the beginning of the phase: a lower bound if
	// AtLeast, because entities of a second were recorded over a minute later.
	Busiest int64 `json:"busiest_second_entities"`
	AtLeast bool  `json:"at_least,omitempty"`
}

func (s *PartitionStats) place() place { return place{s.Table, s.Key} }

// PartitionName returns the name of a partition for people: its key, and the suffix of its table if that is not the
// test table. The result is unambiguous.
func PartitionName(table, key string) string {
	if table == "" {
		return key
	}
	return key + " (table " + table + ")"
}

// KindStats has the counts and times of one kind of operation in one phase. Operations belong to the phase of their
// intended instant, attempts to that of their operation.
type KindStats struct {
	Counts
	// LastHalf has the operations due in the last half of the phase, whenever they end; all if the end of the phase
	// was unknown when they were recorded.
	LastHalf Cohort `json:"last_half"`

	// Response is of successful operations, Lost of the others, from the
	// intended instant to the end of the last attempt. Service is of single
	// attempts by their class.
	Response *Histogram `json:"response"`
	Lost     *Histogram `json:"lost"`
	Service  ByClass    `json:"service"`
}

// ByClass has a histogram for each class, nil at no class.
type ByClass [classes]*Histogram

// MarshalJSON implements [json.Marshaler]: the three in their order.
func (b ByClass) MarshalJSON() ([]byte, error) { return json.Marshal(b[Ok:]) }

// UnmarshalJSON implements [json.Unmarshaler].
func (b *ByClass) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, (*[classes - Ok]*Histogram)(b[Ok:]))
}

// Cohort has the operations that were due in a part of a phase, whenever they ended.
type Cohort struct {
	Counts
}

// cohortLayout is the layout of a cohort in a record.
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

// inLastHalf reports whether an operation due at an instant counts in LastHalf.
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

// Billed returns the number of billed transactions: attempts that reached the target and were not throttled. Attempts
// without a reply count as having reached it.
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
