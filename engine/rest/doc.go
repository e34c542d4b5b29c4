// Package rest is the table service over HTTP: a handler that speaks the REST
// protocol of an account's tables, with the embedded engine behind it.
//
// Fill in [Options], build the [Handler] with [New], and have a [Server]
// or any other of net/http serve it. A request is found out from
// its raw target, then authenticated by the account's key or a shared access
// signature, then read; the engine says at once what comes of it and when, and the
// reply leaves at that instant. [Handler.Counts] are the books, Options.Observe is
// told each line of them.
//
// The caller owes an engine that knows the accounts, and one calendar for the engine
// and the handler.
//
// The package never carries out a request whose signature is not right, never
// reads the body of one before it knows that, and keeps no part of a request
// once it is answered. The bodies under way share room, see Options.BodyBytes; who
// finds none left is refused. What net/http cannot parse as HTTP never reaches it.
//
// Access policies, service properties and the rules for web pages of other
// origins are kept by the handler, for as long as it lives. Deleting a table is
// done at once; what the model's name_delay keeps is its name, of which a new table
// is refused as TableBeingDeleted, while all else finds no table. There are no tokens
// of a directory, and no tables of metrics.
//
// # Tokens
//
// [DiscoverIssuer] asks an OpenID Connect issuer for its keys and returns an [Issuer], which
// accepts only tokens of that issuer for the table service. [AnyToken] accepts every token, for
// tests of programs whose credential has no issuer here. Both return the challenge that tells
// Azure's SDKs where to get tokens.
//
// # Listening
//
// [Listen] opens a [Server] that answers HTTP/1.1 with a handler of net/http, over TLS or not,
// and limits what each connection may use. [Server.Close] and [Server.Cut] end it with all of its
// goroutines.
//
// A connection has one request at a time. If the end of a request is unclear, or another request
// arrives before the reply, the request is answered and the connection closed. After a reply
// before the end of a long body the server reads on for a while, so that the client receives the
// reply. Above the limit on connections an idle one is closed, or the newest is rejected.
//
// net/http reads the requests. HTTP/2 is never used.
package rest
