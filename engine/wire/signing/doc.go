// Package signing says who may: shared keys and shared access signatures, both made and
// checked.
//
// A server has [ParseAuthorization] and a [Secret], or a [SharedAccess], prove who sent a
// request; a client signs with [Secret.AppendAuthorization] or appends a token.
//
// The caller owes a present instant: the package reads no clock, opens no socket, and no
// text that it returns holds a secret.
package signing
