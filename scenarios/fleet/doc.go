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
package fleet
