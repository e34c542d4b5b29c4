// Package run is one run of a scenario, from a plan to a sealed record: the only
// place that opens a target, asks for consent, builds a campaign, probes, records,
// judges and drops.
//
// Fill a [Plan], which is data, and pass it to [Run]. With only a scenario it is simulated: minutes of virtual time take
// seconds, the record stays in memory, and the same seed gives the same record to the byte. [Plan.On] selects the engine
// in real time, the engine behind a socket, or another service. [Progress], [Plan.Consent] and [Plan.Kept] connect the run
// to its caller.
//
// [Plan.Validate] returns all faults of a plan before anything is opened, each with the field that it concerns. [Trial]
// runs load without a scenario, for trials and probes.
//
// The scenario must be valid, with its files read. Cancelling the context ends a run early: its record is then partial,
// and the table is still dropped.
//
// The package never prints, never retries a run, and leaves nothing behind if a run cannot begin.
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
