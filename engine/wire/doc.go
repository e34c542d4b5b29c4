// Package wire is the REST wire format of the table service, both ways: the addresses,
// entity JSON, errors, transactions, signatures and continuation tokens that a server and a
// client of it exchange.
//
// A server finds with [ParseResource] what a path names, reads its body with
// [EntityBody.Parse], and writes the reply with a [Rendering] or [AppendError].
// A client writes with [AppendEntityPath] and [AppendEntityBody], and reads with
// [ParseEntity], [ParsePage] and [ParseError].
//
// Callers must not change a buffer while values parsed from it are in use: strings without escapes are views into it.
//
// The package never opens a socket, reads a clock or draws an identifier. No input makes a parser panic or use memory
// out of proportion.
//
// # Transactions
//
// A server reads an entity group transaction with [BatchRequest.Parse] and answers with a
// [BatchReply]. A client writes one with [AppendBatch] and reads the reply with
// [ParseBatchReply]. The caller must not change a buffer while what was parsed from it is in use.
//
// # Service properties
//
// [ParseServiceProperties] and [ParsePolicies] read the XML that clients send;
// [AppendServiceProperties], [AppendStatistics] and [AppendPolicies] write that of replies.
// [FindCORSRule] returns the CORS rule of a request.
//
// # Signatures
//
// A server authenticates a request with [ParseAuthorization] and a [Secret], or with a
// [SharedAccess]. A client signs with [Secret.AppendAuthorization] or appends a token. The caller
// passes the time, and no returned text contains a secret.
//
// # Sizes
//
// [RequestWeight], [QueryWeight], [ReplyWeight] and [PageWeight] estimate the bytes of requests and
// replies without writing them: typical headers, and the JSON of entities exactly, except for
// characters that JSON escapes, which count as in UTF-8. A page is estimated from some of its rows. These functions
// are pure and do not allocate.
package wire
