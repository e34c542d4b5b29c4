package results

// PolicyContest is what several retry policies made of the same trouble. It is
// what `loadgen backoff contest --format json` prints.
type PolicyContest struct {
	Verdict string `json:"verdict"`
	// Trouble is what the policies met, Clients how many there were, each of which
	// offered so many operations a second on the average.
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

// PolicyTrial is what one retry policy made of a trouble. Caught operations are
// those that became due in it.
type PolicyTrial struct {
	Policy string `json:"policy"`
	Caught int64  `json:"operations_caught"`
	// Lost of the caught ones did not succeed. Withheld operations, of all that were
	// due, were never sent because a limiter would not have it.
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
	// Added are quantiles of what the trouble added to the response times of the
	// caught operations that succeeded, in milliseconds; null where too few did.
	Added AddedQuantiles `json:"added_ms"`
	// PeakRetries is the most retries sent within any 100 ms.
	PeakRetries int `json:"peak_retries_100ms"`
	// Fairness is Jain's index over the clients' shares of caught operations that
	// succeeded: 1 where all fared alike, 1/n where one of n had all; null where none
	// succeeded.
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

// RetrySchedule is when a retry policy sends an operation again that fails each
// time at once. It is what `loadgen backoff show --format json` prints.
type RetrySchedule struct {
	Policy  string `json:"policy"`
	Retries int    `json:"retries"`
	// ElapsedS is how long after the first attempt there are retries, in seconds; 0 for any time.
	ElapsedS float64 `json:"elapsed_s,omitempty"`
	// Formula is the rule in one line, Codes say what is retried, Source where both
	// are from.
	Formula string `json:"formula"`
	Codes   string `json:"codes"`
	Source  string `json:"source"`
	// Waits are those of the first retries. Flat says in a sentence which of them
	// have no spread, so that clients that failed together come back together; it is
	// empty where all spread.
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
	// The sums are of this wait and those before it: what a policy whose waits are
	// drawn on their own can take at least, on the average, and at most.
	SumLeastS    float64 `json:"sum_least_s"`
	SumMeanS     float64 `json:"sum_mean_s"`
	SumGreatestS float64 `json:"sum_greatest_s"`
}
