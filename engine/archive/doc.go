// Package archive reads and writes the tables of an account as text: as JSON
// lines, or as CSV.
//
// [FormatOf] tells the format from the name of a file. [Read] hands over what an
// archive holds, record by record; [Write] writes one of what it is handed. Both
// go from front to back and keep one record in memory.
//
// JSON lines hold one entity a line, as a client would send it, with the name of
// its table beside the keys. CSV holds a table's name, the keys and a column for
// each name and type of a property. Either tells an empty string from a property
// that is not there, and either tells of tables that hold nothing. Timestamps are
// not kept: they are the service's to set, and an entity that is put into a table
// is as old as that.
//
// The caller owes [Write] the same records each time it goes over them.
//
// The package never opens a file, and hands over no record that a table could not
// hold: whatever it is given to read makes it neither panic nor take memory out of
// proportion.
package archive
