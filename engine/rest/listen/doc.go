// Package listen has a handler of HTTP/1.1 answer those who connect to an
// address, over TLS or not, with bounds on what each of them may take.
//
// Fill in [Options] and [Open] a [Server]; [Server.Close] or [Server.Cut] ends it
// with all its goroutines. The handler is any of net/http's.
//
// The package knows nothing of what is served, and never speaks HTTP/2: its
// bounds are those of connections with one request at a time.
package listen
