//go:build long

package replay_test

// loads is how many loads are served, logged and replayed.
const loads = 20
