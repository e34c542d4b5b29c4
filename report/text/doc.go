// Package text writes text for a person: lines of a bounded width, and tables.
//
// [Write] returns a document as text, with lines that break at spaces. [Aligned] returns a plain
// table, as wide as its cells are. [Markdown] and [Inert] escape a text for those who read
// it as markup or as a formula, [JSON] writes a value for scripts.
//
// The package never fails, and no name that goes onto a page can move a terminal's
// cursor, turn its text around or end a line: see [Harmless].
package text
