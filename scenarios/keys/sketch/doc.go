// Package sketch counts a stream of keys in memory that does not grow with it.
//
// [Heaviest] keeps those that weigh most, [Distinct] estimates how many there
// are, and [Moment] how unevenly their weights lie. Make one with its New
// function, tell it each key, or a hash of it, and ask at any time: all answers
// hold for what was told so far, in whatever order.
//
// The caller owes [Distinct] and [Moment] hashes of 64 bits that are spread
// evenly, the same for the same key. Nothing here may be used by several
// goroutines at once.
//
// The package never draws chance, and says of each estimate how far off it may
// be.
package sketch
