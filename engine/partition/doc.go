// Package partition decides whether a request is admitted, where it goes, and
// how long the service works on it.
//
// Build a [Layer] from a model. For each request call [Layer.Admit] with the
// instant of its arrival, its [Place], its [Demand] and 64 random bits of its
// own; what a scan turns out to have read beyond that is owed by [Layer.Charge],
// what a reply carries by [Layer.ChargeOut]. How long an admitted request takes
// is [Times.ReplyTime], a pure function of its chance, plus the verdict's Wait.
//
// After a cold start every table begins as one range on one server. Each tick
// of virtual time the layer takes in what ranges and servers have seen, and
// splits, moves and merges ranges; [Layer.Events] tells what it did and why,
// [Layer.Map] what lies where. Time goes on with the calls: [Layer.NextEvent]
// says when something would happen without one, [Layer.Advance] lets it.
//
// The caller owes calls from one goroutine at a time, a valid model, chances
// that are independent of one another, and places whose strings it does not
// alter. An instant that goes back is taken for the latest seen.
//
// The package never waits, reads no clock and draws no chance but how long a
// hand-over takes, from its seed. Its accounting is in integers: a rate of R
// entities per second is R billionths of an entity per nanosecond, so that no
// allowance is ever lost to rounding, and a run repeats to the byte.
package partition
