// Package copies finds what copies of entities under other keys lack, and repairs it.
//
// Where no transaction spans an entity and its copy, a client that dies between the two
// writes leaves one without the other, and nobody notices until somebody compares.
package copies
