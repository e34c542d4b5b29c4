// Package csvfile reads CSV files of users: RFC 4180 and other dialects, with the times in
// them. The file may be packed by gzip, and its text UTF-8, UTF-16 with a byte order mark,
// or Windows-1252: the bytes decide, not the name.
//
// Make a [Reader] with [New]. [Reader.Next] moves to the next row, [Reader.Fields] returns
// it, and [Reader.FindTimes] and [Reader.TimeOf] read its times. Report what is wrong with a
// row by [Reader.Skip], what is wrong with the file by [Reader.Fault], and take all that was
// wrong from [Reader.Err], and what was assumed or left out from [Reader.Notes]. Empty lines
// are no rows, and all rows have as many fields as the first.
//
// The first 64 KiB of the file decide its dialect:
//
//   - The separator is the one of a first line such as "sep=;". Otherwise it is a comma, unless
//     the first row names more of the columns that the caller knows between semicolons, tabs or
//     vertical bars.
//   - A quotation mark within quotation marks is doubled, unless those bytes cannot be read so,
//     and can with \" for it and \\ for a backslash. If \" first comes later, the byte behind it
//     decides: before a separator, the end of a line or another mark it is read by RFC 4180, and
//     so is the rest of the file.
//
// So whatever RFC 4180 can read is read by it. In a dirty file, lines before the header that
// begin with # are comments, carriage returns end lines if no line feed does, and one row in a
// hundred may be skipped.
//
// The package never opens a file and keeps one row in memory, and those that it needs to find
// how times are written, up to 64 MiB. Rows have a maximum size.
package csvfile
