//go:build long

package replay_test

// loads is how many loads are served, logged and replayed.
const loads = 20

// seeds is how often a log is replayed: what happened has the chance of its own back-off.
const seeds = 4
