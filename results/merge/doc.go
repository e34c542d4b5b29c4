// Package merge puts the records of several runs together into one.
//
// [Records] lays runs upon each other that were carried out side by side: instant zero on
// instant zero, second on second, phase on phase. What is counted is summed, and histograms
// are merged bucket by bucket, so that the record is that which one recorder would have made
// of all attempts, count for count. What single records do not hold exactly is a bound there,
// or missing, and [results.Merged] says so.
//
// The caller owes records as [results.Read] returns them, which it does not change while it
// uses what comes back: the two may share memory. The functions are pure; nothing is judged,
// and no summary is made.
package merge
