// Package rest is the table service over HTTP: a handler of the REST protocol of an account's tables, with the
// embedded engine.
//
// Fill in [Options], build the [Handler] with [New], and serve it with a [Server] or any server of net/http. The
// handler parses the raw target of a request, authenticates it by the account's key, a shared access signature or a
// token, and then reads the body. The engine returns the result and its time at once, and the handler sends the
// reply at that time. [Handler.Counts] returns the counters, Options.Observe gets each request.
//
// The caller provides an engine with the accounts, and one calendar for the engine
// and the handler.
//
// The handler never carries out a request with a wrong signature, does not read its body, and keeps no part of a
// request after the reply. Bodies in progress share memory, see Options.BodyBytes; further requests are rejected.
// Requests that net/http cannot parse never reach the handler.
//
// The handler keeps access policies, service properties and CORS rules. It deletes tables at once; the model's
// name_delay only keeps the name: a new table of that name is rejected as TableBeingDeleted. There are no tables of
// metrics.
//
// # Tokens
//
// [DiscoverIssuer] asks an OpenID Connect issuer for its keys and returns an [Issuer], which
// accepts only tokens of that issuer for the table service. [AnyToken] accepts every token, for
// tests of programs whose credential has no issuer here. Both return the challenge with the
// address where Azure's SDKs get tokens.
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
