package rest

import (
	"net/netip"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/wire"
)

// access is what a verified shared access signature allows. The zero value is no signature: the account's key
// allows everything.
type access struct {
	given *wire.SharedAccess
	// permissions are from the signature or from the stored policy that it names.
	permissions string
	// within is the range of keys that a table's signature covers.
	within filter.Range
}

// authenticateAccess returns OK for a signature that is valid now and for this client. [exchange.permit] checks
// the operation later.
func (x *exchange) authenticateAccess() (entity.Code, string) {
	given := x.options.access
	if x.tenant == nil {
		return entity.AuthenticationFailed, "the signature is not of the account that the request is for"
	}
	if fault := given.Fault(); fault != "" {
		return entity.AuthenticationFailed, fault
	}
	if !x.tenant.secret.VerifyAccess(x.target.account, given) {
		return entity.AuthenticationFailed, signedText(given.AppendStringToSign(nil, x.target.account))
	}
	start, expiry, permissions := given.Start, given.Expiry, given.Permissions
	var policy wire.AccessPolicy
	if given.ForTable() && given.Identifier != "" {
		all := x.tenant.policies.get(given.Table)
		i := slices.IndexFunc(all, func(one wire.SignedIdentifier) bool { return one.ID == given.Identifier })
		if i < 0 {
			return entity.AuthenticationFailed, "the table has no access policy of the name in si"
		}
		policy = all[i].Policy
		// Each of the three may be in one place only.
		if start != "" && policy.Start != 0 || expiry != "" && policy.Expiry != 0 ||
			permissions != "" && policy.Permissions != "" {
			return entity.AuthenticationFailed, "the signature repeats its access policy"
		}
		permissions += policy.Permissions
	}
	if code, detail := x.checkTimes(start, expiry, policy); code != entity.OK {
		return code, detail
	}
	if permissions == "" {
		return entity.AuthenticationFailed, "nothing says what the signature allows"
	}
	x.access = access{given: given, permissions: permissions, within: accessRange(given)}
	return x.checkOrigin()
}

// checkTimes checks the validity period of a signature: from start until before expiry.
func (x *exchange) checkTimes(start, expiry string, policy wire.AccessPolicy) (entity.Code, string) {
	from, until := policy.Start, policy.Expiry
	var ok bool
	if start != "" {
		if from, ok = wire.ParseAccessTime(start); !ok {
			return entity.AuthenticationFailed, "st has to be a date in UTC"
		}
	}
	if expiry != "" {
		if until, ok = wire.ParseAccessTime(expiry); !ok {
			return entity.AuthenticationFailed, "se has to be a date in UTC"
		}
	}
	now := x.handler.calendar.ticks(x.handler.clock.Now())
	switch {
	case until == 0:
		return entity.AuthenticationFailed, "nothing says when the signature expires"
	case now < from:
		return entity.AuthenticationFailed, "the signature is not valid before " + from.String() + ", it is " + now.String()
	case now >= until:
		return entity.AuthenticationFailed, "the signature expired at " + until.String() + ", it is " + now.String()
	}
	return entity.OK, ""
}

// checkOrigin checks how the request came, from where, and to which service.
func (x *exchange) checkOrigin() (entity.Code, string) {
	given := x.access.given
	plain, ok := wire.ParseSASProtocol(given.Protocol)
	switch {
	case !ok:
		return entity.AuthenticationFailed, "spr has to be https or https,http"
	case !plain && x.request.TLS == nil:
		return entity.AuthorizationProtocol, ""
	}
	if given.Addresses != "" {
		allowed, ok := wire.ParseAddressRange(given.Addresses)
		if !ok {
			return entity.AuthenticationFailed, "sip must be an address or a range ADDRESS-ADDRESS"
		}
		from, err := netip.ParseAddrPort(x.request.RemoteAddr)
		if err != nil || !allowed.Contains(from.Addr()) {
			return entity.AuthorizationSourceIP, ""
		}
	}
	if !given.ForTable() && !strings.Contains(given.Services, "t") {
		return entity.AuthorizationService, ""
	}
	return entity.OK, ""
}

// accessRange returns the keys that a signature covers as a half-open range.
func accessRange(given *wire.SharedAccess) filter.Range {
	from, to, whole, endless := given.Keys()
	if endless {
		return filter.WholeTable().StartingAt(from)
	}
	last := filter.OnePartition(to.Partition)
	if !whole {
		last = filter.Point(to.Partition, to.Row)
	}
	return filter.Range{From: from, To: last.To, Bounded: true}
}

// rights is what a shared access signature has to allow for an operation.
type rights struct {
	// types are resource types: s for the service, c for its tables, o for entities. An account's signature must include
	// one of them. No signature allows an operation without types.
	types string
	// A signature must have one of the permissions in any, and every permission in all.
	any, all string
}

// verbRights is what each verb of a table's entities needs, indexed by the verb. The documents count a query as an
// operation on entities, emulators as one on the table; a signature for either is accepted. An upsert needs the rights
// to add and to update.
var verbRights = [...]rights{
	entity.Query:           {types: "co", any: "r"},
	entity.Get:             {types: "o", any: "r"},
	entity.Insert:          {types: "o", any: "a"},
	entity.Replace:         {types: "o", any: "u"},
	entity.Merge:           {types: "o", any: "u"},
	entity.InsertOrReplace: {types: "o", all: "au"},
	entity.InsertOrMerge:   {types: "o", all: "au"},
	entity.Delete:          {types: "o", any: "d"},
}

// permit returns OK if the signature allows the operation, as far as path and headers determine it.
func (x *exchange) permit() (entity.Code, string) {
	if x.access.given == nil {
		return entity.OK, ""
	}
	needs := x.operation.needs
	if x.operation.upsert != 0 && len(x.request.Header["If-Match"]) == 0 {
		needs = verbRights[x.operation.upsert]
	}
	// A signature for a table allows only operations on entities.
	if needs.types == "" || x.access.given.ForTable() && !strings.Contains(needs.types, "o") {
		return entity.AuthorizationFailure, "no shared access signature of this kind allows this operation"
	}
	if code := x.allows(&needs); code != entity.OK {
		return code, ""
	}
	if x.resource.Table == "" {
		return entity.OK, "" // A transaction names its table later.
	}
	return x.permitTable(x.resource.Table)
}

// allows returns OK where the signature's resource types and permissions are
// those that are needed.
func (x *exchange) allows(needs *rights) entity.Code {
	given, permissions := x.access.given, x.access.permissions
	if !given.ForTable() && !strings.ContainsAny(given.ResourceTypes, needs.types) {
		return entity.AuthorizationResourceType
	}
	if needs.any != "" && !strings.ContainsAny(permissions, needs.any) {
		return entity.AuthorizationPermission
	}
	for i := range len(needs.all) {
		if strings.IndexByte(permissions, needs.all[i]) < 0 {
			return entity.AuthorizationPermission
		}
	}
	return entity.OK
}

// permitTable checks that a table's signature is for this one.
func (x *exchange) permitTable(table string) (entity.Code, string) {
	if given := x.access.given; given.ForTable() && !strings.EqualFold(given.Table, table) {
		return entity.AuthorizationFailure, "the signature is for another table"
	}
	return entity.OK, ""
}

// permitKeys checks keys in the body, of inserts and transactions. It does not reject queries, which are limited to
// the range of keys.
func (x *exchange) permitKeys() (entity.Code, string) {
	if x.access.given == nil {
		return entity.OK, ""
	}
	switch x.asked.Verb {
	case 0, entity.CreateTable, entity.DeleteTable, entity.Query:
		return entity.OK, ""
	case entity.Batch:
		for i := range x.asked.Changes {
			if code, detail := x.permitChange(&x.asked.Changes[i]); code != entity.OK {
				x.reply.FailedIndex = i
				return code, detail
			}
		}
		return entity.OK, ""
	}
	return x.permitChange(&x.change)
}

func (x *exchange) permitChange(c *entity.Change) (entity.Code, string) {
	if code := x.allows(&verbRights[c.Verb]); code != entity.OK {
		return code, ""
	}
	if code, detail := x.permitTable(x.asked.Table); code != entity.OK {
		return code, detail
	}
	if !x.access.within.Contains(c.Key) {
		return entity.AuthorizationFailure, "the key is outside the signature's range"
	}
	return entity.OK, ""
}
