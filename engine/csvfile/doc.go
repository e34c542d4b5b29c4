// Package csvfile reads CSV as it comes: RFC 4180, and the dialects of programs that
// separate by a semicolon or a tab, or write a quotation mark within a field as \".
// The file may be packed by gzip, and its text UTF-8 or, with a mark of the byte order,
// UTF-16: the first bytes tell, not the name.
//
// Make a [Reader] with [New], ask it for row after row with [Reader.Next] and
// [Reader.Fields], tell it what is wrong with one with [Reader.Fault], and take what
// was found at the end from [Reader.Err]. Empty lines are no rows, a mark of the byte
// order means nothing, lines may end as in Windows, and all rows are as long as the
// first.
//
// The dialect is told from the first 64 KiB of the file, by two questions:
//
//   - The separator is the comma, unless the first row, cut at semicolons or else at
//     tabs, names more of the columns that the caller knows.
//   - A quotation mark within quotation marks is doubled, unless those bytes cannot be
//     read so, and can where \" stands for it, and \\ for a backslash.
//
// Where neither can read those bytes, or \" comes first behind them, what follows it
// tells: before a separator, the end of a line or another mark it is read by RFC 4180,
// and so is the rest; before anything else, which RFC 4180 has no reading for, it is a
// mark of the text, and so are those of the rest.
//
// So whatever can be read by RFC 4180 is read by it, and a file that names no column
// has commas. A backslash before anything else is itself in either case.
//
// The library's encoding/csv takes rows apart. Before it stands a filter that bounds
// them, and spells what the library would lose in a way in which it does not: which
// empty fields stand in quotation marks, and how the lines within those end.
//
// The caller owes the bounds of a row.
//
// The package never opens a file, keeps one row in memory, and hands over no field
// that was not in the file: a carriage return outside of quotation marks that ends no
// line is a fault, for it is where files of another world end theirs.
package csvfile
