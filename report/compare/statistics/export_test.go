package statistics

// What the tests hold against tables.
var (
	Beyond   = beyond
	Critical = critical
)
