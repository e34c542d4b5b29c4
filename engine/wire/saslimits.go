package wire

import (
	"net/netip"
	"strings"

	"loadgen/engine/entity"
)

// ParseAccessTime returns the instant that st, se or a time of a stored access
// policy names: a date, alone or with minutes, seconds and a fraction. A date
// alone is its midnight, in UTC. Digits after the seventh are dropped: clients
// with a clock of nanoseconds send nine.
func ParseAccessTime(text string) (entity.Ticks, bool) {
	switch len(text) {
	case len("2006-01-02"):
		text += "T00:00:00Z"
	case len("2006-01-02T15:04Z"):
		text = strings.TrimSuffix(text, "Z") + ":00Z"
	}
	t, code := parseInstant(text)
	// The first instant of the calendar stands for none.
	return t, code == entity.OK && t > 0
}

// AddressRange is the addresses that sip lets requests come from.
type AddressRange struct{ From, To netip.Addr }

// ParseAddressRange reads sip: one address, or the first and the last with a
// hyphen between them.
func ParseAddressRange(text string) (AddressRange, bool) {
	first, last, ranged := strings.Cut(text, "-")
	if !ranged {
		last = first
	}
	from, err := netip.ParseAddr(first)
	if err != nil {
		return AddressRange{}, false
	}
	to, err := netip.ParseAddr(last)
	return AddressRange{from.Unmap(), to.Unmap()}, err == nil
}

// Contains reports whether an address lies in the range. Those of the two
// versions are never in one of the other.
func (r AddressRange) Contains(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsValid() && a.BitLen() == r.From.BitLen() && a.BitLen() == r.To.BitLen() &&
		r.From.Compare(a) <= 0 && a.Compare(r.To) <= 0
}

// ParseSASProtocol reads spr, and reports whether requests may come over plain
// HTTP; it is false for what is no such option. An empty one sets no limit.
func ParseSASProtocol(text string) (plain, ok bool) {
	switch text {
	case "", "https,http", "http,https":
		return true, true
	case "https":
		return false, true
	}
	return false, false
}
