// Package listen has a handler of HTTP/1.1 answer those who connect to an
// address, over TLS or not, with bounds on what each of them may take.
//
// A connection has one request at a time. Where it is unclear where a request ends,
// or another comes before it is answered, it is answered and the connection ends. A
// reply before the end of a long body is followed by reading on for a while, so that
// it is heard. Past the bound on connections an idle one makes room, or the newest is
// turned away.
//
// Requests in the form that clients of the service send are read here, in one goroutine
// for each connection, and answered as net/http would have; a connection that sends
// anything out of the ordinary, or speaks TLS, is net/http's.
//
// Fill in [Options] and [Open] a [Server]; [Server.Close] or [Server.Cut] ends it
// with all its goroutines. The handler is any of net/http's.
//
// The package knows nothing of what is served, and never speaks HTTP/2: its
// bounds are those of connections with one request at a time.
package listen
