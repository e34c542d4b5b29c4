// Package resttest opens table services for tests, and speaks to them.
//
// [New] returns a handler with an engine of its own, which is asked without a network by
// [Service.Do] and [Service.Want], on a clock that nobody waits for. [Listen] serves one on
// a port of this machine in real time; [Open] does so with the service of package serve.
// [NewClient] has operations sent to any of them by the client of package azure, and
// [NewConn] is a plain connection, over a network or over [Pipes]. What is opened for a
// test is closed with it.
//
// Nothing but tests should import it.
package resttest
