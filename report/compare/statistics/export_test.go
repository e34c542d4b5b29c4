package statistics

// What the tests hold against tables.
var (
	Beyond   = twoSided
	Critical = critical
)
