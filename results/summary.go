package results

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
	// Kind is none, limit, changing, sporadic, brief, outage, carried by retries,
	// bursts, or limit or sporadic.
	Kind string `json:"kind"`
	// Share is of the attempts of the stretch.
	Share float64 `json:"share_of_attempts"`
	// Seconds is the number of seconds with 1 % of their attempts throttled, between two seconds of the run.
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

// Check is a condition on the run. It is a value, and safe for concurrent use.
type Check struct {
	Expr string `json:"expr"`
	// Observed is the observed value in words, or that it is unknown.
	Observed string `json:"observed"`
	// Ok is null if the check is inconclusive because of Why: it neither passes nor fails.
	Ok  *bool  `json:"ok"`
	Why string `json:"why,omitempty"`
}

// Told reports whether the check could be judged.
func (c *Check) Told() bool { return c.Ok != nil }

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

// Said returns the observed value, and why it is unknown.
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
