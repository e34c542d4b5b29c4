// Package durable keeps one account's tables in a folder: the same tables as package
// store, by the same rule, that are there again after an end of any kind.
//
// [Open] a folder, which is created if missing, and use the [Store] as one of
// package store; [Store.Close] it at the end. A folder that is in use, damaged, of a
// newer version or of something else is refused, with one of this package's errors.
//
// A write is one batch of a log-structured store, an entity group transaction as well:
// a crash leaves all of it or nothing. With Options.Sync it is acknowledged once it is
// on the disk, together with those that arrived meanwhile (group commit), and no request reads
// what is not there yet: what was acknowledged or read survives the machine. Without, it
// is acknowledged before: a crash may lose the latest writes, never an earlier one
// without all later ones.
//
// The first error of the disk, or sign of damage, ends the store: that request and every
// one after it is answered with InternalError, [Store.Failed] is closed, and [Store.Err]
// names the cause. The owner of the store must then close it and open the folder again.
//
// Each write needs its instant, as in package store. The store owns the
// goroutines of the log-structured store, which end with Close unless it has failed: a
// store that has failed is to be left behind with its process.
package durable
