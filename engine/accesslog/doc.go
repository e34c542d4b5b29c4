// Package accesslog reads and writes the logs that table services keep of their requests, one
// [Entry] a request.
//
// It reads Storage Analytics logs of version 1.0, the only one that the Table service
// writes; Azure Monitor's resource logs of tables, as diagnostic settings write them, a
// JSON object a line, and as event hubs have them, in an array records; the table
// StorageTableLogs as a Log Analytics workspace exports it, CSV or JSON; and plain CSV with
// named columns. The first two it writes as well.
//
// [Read] finds out which of them a file is, unpacks gzip, turns UTF-16 into UTF-8, and hands over one entry after
// the other. What the address and the filter of a request say about keys is taken apart
// there: [About].
//
// The sources of the formats are Microsoft's pages "Storage Analytics log format", "Storage
// Analytics logged operations and status messages", and the schema of StorageTableLogs in
// Azure Monitor's reference. What they leave open is said where it is decided.
//
// The caller owes nothing but the bytes. The texts of an entry are the caller's to keep.
//
// The package never opens a file, reads no clock, keeps one entry in memory, and never
// guesses: a line of another service or another version is a fault that says so.
package accesslog
