// Package nearest answers a name that does not exist with the one that was meant.
//
// [Unknown] makes the whole message of it; [Name] returns the nearest of those that
// exist and whether it is worth suggesting, [Names] all that are equally near, and
// [Choice] lists alternatives as a person does. All rest on one [Distance].
//
// The caller passes the existing names in its own order: of equally near names the first
// is taken. [Fault] is the error about a value that can be printed without its kind.
//
// The package never looks at more than the first 200 bytes of a name.
package nearest
