// Package partition decides whether a request is admitted, where it goes, and
// how long the service works on it.
//
// Build a [Layer] from a model. For each request call [Layer.Admit] with the
// instant of its arrival, its [Place], its [Demand] and 64 random bits of its
// own. [Layer.Charge] debits the further entities that a scan read, and
// [Layer.ChargeOut] the bytes of a reply. The time of an admitted request is
// [Times.ReplyTime], a pure function of its chance, plus the verdict's Wait.
//
// After a cold start every table begins as one range on one server. On each tick
// of virtual time the layer splits, moves and merges ranges by the load of ranges
// and servers. [Layer.Events] returns the decisions and their reasons, [Layer.Map]
// the current ranges and servers. Time advances with the calls: [Layer.NextEvent]
// returns when something happens without a request, [Layer.Advance] applies it.
//
// Callers must use one goroutine at a time, a valid model, independent chances, and
// places with strings that do not change. The layer replaces an earlier instant by
// the latest one seen.
//
// The package never waits, reads no clock and draws nothing at random except, from
// its seed, the time of a hand-over. Its accounting is in integers: a rate of R
// entities per second is R billionths of an entity per nanosecond, so that rounding
// loses no allowance, and runs are identical to the byte.
package partition
