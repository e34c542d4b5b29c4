// Package page serves a run in progress to browsers on this machine, as the report's own page, updated once a second.
//
// [Open] opens a loopback address and draws a token that every request needs. [Server.Begin] shows a run, whose events go
// to the [Watch] that it returns; [Server.Show] shows any other document. [Server.Report] turns every open page into the
// report, and [Server.Close] waits briefly until the pages have it.
//
// Without viewers nothing is written: a run costs only what its [Watch] counts. Everything is bounded: viewers, the updates
// that wait for each of them, and the seconds, partitions and events that are kept. A viewer that does not read is
// disconnected and counted.
//
// All methods of a Server and of a Watch are safe for concurrent use.
package page
