package main

import (
	"errors"
	"fmt"
	"net"
	"regexp"

	"loadgen/engine/rest"
	"loadgen/engine/wire"
)

// The account and key that every emulator of the service has, for which reason
// they guard nothing.
const (
	emulatorAccount = "devstoreaccount1"
	emulatorKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// door is where and as whom a service may be asked.
type door struct {
	// address is what to listen on, with the host's name resolved.
	address string
	account string
	secret  *wire.Secret
	// keyFile is where the secret came from, empty for the emulators' key.
	keyFile string
}

var accountPattern = regexp.MustCompile(`^[a-z0-9]{3,24}$`)

// door works out what the flags say of address and account. No error repeats a
// secret.
func (f *serveFlags) door() (door, error) {
	address, loopback, err := resolve(f.listen)
	if err != nil {
		return door{}, usageError{fmt.Errorf("--listen %s: %w", f.listen, err)}
	}
	d := door{address: address, account: emulatorAccount, keyFile: f.keyFile}
	text := emulatorKey
	switch {
	case f.account == "" && f.keyFile == "" && !loopback:
		return door{}, usageError{fmt.Errorf("--listen %s: an address that others reach needs --account and --key-file; "+
			"the emulators' key is for 127.0.0.1 and ::1 alone", f.listen)}
	case (f.account == "") != (f.keyFile == ""):
		return door{}, usageError{errors.New("--account and --key-file: expected both or neither")}
	case f.account != "":
		if d.account = f.account; !accountPattern.MatchString(d.account) {
			return door{}, usageError{fmt.Errorf("--account %.40q: expected 3 to 24 lower-case letters and digits", d.account)}
		}
		if text, err = readSecret(f.keyFile); err != nil {
			return door{}, usageError{fmt.Errorf("--key-file: %w", err)}
		}
		if text == emulatorKey && !loopback {
			return door{}, usageError{fmt.Errorf("--key-file %s: the emulators' key is known to all; an address that others reach needs one of your own", f.keyFile)}
		}
	}
	if d.secret, err = wire.NewSecret(text); err != nil {
		return door{}, usageError{fmt.Errorf("--key-file %s: %w", f.keyFile, err)}
	}
	return d, nil
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

// listen opens the door and lets a handler answer.
func (d *door) listen(handler *flights) (*rest.Server, error) {
	server, err := rest.Listen(d.address, handler)
	if err != nil {
		return nil, usageError{fmt.Errorf("--listen: %w", err)}
	}
	return server, nil
}

// url returns the address of the account for a client, once it is known on which
// port the service listens.
func (d *door) url(listening string) string {
	host, port, err := net.SplitHostPort(listening)
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		// Every address of this machine is none to connect to.
		listening = net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + listening + "/" + d.account
}

// connectionString returns what an SDK takes. A key that is not known to all is
// not in it.
func (d *door) connectionString(listening string) string {
	key := emulatorKey
	if d.keyFile != "" {
		key = "<the key of " + d.keyFile + ">"
	}
	return fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;TableEndpoint=%s;",
		d.account, key, d.url(listening))
}
