// Package page serves how something fares to browsers of this machine while it goes on, as
// the report's own page that is told anew once a second.
//
// [Open] opens an address of the loopback and draws a token, without which nothing is
// answered. [Server.Begin] shows a run, of which the [Watch] that it returns is to be told;
// [Server.Show] anything else that can be said as a document. [Server.Report] has every page
// that is open become the report, and [Server.Close] waits for a moment that they have it.
//
// While nobody looks, nothing is written: a run costs what its [Watch] counts. Everything is
// bounded: how many look at once, how much waits for each of them, the seconds, the partitions
// and the happenings that are kept. A viewer that does not read is let go of, and counted.
//
// All methods of a Server and of a Watch are safe for concurrent use.
package page
