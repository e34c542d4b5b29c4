package rest

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// RequireLocal has a handler answer only what is asked of this machine by a name that is no
// other machine's: localhost, or a loopback address. A page of the web can have its own
// name lead here, and its browser would show it what is answered.
func RequireLocal(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ownName(r.Host) {
			const longest = 100
			host := r.Host[:min(len(r.Host), longest)]
			http.Error(w, "this address answers to localhost and 127.0.0.1, and not to "+strconv.QuoteToASCII(host), http.StatusForbidden)
			return
		}
		// No script needs to send it here: it is a page that asks, and only one of this
		// machine may.
		for _, origin := range r.Header.Values("Origin") {
			page, err := url.Parse(origin)
			if !(err == nil && ownName(page.Host)) {
				http.Error(w, "this address answers no page of another machine", http.StatusForbidden)
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}

// ownName reports whether a header Host, with a port or without, names this machine to
// itself.
func ownName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// IsReachable reports whether others than this machine reach an address that was listened
// on.
func IsReachable(address net.Addr) bool {
	bound, err := netip.ParseAddrPort(address.String())
	return err != nil || !bound.Addr().Unmap().IsLoopback()
}
