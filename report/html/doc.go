// Package html writes a report as one page that a browser shows without asking anybody
// for anything: [Render].
//
// The page holds its style, its scripts, its pictures and its numbers. A content policy
// in its head names the scripts and the style by their hashes and forbids everything
// else, so that whatever a record smuggled in as a name could neither run nor load.
// Series over time are drawn twice: as a still picture, for paper, for readers without
// scripts and for screen readers, and by uPlot (folder uplot), where a hover shows the
// values.
//
// The caller owes a document and, by the chart's ID, the SVG of each chart. A chart
// without a picture is told in words. The package trusts neither words nor pictures: words
// are escaped by html/template, pictures are taken apart and put together again, see
// [Options].
//
// It does not compute, format or drop a number that the document holds; series beyond
// what a page can carry are drawn as extremes of stretches, and the page says so. It
// reads no clock and no file, and the same document gives the same bytes.
package html
