//go:build long

package logs_test

// volume is how many lines the log has that the bounds of CPU and memory are held by.
const volume = 10_000_000
