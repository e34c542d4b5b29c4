// Package report renders the record of a run and its summary, which [loadgen/report/verdict] makes. [Document] has the
// content in reading order; [Print], [Markdown] and [CSV] write it for people and spreadsheets, and [JSON] writes the
// summary for scripts. [Illustrate] adds charts and a page to the folder of the record. [Read] and [Forms] report on a
// stored run again, in every form. [List], [Files] and [Pruning] report on the runs of a catalog, [Patterns] on design
// patterns.
//
// The caller reads a record, judges it, and passes both; the same record always gives the same bytes. Names and keys
// of the record may contain anything: control characters and escape sequences do not reach the writer, nothing becomes
// markup of Markdown or a formula of a spreadsheet, and no line of the text is wider than 110 columns, except for long
// arguments of the command that repeats the run.
//
// The package computes no figures except sums and ratios of those of the record, and never alters its arguments.
package report
