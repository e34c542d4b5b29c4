// Package azure is the target that sends operations to a table service over REST: the real service,
// an emulator, or this module's own engine.
//
// Parse the address and credential with [ParseConnectionString] or [ParseURL], build a [Target] with
// [New], and check with [Target.Probe] that the service answers before sending load. Each call of
// [Target.Do] makes one attempt; [Target.Connections] returns statistics of the connections. Call
// [Target.Close] after the last Do has returned.
//
// There are two clients, see [Client]. The package's own speaks HTTP/1.1, with or without TLS, and
// uses no proxy: an attempt costs half of the CPU of net/http, since one goroutine writes the request
// and reads the reply. The client over net/http uses the proxy of the environment, and HTTP/2 if the
// service offers it. Neither retries, follows redirections, keeps a connection whose reply was not
// read to its end, or shows a key, a shared access signature or a token in an error, outcome or
// print.
//
// # Tokens
//
// A [Credential] requests Entra ID tokens for one scope. A [TokenKeeper] keeps one of them ready:
// its goroutine requests the next well before the current one expires, so that no request waits
// for it. Callers must close it. No error or print contains a token or a secret of the environment.
//
// # Refusals
//
// [Target.Refusals] returns what the service said about its own state: which limit throttled, and
// the request ids of throttled, failed and slowest requests, by which support finds them.
package azure
