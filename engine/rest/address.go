package rest

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// ErrAddress is wrapped by errors about an address that cannot be listened on.
var ErrAddress = errors.New("expected an address of this machine with a free port, such as 127.0.0.1:0")

// ListenAt listens on an address: a port, or a host and a port; what says no host is of this
// machine alone.
func ListenAt(address string) (net.Listener, error) {
	full, err := addressOf(address)
	if err != nil {
		return nil, err
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

// ListenLoopback listens as [ListenAt] does, and does not where others than this machine would reach
// it. Empty stands for any free port.
func ListenLoopback(address string) (net.Listener, error) {
	if address == "" {
		address = ":0"
	}
	full, err := addressOf(address)
	if err != nil {
		return nil, err
	}
	found, err := net.ResolveTCPAddr("tcp", full)
	if err != nil || !found.IP.IsLoopback() {
		return nil, errors.New("expected an address that no other machine reaches: localhost or one of the loopback, such as 127.0.0.1:0")
	}
	return ListenAt(found.String())
}

func addressOf(address string) (string, error) {
	expected := errors.New("expected a port, or a host and a port, such as :9464 or 127.0.0.1:0")
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", expected
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", expected
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}
