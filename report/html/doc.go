// Package html renders a document as one self-contained page: [Render].
//
// The page begins with the answer: a box in the colour of its state, its number in large
// type, and the first figure of the document's screen. The rest of the screen follows, then
// the sections. The first section is open. Each figure is drawn once per page.
//
// The page embeds its style, scripts, pictures and numbers. A content security policy in
// its head lists the hashes of the scripts and the style and forbids everything else, so
// that a name in a record cannot run or load anything. uPlot (folder uplot) draws series
// when they become visible. Without scripts, and on paper, tables and pictures remain.
//
// Callers pass the picture of each chart by the chart's ID, as package chart draws it. The
// package trusts pictures; html/template escapes all text.
//
// Every number of the document is on the page; only series with too many values are drawn
// as extremes of intervals, and the page says so. The package reads no clock and no file:
// the same document gives the same bytes.
package html
