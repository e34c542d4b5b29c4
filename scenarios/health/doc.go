// Package health is what the generator itself costs and how it fares: CPU,
// garbage collection, free workers, by whole second.
//
// Open a [Process], hand it with the run's clock to [Start], run the load, and
// [Sampler.Stop] before the record is finished: what it returns belongs there.
// Each whole second that ends meanwhile is told as it does. Behind the sampler
// stands a [Meter], which is told of beats and readings and does nothing of its
// own accord.
//
// A beat is a short sleep. One that comes late shows that the process was not let
// run, or had more to do than it could: the operations that were due meanwhile
// were as late, whatever it was that held it up.
//
// The caller owes each sampler a Stop, and a clock whose instant zero is that of
// the run. The package judges nothing, touches no target, and keeps no second
// that it has told of, however long the run.
package health
