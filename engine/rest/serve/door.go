package serve

import (
	"errors"
	"fmt"
	"net"
	"regexp"

	"loadgen/engine/rest"
	"loadgen/engine/wire"
)

// The public account and key of all emulators of the service.
const (
	emulatorAccount = "devstoreaccount1"
	emulatorKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// door is the address and the account of a service.
type door struct {
	// address is what to listen on, with the host's name resolved.
	address string
	account string
	secret  *wire.Secret
	// loopback says that only this machine reaches it.
	loopback bool
}

var accountPattern = regexp.MustCompile(`^[a-z0-9]{3,24}$`)

// newDoor returns the address and account of the options. No error repeats a key.
func (o *Options) newDoor() (d door, err error) {
	address, loopback, err := resolve(o.Listen)
	if err != nil {
		return d, Fault{Field: "listen", Value: o.Listen, Err: err}
	}
	d = door{address: address, account: emulatorAccount, loopback: loopback}
	key := emulatorKey
	switch {
	case o.Account == "" && o.Key == "" && !loopback:
		return d, Fault{Field: "listen", Value: o.Listen, Err: ErrKnownKey}
	case o.Account == "" && o.Key != "":
		return d, Fault{Field: "account", Err: errors.New("a key requires an account")}
	case o.Account != "":
		if d.account = o.Account; !accountPattern.MatchString(d.account) {
			return d, Fault{Field: "account", Value: fmt.Sprintf("%.40q", d.account), Err: errors.New("expected 3 to 24 lower-case letters and digits")}
		}
		if key = o.Key; key == emulatorKey && !loopback {
			return d, Fault{Field: "key", Value: o.KeyName, Err: ErrKnownKey}
		}
	}
	if d.secret, err = wire.NewSecret(key); err != nil {
		return d, Fault{Field: "key", Value: o.KeyName, Err: err}
	}
	return d, nil
}

// tokens returns the fault of Options.Tokens.
func (o *Options) tokens(d door) error {
	switch {
	case o.Tokens == AnyToken && !d.loopback && d.address != "":
		return Fault{Field: "tokens", Err: errors.New("it admits everyone; expected a loopback address such as 127.0.0.1:10002")}
	case o.Tokens != "" && o.Tokens != AnyToken:
		if err := rest.CheckIssuerURL(o.Tokens); err != nil {
			return Fault{Field: "tokens", Err: err}
		}
	}
	return nil
}

// resolve returns an address to listen on as a number, and whether only this
// machine can reach it.
func resolve(address string) (resolved string, loopback bool, err error) {
	tcp, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return "", false, fmt.Errorf("expected HOST:PORT, such as 127.0.0.1:10002: %w", err)
	}
	return tcp.String(), tcp.IP.IsLoopback(), nil
}

// place returns the address of the account for a client, without the scheme, once it is
// known on which port the service listens.
func (d *door) place(listening string) string {
	host, port, err := net.SplitHostPort(listening)
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		// Every address of this machine is none to connect to.
		listening = net.JoinHostPort("127.0.0.1", port)
	}
	return listening + "/" + d.account
}
