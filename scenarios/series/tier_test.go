//go:build !ci && !long

package series

// knownContests is how many contests of a known order are simulated.
const knownContests = 3
