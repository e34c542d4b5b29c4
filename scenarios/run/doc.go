// Package run is one run of a scenario, from a plan to a sealed record: the only
// place that opens a target, asks for consent, builds a campaign, probes, records,
// judges and drops.
//
// Fill a [Plan], which is data, and hand it to [Run]. Without more than a scenario
// it is simulated: minutes of virtual time take seconds, the record stays in memory,
// and the same seed gives the same record to the byte. [Plan.On] puts the same
// scenario to the engine in real time, to the engine behind a socket, or to a service
// that somebody else runs. What is shown meanwhile, what a user is asked and what
// becomes of the record are passed in: [Progress], [Plan.Consent], [Plan.Kept].
//
// [Plan.Validate] says all that is wrong with a plan before anything is opened, each
// fault by the field that it concerns. [Trial] carries out load that belongs to no
// scenario, for trials and probes.
//
// The caller owes a scenario that is sound and whose files are read, and a context
// that it cancels to end a run early: its record is then partial, and the table is
// dropped all the same.
//
// The package never prints, never retries a run, and leaves nothing behind where a
// run cannot begin.
//
// The package is public: docs/go.md says what that means.
//
// # Health of the generator
//
// [StartHealthSampler] measures what the generator itself uses during a run: CPU, garbage
// collection and free workers, by whole second. [HealthSampler.Stop] returns the result, which
// belongs in the record. A [HealthMeter] does the arithmetic and starts nothing.
//
// A beat is a short sleep. A late one shows that the process was not scheduled or had too much to
// do, so that operations due in that time were late as well. Callers must stop each sampler, and
// pass a clock whose time zero is the start of the run.
package run
