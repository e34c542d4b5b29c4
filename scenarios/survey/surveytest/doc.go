// Package surveytest holds streams of keys by designs whose order is known.
//
// [Designs] lists them, each with the judgement that it must get; [Design.Stream]
// yields the inserts of one, and [Rows] writes as many keys as wanted as CSV.
//
// The caller owes a seed: the same one yields the same keys.
//
// The package never keeps more than one row in memory.
package surveytest
