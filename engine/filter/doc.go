// Package filter says which entities a query is about.
//
// Build a [Range], the part of the clustered index that a query has to read,
// with the constructor that fits ([Point], [Rows], [OnePartition], …, [All]);
// ask its [Range.Class] what the documents think of such a query; read it page
// by page, each time from where [Range.StartingAt] says.
//
// The caller owes keys that an entity can have. Bounds may hold what a key may
// not, the character NUL: a string with NUL appended is the next one after it
// in the index.
//
// The package never reads an entity from anywhere.
package filter
