// Package filter says which entities a query is about.
//
// Build a [Range], the part of the clustered index that a query has to read,
// with the constructor that fits ([Point], [Rows], [OnePartition], …, [WholeTable]);
// ask its [Range.Class] what the documents think of such a query; read it page
// by page, each time from where [Range.StartingAt] says. [Range.Text] writes it
// as a $filter for a remote service.
//
// A $filter that came over the wire goes through [Parse] to an [Expression]:
// read its [Expression.Range], and of the entities there keep those that
// [Expression.Keeps], unless it is [Expression.Exact] and they all are.
//
// Keys must be valid keys of entities. Bounds may hold what a key may
// not, the character NUL: a string with NUL appended is the next one after it
// in the index. The text of a $filter is owed as it stood before it was encoded
// into a URL; any text may be given.
//
// The package never reads an entity from anywhere, and no text makes it panic
// or work without bound.
package filter
