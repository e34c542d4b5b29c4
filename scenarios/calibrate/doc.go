// Package calibrate measures a table service, by experiments that are small and agreed to,
// for a profile of the partition model.
//
// Fill [Options] and hand them to [Calibrate]. One experiment follows another, each a run of
// a scenario that is made here: latencies at a gentle rate, a ladder of rates to one
// partition, an overload that is held, bursts after a rest, and, where it was asked for, the
// limit of the account. Each later one takes its rates from what the ones before have found.
// [Outcome.Profile] has what was learnt, and says of everything else why not.
//
// The caller owes a target, a budget, and whoever is asked for consent, once for all
// experiments. A context that is done ends them: what was learnt by then is returned, and
// the tables are dropped all the same.
//
// The package opens no target itself, never goes beyond the budget, and reads no clock.
package calibrate
