// Package identity has the tokens of Entra ID that prove to a service who asks: got,
// kept fresh while requests go on, and got once anew when the service refuses one.
//
// A [Credential] says by whom tokens are given and for what. A [Keeper] has one of them
// at hand at any time: it asks for the next well before that expires, in a goroutine of
// its own, so that no request waits for it. The caller owes it a Close. No token and no
// secret of the environment is in any error or print.
package identity
