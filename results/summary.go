package results

// The validities of a run.
const (
	Valid         = "valid"
	Partial       = "partial"
	ClientLimited = "client-limited"
	Invalid       = "invalid"
)

// Summary is what scripts read: the object that `--format json` prints and that
// run.json holds. Units are in the names; a quantile that rests on too few
// durations is null. Counts cover the whole run, preparation included, so that
// they can be held against the target's own; rates and quantiles cover the
// reported phases.
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

	Scheduled        int64 `json:"scheduled"`
	Sent             int64 `json:"sent"`
	Dropped          int64 `json:"dropped"`
	Late             int64 `json:"late"`
	Operations       int64 `json:"operations"`
	Attempts         int64 `json:"attempts"`
	Ok               int64 `json:"ok"`
	Refused          int64 `json:"refused"`
	Failed           int64 `json:"failed"`
	EntitiesCounted  int64 `json:"entities_counted"`
	EntitiesReturned int64 `json:"entities_returned"`

	// Saturation is null where no step was refused enough to tell.
	Saturation         *float64          `json:"saturation_entities_per_second"`
	SaturationInterval []float64         `json:"saturation_interval"`
	Hottest            *HottestPartition `json:"hottest_partition"`

	Response   Quantiles    `json:"response_us"`
	Service    Quantiles    `json:"service_us"`
	Lag        LagQuantiles `json:"lag_us"`
	RetryWaits Quantiles    `json:"retry_waits_us"`

	Phases       []PhaseSummary              `json:"phases"`
	PerOperation map[string]OperationSummary `json:"per_operation"`
	Expectations []Expectation               `json:"expectations"`
	// Balance is what load balancing came to, left out where there was none.
	Balance *Balance `json:"balance,omitempty"`
	// Limit is what the search for the highest rate that holds came to, left out
	// where there was none.
	Limit *Limit `json:"limit,omitempty"`
	// Audit is what verifying the writes came to, left out where nobody did.
	Audit *Audit `json:"audit,omitempty"`
	// Counters are what workflows counted, Invariants what must hold of what they left
	// behind and whether it does; both are left out where there are none.
	Counters   []Counter   `json:"tallies,omitempty"`
	Invariants []Invariant `json:"invariants,omitempty"`
	Verdict    string      `json:"verdict"`
}

// HottestPartition is the partition that counted most in a reported phase.
type HottestPartition struct {
	Table             string  `json:"table,omitempty"`
	Key               string  `json:"key"`
	EntitiesPerSecond float64 `json:"entities_per_second"`
}

// LagQuantiles tell how late the generator sent, in microseconds.
type LagQuantiles struct {
	P50 *int64 `json:"p50"`
	P90 *int64 `json:"p90"`
	P99 *int64 `json:"p99"`
	Max *int64 `json:"max"`
}

// PhaseSummary is one reported phase. Offered, served and the share lost are of
// the operations due in its last half; refused attempts are of the whole phase.
type PhaseSummary struct {
	Name             string                           `json:"name"`
	Offered          float64                          `json:"offered_entities_per_second"`
	Served           float64                          `json:"served_entities_per_second"`
	RefusedPerSecond float64                          `json:"refused_per_second"`
	ShareLost        *float64                         `json:"share_lost"`
	PerOperation     map[string]PhaseOperationSummary `json:"per_operation"`
}

// PhaseOperationSummary is one kind of operation in one reported phase.
type PhaseOperationSummary struct {
	Offered              float64   `json:"offered_entities_per_second"`
	Served               float64   `json:"served_entities_per_second"`
	RefusedPerSecond     float64   `json:"refused_per_second"`
	ShareLost            *float64  `json:"share_lost"`
	AttemptsPerOperation *float64  `json:"attempts_per_operation"`
	Response             Quantiles `json:"response_us"`
	Service              Quantiles `json:"service_us"`
}

// OperationSummary is one kind of operation over the whole run.
type OperationSummary struct {
	Operations int64     `json:"operations"`
	Attempts   int64     `json:"attempts"`
	Ok         int64     `json:"ok"`
	Refused    int64     `json:"refused"`
	Failed     int64     `json:"failed"`
	Response   Quantiles `json:"response_us"`
	Service    Quantiles `json:"service_us"`
}

// Expectation is something that was asked of the run.
type Expectation struct {
	Expr     string `json:"expr"`
	Observed string `json:"observed"`
	Pass     bool   `json:"pass"`
}
