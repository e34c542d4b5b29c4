package rest

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// ErrAddress is wrapped by errors about an address that cannot be listened on.
var ErrAddress = errors.New("expected a local address with a free port, such as 127.0.0.1:0")

// ListenAt listens on an address: a port, or a host and a port. Without a host it listens on the loopback. With
// loopback it rejects addresses that other machines can reach, and an empty one is any free port.
func ListenAt(address string, loopback bool) (net.Listener, error) {
	if loopback && address == "" {
		address = ":0"
	}
	full, err := addressOf(address)
	if err != nil {
		return nil, err
	}
	if loopback {
		found, err := net.ResolveTCPAddr("tcp", full)
		if err != nil || !found.IP.IsLoopback() {
			return nil, errors.New("expected a loopback address such as 127.0.0.1:0")
		}
		full = found.String()
	}
	listener, err := net.Listen("tcp", full)
	if err != nil {
		var why *net.OpError
		if errors.As(err, &why) {
			err = why.Err
		}
		return nil, fmt.Errorf("%w; %w", err, ErrAddress)
	}
	return listener, nil
}

func addressOf(address string) (string, error) {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", errors.New("expected a port, or a host and a port, such as :9464 or 127.0.0.1:0")
	}
	return net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port), nil
}

// RequireLocal returns a handler that only accepts requests to localhost or a loopback address: the DNS name of
// a web page can resolve to this machine, and its browser would show the page our replies.
func RequireLocal(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ownName(r.Host) {
			const longest = 100
			host := r.Host[:min(len(r.Host), longest)]
			http.Error(w, "this address accepts localhost and 127.0.0.1, not "+strconv.QuoteToASCII(host), http.StatusForbidden)
			return
		}
		// A request with an origin is from a page, which has to be this machine's.
		for _, origin := range r.Header.Values("Origin") {
			// Any page can send "null".
			if page, err := url.Parse(origin); err != nil || !ownName(page.Host) {
				http.Error(w, "this address rejects pages of other origins", http.StatusForbidden)
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}

// ownName reports whether a header Host is a name of the loopback.
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

// IsReachable reports whether other machines can reach a listening address.
func IsReachable(address net.Addr) bool {
	bound, err := netip.ParseAddrPort(address.String())
	return err != nil || !bound.Addr().Unmap().IsLoopback()
}
