// Package report renders the record of a run and the summary that
// [loadgen/report/verdict] made of it: [Text] for people, [JSON] for scripts.
//
// The caller reads a record, has it judged, and hands both over; the same
// record always gives the same bytes. Names and keys of the record may hold
// anything: no control character and no escape sequence of theirs reaches the
// writer, and no line of the text is wider than 110 columns, long arguments of
// the command to repeat excepted.
//
// The package computes no figure of its own and never alters what it is given.
package report
