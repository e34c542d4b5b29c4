// Package bus carries a fleet's messages over NATS.
//
// [Open] gives a leader its end: a server inside the process, or one that somebody else
// runs. [Dial] gives a member its own. Both send and receive bytes and know no message.
// A member may publish and subscribe to subjects of its own, and to no others.
//
// Who belongs to a fleet has its token, a secret of 32 characters or more. It never
// travels: the name of the run, the key that a member signs with and the certificate of the
// leader are all derived from it. Off loopback everything goes over TLS.
//
// The caller owes every end a Close. The package never logs, and drops nothing unsaid: its
// queues are bounded, and what they had no room for is counted.
package bus
