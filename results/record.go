package results

import (
	"encoding/json"
	"time"
)

// Record is a run as it is kept.
type Record struct {
	SchemaVersion int      `json:"schema_version"`
	Manifest      Manifest `json:"manifest"`
	// Validity is Partial until the run has come to its end.
	Validity string   `json:"validity"`
	Reasons  []string `json:"reasons"`
	// EndedBy is what ended the run early, empty where nothing did or nobody knows.
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
	// LimitWaits is how long rate limits held attempts of reported phases back, nil where
	// none did.
	LimitWaits *Histogram `json:"limit_waits,omitempty"`
	// Target is what the target itself counted, nil where it does not say.
	Target *TargetCounts `json:"target_counts"`
	// Connections is what sending cost beside the requests, nil where nothing
	// was sent over a network.
	Connections *Connections `json:"connections,omitempty"`
	// Said is what a remote service said of its own state, nil for any other run.
	Said *Said `json:"service_said,omitempty"`
	// Generator is what sending cost the process that did, and how it fared, nil
	// where nobody looked: in virtual time, and behind a server.
	Generator *Generator `json:"generator,omitempty"`
	// Capture is what a server saw of traffic that was not of this tool's
	// making, nil where the run sent its own.
	Capture *Capture `json:"capture,omitempty"`
	// Tail is what became of the last part of the load, by PartitionKey: those with
	// the most refusals first.
	Tail []KeyTail `json:"tail,omitempty"`
	// Rival is the same run under another profile, nil where none was tried.
	Rival *Rival `json:"rival,omitempty"`
	// Limit is the search for the highest rate that holds, nil where there was none.
	Limit *Limit `json:"limit,omitempty"`
	// Audit is what became of the writes, nil where nobody looked after them.
	Audit *Audit `json:"audit,omitempty"`
	// Counters are what workflows counted in the whole run, by operation and name;
	// Invariants what must hold of what they left behind.
	Counters   []Counter   `json:"counters,omitempty"`
	Invariants []Invariant `json:"invariants,omitempty"`
	// Heat is where the load went, nil where nobody kept it.
	Heat *Heat `json:"heat,omitempty"`
	// Misplaced is how many counts arrived after their second had been written
	// and were put into a later one.
	Misplaced int64    `json:"misplaced"`
	Summary   *Summary `json:"summary"`

	// Intervals and Events are the lines of the two other files.
	Intervals []Interval `json:"-"`
	Events    []Event    `json:"-"`
	// Cut says that one of these files ends in the middle of a line.
	Cut bool `json:"-"`
}

// EndedBy is a cause that ends a run early, for whoever chooses a remedy by it.
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

// TargetCounts are what a target itself counted: Requests that arrived = Ok + Throttled + Failed, and
// the Entities of them that were counted against the documented targets.
type TargetCounts struct {
	Requests  int64 `json:"requests"`
	Ok        int64 `json:"ok"`
	Throttled int64 `json:"throttled"`
	Failed    int64 `json:"failed"`
	Entities  int64 `json:"entities"`
}

// Plus returns the sum of the counts and so many times others.
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
	// HTTP2 is how many attempts went over HTTP/2, where several share a connection.
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

// Said is what a remote service said of its own state while it was loaded.
type Said struct {
	// ClockAhead is how far its clock is ahead of this machine's, to a second or so; of
	// several accounts the greatest.
	ClockAhead time.Duration `json:"clock_ahead_ns"`
	// Refusals are what it refused, by status, code and limit, the commonest first; Dropped
	// is how many more were of yet another kind.
	Refusals []Refusal `json:"refusals,omitempty"`
	Dropped  int64     `json:"refusals_dropped,omitempty"`
	// Slowest are the attempts whose reply was longest in coming, the slowest first.
	Slowest []SaidRequest `json:"slowest,omitempty"`
}

// Refusal is one way in which a service refused attempts.
type Refusal struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	// Limit is what the message says that it is for: account, ingress, egress, partition,
	// time, request units, internal, or unsaid.
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
	// RequestID is what the service calls it (x-ms-request-id), empty where it does not say;
	// ClientRequestID what the run does.
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
	r.each(want, func(k *KindStats) { all = append(all, k) })
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
	r.each(want, sum.Count)
	return sum
}

// each calls do with every kind of operation of a phase for which want returns true.
func (r *Record) each(want func(p *Phase, kind Kind) bool, do func(*KindStats)) {
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
