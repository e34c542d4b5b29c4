// Package series is many runs that answer one question: the combinations of a sweep,
// the rates of a search, the designs of a contest, the pairs of a gate, the patterns of
// the documents beside what they replace.
//
// Each question has a plan, which is data, and a function that carries it out through
// [loadgen/scenarios/run]: it says how many runs there are, in which order and with which
// seeds, how many at once, and what is made of their records. Ask its Validate first;
// what is wrong comes back by the field of the plan that it concerns.
//
// The caller owes scenarios that are sound, whatever opens the files that they name,
// and a context that it cancels to end a series early: what was run until then is
// ranked, or shown, all the same.
//
// The package never opens a target itself, never computes a figure of a run, and prints
// to nothing but the writers that a plan names.
package series
