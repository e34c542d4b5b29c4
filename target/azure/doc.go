// Package azure is the target that speaks to a table service over REST: the
// service itself, an emulator of it, or this module's own engine.
//
// Say with [ParseConnectionString] or [ParseURL] where the service is and as
// whom to ask it, build a [Target] over that with [New], and see by
// [Target.Probe] that it answers before load is sent. [Target.Do] then makes one
// attempt a call; [Target.Connections] says what the connections under it did.
// [Target.Close] ends it.
//
// The caller owes what package target asks for, a Close when no Do is under way
// any more, and a clock whose instant zero it can date.
//
// Two clients send, see [Client]. The package's own speaks HTTP/1.1, over TLS where the
// address says so, and goes by no proxy: an attempt costs the processor half of what it
// does with net/http's, since one goroutine writes the request and reads the reply. That of
// net/http goes by the proxy that the environment names, and over HTTP/2 where it is
// offered. Neither retries or follows a redirection, keeps a connection that was not read to
// the end of a reply, or shows a key, a shared access signature or a token in any error,
// outcome or print. [Target.NetHTTP] is for a driver that brings a client of its own.
//
// # Tokens
//
// A [Credential] requests Entra ID tokens for one scope. A [TokenKeeper] keeps one of them ready:
// its goroutine requests the next well before the current one expires, so that no request waits
// for it. Callers must close it. No error or print contains a token or a secret of the environment.
//
// # Refusals
//
// A [RefusalLog] records what the service said about its own state: which limit throttled, and
// the request ids of throttled, failed and slowest requests, by which support finds them.
package azure
