// Package target is what load is sent to: an operation in, an outcome out.
//
// A [Target] blocks until the outcome is there, as live load does; an
// [Immediate] says at once what the outcome is and when it will be there, as a
// simulation needs. One call is one attempt: there is no hidden retry in any
// target. What came back is an [Outcome]; its [results.Class] says whether the attempt
// succeeded, was refused, or failed.
//
// A [Query] asks for one page. What its filter drops was scanned, and counts, all
// the same. The [Token] of a page leads to the next, in this process or, as text,
// in a later one.
//
// The caller owes each operation a number and an attempt, on which all chance
// depends, and must not alter an operation while a target works on it.
//
// The package never sends anything itself.
//
// The package is public: docs/go.md says what that means.
package target
