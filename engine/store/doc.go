// Package store keeps one account's tables in memory, in the order of the
// clustered index: it is what a request means, without how long it takes.
//
// Build a [Store] with [New]; make a table with [Store.CreateTable]; write with
// [Store.Apply], or with [Store.ApplyBatch] for an entity group transaction; read
// with [Store.Get], and page by page with [Store.Scan]. Every outcome is a code of
// package entity, never an error.
//
// The caller owes each write the instant at which it happens, and must not alter
// the [entity.Packed] values that it reads: they are the store's own. A value once
// read stays as it was, whatever is written after.
//
// Each partition has a lock of its own, so that one partition's load cannot slow
// another. A transaction is applied under that lock, and a page reads a partition
// as it was at one instant, so that no reader sees a part of a transaction; a page
// over several partitions sees each at an instant of its own, as in the service.
//
// The package never reads a clock, refuses nothing for load, and starts no
// goroutine.
package store
