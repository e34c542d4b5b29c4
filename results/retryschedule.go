package results

// RetrySchedule is when a retry policy sends an operation again that fails each
// time at once. It is what `loadgen backoff show --format json` prints.
type RetrySchedule struct {
	Policy  string `json:"policy"`
	Retries int    `json:"retries"`
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
