// Package batch is an entity group transaction on the wire, as multipart both ways.
//
// A server reads one with [Request.Parse] and answers with a [Reply]; a client writes one
// with [Append] and reads what came back with [ParseReply].
//
// The caller owes buffers that it does not touch while what was parsed from them is in
// use. The package never opens a socket or draws an identifier, and nothing it is given
// to parse makes it panic or take memory out of proportion.
package batch
