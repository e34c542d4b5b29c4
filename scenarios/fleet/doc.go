// Package fleet is runs over several processes, on one machine or many.
//
// An [Offering] waits for the members that are asked for, has each prepare its share of the
// plan, starts all at one instant, and gathers their records; of a search it chooses each step
// by what all measured of the last. They stay for the runs that follow. [Join] is a member: it
// is charged with a share, and [Carry] carries it out. How they agree is said in protocol, what
// carries their messages in bus.
//
// The caller owes an Offering its Close, and Join a Carry that ends soon after its context does.
//
// The package hands nobody's load to anybody else, sends no secret of a table service, and
// counts nothing twice: what is lost is named.
//
// # Messages
//
// The messages of a fleet travel over NATS. The leader runs a server in its process, or uses one
// that somebody else runs; members connect to it. A member may publish and subscribe to subjects
// of its own only.
//
// All processes of a fleet share a token, a secret of at least 32 characters, which is never sent:
// the name of the run, the signing key of each member and the certificate of the leader are derived
// from it. Connections beyond loopback use TLS. Queues are bounded, and dropped messages counted.
package fleet
