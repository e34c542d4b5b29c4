// Package text formats documents for terminals.
//
// [Write] returns a document as text with lines of bounded width. [Aligned] returns a plain table of
// any width. [Markdown] and [Inert] escape a text for Markdown and for spreadsheets, and [JSON]
// writes a value for scripts.
//
// All output is printable: names cannot move the cursor, change the direction of text or end a
// line, see [Harmless]. Only JSON returns an error.
package text
