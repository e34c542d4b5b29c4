// Package html writes a report as one page that a browser shows without asking anybody
// for anything: [Render].
//
// The answer comes first: a box in the colour of its state, the number larger than all
// else, and beside it the first figure of the document's screen. Below stand the rest of
// the screen and the sections, folded. What stands above is not drawn again below.
//
// The page holds its style, its scripts, its pictures and its numbers. A content policy
// in its head names the scripts and the style by their hashes and forbids everything
// else, so that whatever a record smuggled in as a name could neither run nor load.
// Series over time are drawn by uPlot (folder uplot) when they are unfolded. Without
// scripts, and on paper, the tables remain, and the pictures, the one that answers among
// them.
//
// The caller owes a document and, by the chart's ID, the picture of each chart, as package
// chart draws it. A chart without a picture is told in words. The package trusts pictures,
// and no words: those are escaped by html/template.
//
// It does not compute or drop a number that the document holds; series beyond what a page
// can carry are drawn as extremes of stretches, and the page says so. It reads no clock
// and no file, and the same document gives the same bytes.
package html
