// Package weight reckons how long requests and replies are on the wire, without writing them.
//
// [Request] is what a request of single entities or of a transaction comes to, [Question] one
// of a query, [Reply] what is answered: heads of the usual length, and the JSON of entities as
// the codec of loadgen/engine/wire writes it, to the byte where texts are plain; letters beyond
// ASCII, and what JSON escapes, count as they are in UTF-8. A page is reckoned from some of its
// rows.
//
// All functions are pure and allocate nothing.
package weight
