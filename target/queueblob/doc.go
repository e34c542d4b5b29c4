// Package queueblob provides the queues and containers of blobs that applications use with a
// table: stand-ins in memory, or those of a real account.
//
// [NewMemory] returns the stand-ins. [NewVirtual] combines them with a target of tables on the
// virtual clock; [New] does so in real time, with [NewWaiting]. [New] also takes real services:
// [OpenQueues] and [OpenBlobs] at a [Service], combined as [Services]. Either way a request
// to another service goes to them, and any other to the tables. A stand-in answers
// requests to the application's own services ([loadgen/target.Ask]) on every target.
//
// Every request is checked against the same limits before it is sent or carried out; the answer
// to an invalid one is 400. The stand-ins answer a script of requests as a real service does; a
// test compares them with Azurite.
//
// Callers must call [Memory.Submit] from one goroutine, with instants that do not decrease.
// [Waiting] and the services are safe for concurrent use. Callers must close the services that
// they open.
//
// A stand-in never throttles, answers after an assumed time, keeps messages in the order in which
// they become visible, and allows a name to be reused as soon as it is deleted. Its consistency is
// that of the real services, its speed is not. It holds a bounded number of objects and rejects
// more with 507, which no real service returns. Nothing here retries, and no text has a secret.
package queueblob
