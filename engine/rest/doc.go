// Package rest is the table service over HTTP: a handler that speaks the REST
// protocol of an account's tables, with the embedded engine behind it.
//
// Fill in [Options], build the [Handler] with [New], and have [Listen] serve it,
// or any other server of net/http. A request is found out from its raw target,
// then authenticated, then read; the engine says at once what comes of it and
// when, and the reply leaves at that instant. [Handler.Counts] are the books;
// [Server.Close] ends it all.
//
// The caller owes an engine that knows the accounts, and a clock that began at
// Options.Epoch.
//
// The package never carries out a request whose signature is not right, never
// reads the body of one before it knows that, and keeps no part of a request
// once it is answered. What net/http cannot parse as HTTP never reaches it.
//
// Not here yet, and answered with NotImplemented: access policies, service
// properties and statistics, CORS, and shared access signatures.
package rest
