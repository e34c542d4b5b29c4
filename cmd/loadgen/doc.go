// Command loadgen stress-tests table partitions: it says whether a PartitionKey
// design will hold its peak.
//
//	loadgen stress              # the documented stress test of one partition
//	loadgen stress --peak 1500  # does it hold 1,500 operations a second?
//
// Results go to standard output, everything else to standard error. The exit
// codes are in `loadgen help exit-codes`.
package main
