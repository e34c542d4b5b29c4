// Package entity is the vocabulary of a table: keys and their order, typed
// properties, sizes and limits, what may be asked of an entity and the codes
// that answer.
//
// Build a [Key] and a list of [Property]; wrap them into a [Change] for what is
// to be written; have [Change.Validate] or [ValidateBatch] check them against
// the documented limits; keep what is stored as [Packed], made by [Pack] or
// [MergePacked], and walk over it with a [Cursor]; keep rows in the order of
// [Compare], or under a [SortKey], whose plain byte order is the same.
//
// Property names passed to the packing functions must be distinct, which
// validation assures, and must not alter a [Packed] that it shared or whose
// values it still uses: they are views into it.
//
// The package never reads a clock, holds no state and knows no network: it is
// a leaf.
package entity
