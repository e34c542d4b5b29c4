// Package wire is the REST wire format of the table service, both ways: the
// addresses, signatures, entity JSON, errors, transactions, continuation tokens,
// shared access signatures, policies and properties that a server and a client of
// it exchange.
//
// A server finds with [ParseResource] what a path names, has [Authorization]
// and a [Secret], or a [SharedAccess], prove who sent it, reads its body with [EntityBody.Parse] or
// [BatchRequest.Parse], and writes the reply with a [Rendering] or [AppendError].
// A client writes with [AppendEntityPath], [AppendEntityBody] and [AppendBatch],
// signs with [Secret.AppendAuthorization], and reads with [ParseEntity],
// [ParsePage], [ParseBatchReply] and [ParseError].
//
// The caller owes buffers that it does not touch while what was parsed from them
// is in use: strings that needed no unescaping are views into the text.
//
// The package never opens a socket, reads a clock or draws an identifier, and
// nothing it is given to parse makes it panic or take memory out of proportion.
package wire
