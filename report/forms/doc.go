// Package forms is the forms in which other programs read what came of tests and
// benchmarks: JUnit's XML, which servers of continuous integration show, and the text of
// Go's benchmarks, which benchstat compares.
//
// Whoever has something to tell fills a [Suite] and hands it to [JUnit], or adds lines to
// a [Benchmarks] and writes that. Names and messages may hold anything: nothing that
// controls a terminal, or that a form would take for its own, gets through.
//
// The package is a leaf. It judges nothing, and knows neither runs nor gates.
package forms
