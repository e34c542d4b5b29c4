// Package wire is the REST wire format of the table service, both ways: the addresses,
// entity JSON, errors and continuation tokens that a server and a client of it exchange.
// Transactions, signatures and what a service tells of itself have rooms of their own
// below it.
//
// A server finds with [ParseResource] what a path names, reads its body with
// [EntityBody.Parse], and writes the reply with a [Rendering] or [AppendError].
// A client writes with [AppendEntityPath] and [AppendEntityBody], and reads with
// [ParseEntity], [ParsePage] and [ParseError].
//
// The caller owes buffers that it does not touch while what was parsed from them
// is in use: strings that needed no unescaping are views into the text.
//
// The package never opens a socket, reads a clock or draws an identifier, and
// nothing it is given to parse makes it panic or take memory out of proportion.
package wire
