// Package document is what a report says, before anybody has decided how it looks: a
// title, what is wrong with the record, and sections of paragraphs, lists, tables,
// charts and series.
//
// [loadgen/report] makes a [Document] of a judged record; the renderers (text, HTML,
// Markdown, CSV) turn it into bytes. Whatever a renderer shows stands in the document,
// so that all of them say the same.
//
// The caller owes sections in the order of [loadgen/report], identifiers that are unique
// within a document, and words in plain Unicode: escaping is the renderers', each in its
// own way, and they trust nothing that stands here.
//
// Numbers, units, shares and durations are formatted here, and nowhere else. The package is
// a leaf: it computes nothing and knows no record.
package document
