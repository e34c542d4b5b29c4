// Package capture turns outside traffic, as a server sees it, into the record of
// a run: an application that speaks to our engine is judged like a load of our
// own.
//
// An [Examination] does all of it: [Examination.Open] makes the folder of the run,
// [Examination.Saw] and [Examination.Advance] are the hooks of the service, and
// [Examination.Conclude] closes, judges and seals the record.
//
// Below it, for a recorder of one's own, whose manifest holds [Kinds]: build an
// [Observer] with [New], tell [Observer.Saw] each request after its reply, call
// [Observer.Advance] now and then where the traffic may pause, and [Observer.End]
// after the last one. Finishing and sealing the recorder is the caller's then.
//
// The run has one reported phase, [Phase]. An attempt is a request; what came
// back throttled or failed and comes again under the same client request id, in
// time, is the same operation; an operation was due when its first attempt
// arrived. Beside that the observer keeps a results.Capture: the heaviest
// partitions and query shapes, found by the space-saving algorithm, the order in
// which keys were inserted, and what was not carried out.
//
// The caller owes instants since the start of the recorder's run, and each
// request within [Options.Hold] of its end. It may use a request's memory again
// as soon as Saw returns.
//
// The package never reads a clock, starts no goroutine, and does no more I/O than
// the recorder's whole seconds and the two ends of an examination. Its memory does
// not grow with the traffic, however many keys, filters and ids that is made of;
// what it forgets for want of room it counts.
package capture
