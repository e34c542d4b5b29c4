// Package fleet runs a scenario from several processes, on one machine or many.
//
// An [Offering] leads: it waits for its members, sends each its share of the plan, starts all at the same instant, and merges
// their records. In a search it chooses each step by the results of all members. Members stay for later runs of a series.
// [Join] is a member; its [Carry] sends the share. Package protocol defines the messages.
//
// Callers must close an Offering, and a Carry must return soon after its context ends.
//
// No member gets the load of another. A lost member is named with its load, and no secret of a table service is sent.
//
// # Messages
//
// The messages of a fleet travel over NATS. The leader runs a server in its process, or uses a shared
// one; members connect to it. A member may publish and subscribe to subjects
// of its own only.
//
// All processes of a fleet share a token, a secret of at least 32 characters, which is never sent:
// the name of the run, the signing key of each member and the certificate of the leader are derived
// from it. Connections outside of loopback use TLS. Queues are bounded,
// and dropped messages are counted.
package fleet
