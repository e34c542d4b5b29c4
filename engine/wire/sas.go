package wire

import (
	"strings"

	"loadgen/engine/entity"
)

// SharedAccess is a shared access signature: the decoded options of a query string that grant limited access for some
// time. There are two kinds: for the account, or for one table. The zero value is
// none. An option that is empty counts as one that is missing, since both have
// the same signature.
type SharedAccess struct {
	// Version is sv: it decides the form of the text that is signed.
	Version string
	// Permissions, Start, Expiry, Protocol and Addresses are sp, st, se, spr and
	// sip, as they were given: that is how they were signed.
	Permissions, Start, Expiry, Protocol, Addresses string
	// Services and ResourceTypes are ss and srt, of the account kind.
	Services, ResourceTypes string
	// Scope is ses, which tables have no use for; it is signed.
	Scope string
	// Table and Identifier are tn and si, of the table kind: the table, in
	// whatever case, and the name of a stored access policy.
	Table, Identifier string
	// StartPartition to EndRow are spk, srk, epk and erk: the first and the last
	// key of the range.
	StartPartition, StartRow, EndPartition, EndRow string
	// Signature is sig, in base64.
	Signature string

	present uint32
}

// Set takes an option of a query string, and reports whether it is one of a
// signature, and whether it is the first of its name.
func (a *SharedAccess) Set(name, value string) (known, first bool) {
	places := [...]struct {
		name  string
		value *string
	}{
		{"sv", &a.Version}, {"sp", &a.Permissions}, {"st", &a.Start}, {"se", &a.Expiry}, {"spr", &a.Protocol},
		{"sip", &a.Addresses}, {"ss", &a.Services}, {"srt", &a.ResourceTypes}, {"ses", &a.Scope},
		{"tn", &a.Table}, {"si", &a.Identifier}, {"spk", &a.StartPartition}, {"srk", &a.StartRow},
		{"epk", &a.EndPartition}, {"erk", &a.EndRow}, {"sig", &a.Signature},
	}
	for i := range places {
		if places[i].name != name {
			continue
		}
		first = a.present&(1<<i) == 0
		a.present |= 1 << i
		if name == "sig" {
			value = strings.ReplaceAll(value, " ", "+") // plus signs that were not escaped
		}
		*places[i].value = value
		return true, first
	}
	return false, true
}

// ForTable reports whether the signature is of the table kind.
func (a *SharedAccess) ForTable() bool { return a.Table != "" }

// Fault returns in one line why the signature is malformed, empty for a well-formed one. It does not verify it.
func (a *SharedAccess) Fault() string {
	account := a.Services != "" || a.ResourceTypes != ""
	switch {
	case !IsServiceVersion(a.Version):
		return "sv is no version"
	case a.Version < oldestAccess:
		return "sv must be " + oldestAccess + " or later"
	case account == a.ForTable():
		return "tn, or ss and srt, required"
	case account && (a.Services == "" || a.ResourceTypes == "" || a.Permissions == "" || a.Expiry == ""):
		return "account signature requires ss, srt, sp and se"
	case !account && a.Identifier == "" && (a.Permissions == "" || a.Expiry == ""):
		return "table signature requires sp and se, or si"
	case a.StartRow != "" && a.StartPartition == "":
		return "srk needs spk"
	case a.EndRow != "" && a.EndPartition == "":
		return "erk needs epk"
	}
	return ""
}

const (
	// oldestAccess is the first version with the form that is signed here.
	oldestAccess = "2015-04-05"
	// scopedAccess is the first version in which an account's signature has a
	// line for ses.
	scopedAccess = "2020-12-06"
)

// AppendStringToSign appends the text that the account's key signs. Times stand
// there as they were given, the name of a table in lower case.
func (a *SharedAccess) AppendStringToSign(dst []byte, account string) []byte {
	if !a.ForTable() {
		for _, line := range [...]string{account, a.Permissions, a.Services, a.ResourceTypes, a.Start, a.Expiry,
			a.Addresses, a.Protocol, a.Version} {
			dst = appendSignedLine(dst, line)
		}
		if a.Version >= scopedAccess {
			dst = appendSignedLine(dst, a.Scope)
		}
		return dst
	}
	resource := "/table/" + account + "/" + strings.ToLower(a.Table)
	for _, line := range [...]string{a.Permissions, a.Start, a.Expiry, resource, a.Identifier,
		a.Addresses, a.Protocol, a.Version, a.StartPartition, a.StartRow, a.EndPartition} {
		dst = appendSignedLine(dst, line)
	}
	// The last line of this kind has no end.
	return append(dst, a.EndRow...)
}

// Keys returns the range of keys that a table's signature covers, both ends
// included: from the first, to the last. Where the latter says endless there is
// no last key; where it says whole, the last is any row of its partition.
func (a *SharedAccess) Keys() (from, to entity.Key, whole, endless bool) {
	from = entity.Key{Partition: a.StartPartition, Row: a.StartRow}
	to = entity.Key{Partition: a.EndPartition, Row: a.EndRow}
	return from, to, a.EndRow == "", a.EndPartition == ""
}

// VerifyAccess reports whether a shared access signature is the key's; it takes
// the same time wherever they differ.
func (s *Secret) VerifyAccess(account string, a *SharedAccess) bool {
	return s.verify(a.Signature, func(dst []byte) []byte { return a.AppendStringToSign(dst, account) })
}
