// Package access holds the reads of users who must not have the account's key.
//
// [Kinds] are both of them: direct-read, by a shared access signature that a broker issues
// to the user, and proxied-read, through a proxy that carries what is read. Package workflow
// has them in its closed list.
//
// Who has a signature, and whose browser has asked for leave, package machine keeps
// ([machine.Keeper]); broker, proxy and preflight are asked of stand-ins ([target.Ask]).
package access
