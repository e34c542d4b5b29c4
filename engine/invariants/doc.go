// Package invariants finds memory that is used again before it was reset.
//
// Call [Poison] with each value that goes back into a pool. Built with the tag
// invariants, it fills the fields that will be reset with invalid values; a field that is
// left out of the reset then shows, in a result that differs or in a panic. Built without,
// it does nothing and costs nothing.
//
// It leaves the named fields alone, and must not be called with a value that another goroutine
// still reads.
package invariants
