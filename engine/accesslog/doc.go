// Package accesslog has the requests that a table service observed, one [Observed] each, and reads and writes
// the logs that services keep of them, one [Entry] a line.
//
// It reads Storage Analytics logs of version 1.0, the only one that the Table service writes; Azure Monitor's
// resource logs of tables, as diagnostic settings write them, a JSON object a line, and as event hubs have them,
// in an array records; the table StorageTableLogs as a Log Analytics workspace exports it, CSV or JSON; and plain
// CSV with named columns. The first two it writes as well.
//
// [Read] finds out which of them a file is, unpacks gzip, turns UTF-16 into UTF-8, and visits one entry after the
// other. It reads keys from the address and the filter of a request. Lines that cannot be read are skipped and
// counted, up to one in a hundred, see [loadgen/engine/csvfile.Skips].
//
// The sources of the formats are Microsoft's pages "Storage Analytics log format", "Storage Analytics logged
// operations and status messages", and the schema of StorageTableLogs in Azure Monitor's reference.
//
// The package opens no file, reads no clock, and keeps one entry in memory. A line of another service or another
// version is a fault.
package accesslog
