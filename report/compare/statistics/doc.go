// Package statistics is the arithmetic of samples: what a few figures come to, how sure
// that is, and whether two sets of them differ.
//
// [Mean], [Median] and [Squares] sum figures up; [Student] and [Welch] compare means,
// [SignFlip] pairs, and [Holm] corrects what several tests say; [Detection] tells how much
// would have been found; [Divider] finds where a series falls apart, and [ResampledMean] draws
// it anew. Distributions are gonum's. Sums are our own, from the first figure to the last:
// gonum's go by what the processor has, and the last digit with them.
//
// The caller owes figures that are finite. All functions are pure, may be called by
// several goroutines at once, and keep nothing they are given; where they draw, it is from
// what the caller hands in.
//
// The package is a leaf, and knows neither runs nor records.
package statistics
