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
