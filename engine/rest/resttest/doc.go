// Package resttest runs Table services for tests, and clients for them.
//
// [New] returns a handler with an engine of its own and a clock that never waits;
// [Service.Do] and [Service.Want] call it without a network. [Listen] serves such a
// handler on a loopback port in real time, [Open] a service of package serve.
// [NewClient] sends operations through package azure; [NewConn] sends raw bytes, over
// a network or over [Pipes]. Everything is closed at the end of the test.
//
// Only tests may import it.
package resttest
