package results

// The validities of a run.
const (
	Valid   = "valid"
	Partial = "partial"
	Invalid = "invalid"
)

// The states of a run, and of whatever else answers what was asked of it.
const (
	Holds       = "holds"
	DoesNotHold = "does not hold"
	Saturates   = "saturates"
	CannotTell  = "cannot tell"
	// Of captured traffic.
	Sound    = "sound"
	NotSound = "not sound"
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
	// ClientLimited says where the generator fell short of the load that was asked for:
	// what rests on that is its doing in part. A limit that was met is not.
	ClientLimited []string `json:"client_limited"`
	// State is one of the states above: whether the offered load is sustained. Ok is the answer
	// to what was asked, checks included: null if nothing was asked, or it cannot be told.
	State string `json:"state"`
	Ok    *bool  `json:"ok"`
	// PeakState is the state of the peak that was asked about, left out if there was none. State
	// is then the same.
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
	// ShareThrottled is of the attempts of the reported phases, null where those had none.
	ShareThrottled *float64 `json:"share_throttled_reported"`
	// Causes are the Throttled and the Failed by what came of them, most first.
	Causes           Causes `json:"causes,omitempty"`
	EntitiesCounted  int64  `json:"entities_counted"`
	EntitiesReturned int64  `json:"entities_returned"`

	// Saturation is null where no step was throttled enough to tell.
	Saturation         *float64  `json:"saturation_entities_per_second"`
	SaturationInterval []float64 `json:"saturation_interval"`
	// SaturationSeconds are the whole seconds that it rests on. Throttling is what each
	// stretch of load meets, SaturationWhy why there is no saturation.
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
	// Balance is what load balancing came to, left out where there was none.
	Balance *Balance `json:"balance,omitempty"`
	// Limit is what the search for the highest rate that holds came to, left out
	// where there was none.
	Limit *Limit `json:"limit,omitempty"`
	// Audit is what verifying the writes came to, left out where nobody did.
	Audit *Audit `json:"audit,omitempty"`
	// Counters are what workflows counted, Invariants what must hold of what they left
	// behind and whether it does; both are left out where there are none.
	Counters   []Counter   `json:"counters,omitempty"`
	Invariants []Invariant `json:"invariants,omitempty"`
	// Soundness is the state of captured traffic, Problems the causes for which it is not sound, those with the largest
	// share first; both are left out of other runs.
	Soundness string    `json:"soundness,omitempty"`
	Problems  []Problem `json:"problems,omitempty"`
	// Killed is what is known of a run that was ended without a word, left out of any
	// other. The counts above are then those of its whole seconds.
	Killed  *Killed `json:"killed,omitempty"`
	Verdict string  `json:"verdict"`
}

// Killed is what the whole seconds show of a run that nobody closed: it was killed, or
// still goes on.
type Killed struct {
	// Seconds is how many whole seconds there are.
	Seconds int64 `json:"whole_seconds"`
	// Tables may be left at the target.
	Tables []string      `json:"tables_perhaps_left,omitempty"`
	Phases []KilledPhase `json:"phases"`
}

// KilledPhase is a phase of such a run, as far as it came: the seconds that begin in it,
// and what a second was like.
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
	// EntitiesPerSecond is of that second, a lower bound where AtLeast; Mean is over the
	// phase.
	EntitiesPerSecond float64 `json:"entities_per_second"`
	Mean              float64 `json:"mean_entities_per_second"`
	AtLeast           bool    `json:"at_least,omitempty"`
}

// Throttling is what a stretch of load met of it.
type Throttling struct {
	Stage string `json:"stage"`
	// Kind is none, limit, changing, sporadic, brief, outage, carried by retries,
	// bursts, or limit or sporadic.
	Kind string `json:"kind"`
	// Share is of the attempts of the stretch.
	Share float64 `json:"share_of_attempts"`
	// Seconds of it had 1 % of their attempts throttled, from one to another second of
	// the run.
	Seconds int   `json:"seconds"`
	From    int64 `json:"from_second"`
	To      int64 `json:"to_second"`
	// Rate is what the stretch saturates at, null where it is at no limit.
	Rate     *float64  `json:"entities_per_second"`
	Interval []float64 `json:"interval"`
}

// LagQuantiles tell how late the generator sent, in microseconds.
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
	// Holds says whether the phase holds its rate, null where that cannot be told, with
	// Why.
	Holds *bool  `json:"holds"`
	Why   string `json:"why,omitempty"`
	// ClientLimited says that the generator sent more than 1 % of the phase over 5 ms late, or
	// some of it never, so that response times are in part its own. Holds can be told all the
	// same, where each second was sent within 100 ms.
	ClientLimited bool    `json:"client_limited"`
	Offered       float64 `json:"offered_entities_per_second"`
	Served        float64 `json:"served_entities_per_second"`
	// Throughput is the mean of what was served in each settled second, with its 95 %
	// interval; both are left out where the seconds are too few for one.
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

// Summary returns what a summary says of a kind of operation.
func (k *KindStats) Summary() OperationSummary {
	s := OperationSummary{Operations: k.Operations, Attempts: k.Attempts, OkAttempts: k.Ok, Throttled: k.Throttled, Failed: k.Failed,
		Causes: k.Causes.Told()}
	if k.Response != nil {
		s.Response, s.Service = QuantilesOf(k.Response), QuantilesOf(k.Service[Ok])
	}
	return s
}

// Count enters the counts of the whole run.
func (s *Summary) Count(all *Counts) {
	s.Scheduled, s.Sent, s.Dropped, s.Late = all.Scheduled, all.Sent, all.Dropped, all.Late
	s.Operations, s.Attempts, s.OkAttempts, s.Throttled, s.Failed = all.Operations, all.Attempts, all.Ok, all.Throttled, all.Failed
	s.EntitiesCounted, s.EntitiesReturned, s.Causes = all.Counted, all.Returned, all.Causes.Told()
}

// Check is something that was asked of the run. It is a value, and safe for concurrent
// use.
type Check struct {
	Expr string `json:"expr"`
	// Observed is what it came to in words; of one that could not be judged, that.
	Observed string `json:"observed"`
	// Ok is null where it could not be judged, for which Why says the reason: such a check
	// has neither held nor failed.
	Ok  *bool  `json:"ok"`
	Why string `json:"why,omitempty"`
}

// Told reports whether the check could be judged.
func (c *Check) Told() bool { return c.Ok != nil }

// Holds reports whether the check was judged and holds.
func (c *Check) Holds() bool { return c.Ok != nil && *c.Ok }

// Fails reports whether the check was judged and does not hold.
func (c *Check) Fails() bool { return c.Ok != nil && !*c.Ok }

// Result says in a word or two what became of the check, as every report does.
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

// Said is what was observed, and where nothing could be, why.
func (c *Check) Said() string {
	if c.Why == "" {
		return c.Observed
	}
	return c.Observed + ": " + c.Why
}

// HeldOf returns how many checks hold of how many that could be judged.
func HeldOf(list []Check) (held, told int) {
	for i := range list {
		if list[i].Told() {
			told++
		}
		if list[i].Holds() {
			held++
		}
	}
	return held, told
}
