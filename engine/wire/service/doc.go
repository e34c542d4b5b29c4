// Package service is what a table service is told and tells of itself, as XML: its
// properties with their CORS rules, its statistics, and the access policies of a table.
//
// [ParseProperties] and [ParsePolicies] read what a client sets; [AppendProperties],
// [AppendStatistics] and [AppendPolicies] write what a server answers. [FindRule] says
// which CORS rule a request falls under.
//
// The package never opens a socket, and nothing it is given to parse makes it panic or
// take memory out of proportion.
package service
