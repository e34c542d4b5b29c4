// Package invariants finds memory that is used again before it was reset.
//
// Whoever puts something into a pool calls [Poison] with it. Built with the tag
// invariants, that fills what will be reset with values that nobody means; a field that is
// left out of the reset then shows, in a result that differs or in a panic. Built without,
// it does nothing and costs nothing.
//
// It never touches what it is told to keep, and must not be called with what somebody else
// still reads.
package invariants
