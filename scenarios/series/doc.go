// Package series makes many runs that answer one question: the combinations of a sweep, the
// designs of a contest, the pairs of a gate, the patterns of the documents and their
// anti-patterns.
//
// Each question has a plan, which is data, and a function that runs it through
// [loadgen/scenarios/run]: it determines the number of runs, their order and seeds, and how many
// run at once. Call Validate first; faults name the field of the plan.
//
// Callers must pass valid scenarios, open the files that these name, and cancel the context to
// end a series early: the runs until then are ranked, or shown.
//
// The package opens no target, computes no figure of a run, and prints only to the writers of a
// plan.
package series
