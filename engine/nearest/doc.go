// Package nearest answers a name that does not exist with the one that was meant.
//
// [Unknown] makes the whole message of it; [Name] returns the nearest of those that
// exist and whether it is worth suggesting, [Names] all that are equally near, and
// [Choice] lists alternatives as a person does. All rest on one [Distance].
//
// The caller owes the names that exist, in an order of its own: of equals the first
// is taken. [Fault] is the error about a value, for whoever tells it without its kind.
//
// The package never looks at more than the first 200 bytes of a name.
package nearest
