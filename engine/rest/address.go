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

// ListenAt listens on an address: a port, or a host and a port; what says no host is of this
// machine alone. Where it has to be of the loopback, it does not listen where others than this
// machine would reach it, and an empty one stands for any free port.
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

// RequireLocal has a handler answer only what is asked of this machine by a name that is no
// other machine's: localhost, or a loopback address. A page of the web can have its own
// name lead here, and its browser would show it what is answered.
func RequireLocal(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ownName(r.Host) {
			const longest = 100
			host := r.Host[:min(len(r.Host), longest)]
			http.Error(w, "this address accepts localhost and 127.0.0.1, not "+strconv.QuoteToASCII(host), http.StatusForbidden)
			return
		}
		// No script needs to send it here: it is a page that asks, and only one of this
		// machine may.
		for _, origin := range r.Header.Values("Origin") {
			// "null", which a page of any machine can send, names none.
			if page, err := url.Parse(origin); err != nil || !ownName(page.Host) {
				http.Error(w, "this address rejects pages of other origins", http.StatusForbidden)
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
