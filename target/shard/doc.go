// Package shard is a target of several accounts: it hands each attempt to the
// target of the account that the operation names.
//
// Open a target for each account, in the order of their numbers, and give them to
// [New] where they block, or to [NewImmediate] where they answer at once. Both
// sum up the books of the targets that keep some, so that what all accounts saw can
// be held against what was sent.
//
// The caller owes operations an account from 0 to one below the number of targets:
// any other is a fault of whoever drives the load, and a panic. Whoever opened the
// targets closes them, once no attempt is under way; what ends one account's
// attempts does nothing to the others'.
//
// The package never decides which account an operation belongs to, never sends an
// attempt to more than one, and alters neither an operation nor an outcome.
package shard
