// Package bearer says whether a token that a request carries is one of an issuer, and for
// the table service.
//
// [Discover] asks an issuer of OpenID Connect for its keys; [Anyone] takes any token, for
// tests of programs whose credential has no issuer here. Both make the challenge by which
// Azure's SDKs learn where tokens are to be had.
package bearer
