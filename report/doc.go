// Package report renders the record of a run and the summary that
// [loadgen/report/verdict] made of it. [Document] is what there is to say, in the order
// in which a person reads; [Print], [Markdown] and [CSV] write it for people and
// spreadsheets, and [JSON] the summary for scripts. [Illustrate] puts charts and a page
// beside the record, and of one that is kept [Read] and [Forms] tell once more, in every
// form. [List], [Files] and [Pruning] tell of the runs of a catalog; [Patterns] is a report
// of other things than a run.
//
// The caller reads a record, has it judged, and hands both over; the same
// record always gives the same bytes. Names and keys of the record may hold
// anything: no control character and no escape sequence of theirs reaches the
// writer, none is markup of Markdown or a formula of a spreadsheet, and no line of the
// text is wider than 110 columns, long arguments of the command to repeat excepted.
//
// The package computes no figure of its own but sums and ratios of those of the record,
// and never alters what it is given.
package report
