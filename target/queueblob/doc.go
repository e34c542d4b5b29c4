// Package queueblob holds what applications use beside a table: queues and containers
// of blobs, in memory as stand-ins, or those of a real account.
//
// [NewMemory] returns both in memory; [NewVirtual] sets them beside a target of tables
// on the virtual clock, and [New] beside one in real time, by [NewWaiting]. In the
// place of the latter come the real services: [OpenQueues] and [OpenBlobs] at a
// [Service], put together as [Services]. Either way an operation that goes beside the
// table ([loadgen/target.Beside]) is theirs, any other the tables'. What is asked of a service of
// the application's own ([loadgen/target.Ask]) a stand-in answers on every target.
//
// What is asked is held to the same limits before it is sent or carried out: 400 for
// what no service would take. A script of requests is answered alike by the stand-ins
// and by a service; a test holds that against Azurite.
//
// The caller owes [Memory.Submit] instants that do not fall, from one goroutine;
// [Waiting] and the services are safe for concurrent use. Whoever opened a service
// closes it.
//
// A stand-in never refuses for load, answers after a time that is assumed, keeps
// messages in the order in which they can be seen, and lets a name be used again as soon
// as it was dropped: what it says of consistency holds of the real services, what it
// says of speed does not. It holds a bounded number of things, and refuses any more with
// 507, which no real service says. Nothing here retries, and no text holds a secret.
package queueblob
