// Package line is what lies between the clients and the account: the bandwidth of the
// clients' machines, and the packets that get lost.
//
// Make a [Line] of a model; there is none where its parameters ask for nothing. A simulation
// asks it when a request arrives ([Line.Sends]) and when a reply is through
// ([Line.Receives]), each at the instant of its event; [Wrap] does so for a target that
// blocks, and sleeps in between.
//
// Each machine is a pipe in either direction: one request after another, one reply after
// another, in the order in which they come to it, as many bytes as [target.Operation] says
// that they are on the wire. Operations take the machines in turn, by their numbers. A lost
// packet delays the reply and takes no bandwidth; whether one is lost is a pure function of
// seed, operation and attempt.
//
// The caller asks for the arrival of each request once, and then for its reply. The package
// never waits but in [Live.Do], drops nothing and throttles nothing: what the line cannot
// carry comes late, and [target.Outcome] says by how much. The round trip is the engine's.
package line
