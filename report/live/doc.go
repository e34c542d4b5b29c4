// Package live says how a run fares while it goes on: how much it serves of what it
// offers, how long that takes, how much is throttled, and where it is hottest, all of the
// last few whole seconds.
//
// A [Stats] is told of everything that a run writes down, [Stats.Enter] and then the
// methods of an observer of drive's ledger, and asked at any instant for a [Status]. It
// knows no clock: instants are those of the run, real or virtual, since its start.
//
// All methods of a Stats are safe for concurrent use. Its memory is constant, about half
// a megabyte, whatever the number of partitions: those with more than a 32nd of the load
// of a second are told exactly enough, lighter ones may be missed, and none is told to be
// hotter than it was. The caller keeps a Stats to one run.
//
// It never fails, and keeps nothing that it is given but names of phases and copies of
// keys.
package live
